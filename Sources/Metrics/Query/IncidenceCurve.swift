/// The Aalen–Johansen estimate of ``CompetingTimes`` at any time.
struct IncidenceCurve {
  private let rises: [(time: Int64, share: [ReportValue], incidence: Double)]

  init(_ times: CompetingTimes) {
    var rises: [(time: Int64, share: [ReportValue], incidence: Double)] = []
    _ = times.curve { time, curve in
      rises.append(
        (time, ReportValue.incidence(curve, matured: times.count), curve.incidence(of: CompetingTimes.cause)))
    }
    self.rises = rises
  }

  /// Returns the estimate, its bounds and its variance at a time in ms; empty while nothing was observed so long.
  func share(at time: Int64, observed: Int) -> [ReportValue] {
    guard observed > 0 else { return [.rate(nil), .rate(nil), .rate(nil), .number(nil)] }
    return rises.last { $0.time <= time }?.share ?? ReportValue.share(0, of: observed) + [.number(0)]
  }

  /// The time in ms until it has happened to half of those to whom it happens at all; `nil` if there are none.
  var median: Int64? {
    guard let end = rises.last?.incidence else { return nil }
    return rises.first { $0.incidence >= end / 2 * (1 - 1e-12) }?.time
  }
}
