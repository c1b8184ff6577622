internal import Statistics

extension ReportValue {
  /// A share with its Wilson bounds; all three empty where there is nothing to be a share of (definitions 1.6).
  static func share(_ part: Int, of whole: Int) -> [ReportValue] {
    guard let interval = wilsonInterval(successes: Double(part), trials: Double(whole)) else {
      return [.rate(nil), .rate(nil), .rate(nil)]
    }
    return [.rate(Double(part) / Double(whole)), .rate(interval.low), .rate(interval.high)]
  }

  /// A share without bounds.
  static func plainShare(_ part: Int, of whole: Int) -> ReportValue {
    .rate(whole == 0 ? nil : Double(part) / Double(whole))
  }
}
