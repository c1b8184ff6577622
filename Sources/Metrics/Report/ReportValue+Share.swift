internal import Statistics

extension ReportValue {
  /// Returns a share with its Wilson bounds; all three are empty if the whole is 0; implements definitions 1.6.
  static func share(_ part: Int, of whole: Int) -> [ReportValue] {
    guard whole > 0, let interval = wilsonInterval(successes: Double(part), trials: Double(whole)) else {
      return [.rate(nil), .rate(nil), .rate(nil)]
    }
    return [.rate(Double(part) / Double(whole)), .rate(interval.low), .rate(interval.high)]
  }

  /// An estimate that is not known: its share, bounds and variance.
  static let noEstimate: [ReportValue] = [.rate(nil), .rate(nil), .rate(nil), .number(nil)]

  /// Returns a share without bounds.
  static func plainShare(_ part: Int, of whole: Int) -> ReportValue {
    .rate(whole == 0 ? nil : Double(part) / Double(whole))
  }
}
