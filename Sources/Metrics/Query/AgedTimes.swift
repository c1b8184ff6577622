internal import Lifecycle
internal import Statistics

/// ``CompetingTimes``, with how many of them were observed until each of some ages.
struct AgedTimes {
  var times = CompetingTimes()
  /// Ages in days.
  private let ages: [Int]
  private var observed: [Int]

  init(_ ages: [Int]) {
    self.ages = ages
    observed = ages.map { _ in 0 }
  }

  /// Counts one at the ages until which it was observed.
  mutating func observe(from start: Int64, until end: Int64) {
    for (place, age) in ages.enumerated() where start + Int64(age) * day <= end { observed[place] += 1 }
  }

  /// Returns the estimate at each age, its bounds and its variance; empty while nothing was observed so long.
  func shares(_ curve: IncidenceCurve) -> [ReportValue] {
    zip(ages, observed).flatMap { age, observed -> [ReportValue] in
      if observed == 0 { return ReportValue.noEstimate }
      guard let rise = curve.rises.last(where: { $0.time <= Int64(age) * day }) else {
        return ReportValue.share(0, of: observed) + [.number(0)]
      }
      return ReportValue.incidence(rise.curve, matured: times.count)
    }
  }
}

/// The Aalen–Johansen estimate of ``CompetingTimes`` at each time at which it happened.
struct IncidenceCurve {
  let end: AalenJohansen
  fileprivate let rises: [(time: Int64, curve: AalenJohansen)]

  init(_ times: CompetingTimes) {
    var rises: [(time: Int64, curve: AalenJohansen)] = []
    end = times.curve { rises.append(($0, $1)) }
    self.rises = rises
  }

  /// Returns the time in ms until it has happened to a part of those to whom it happens at all; `nil` if there are
  /// none.
  func time(until part: Double) -> Int64? {
    let all = end.incidence(of: CompetingTimes.cause)
    // Shares are sums of quotients, and rounding must not move a quartile past the time that reaches it exactly.
    return rises.first { $0.curve.incidence(of: CompetingTimes.cause) >= part * all * (1 - 1e-12) }?.time
  }
}

extension SumsColumn {
  /// Shares at ages in days with their bounds and, as their basis, their variances; then the median of the times.
  ///
  /// - Parameter median: The column's name and its unit in ms; `nil` for none.
  static func incidence(
    _ name: String, at ages: [Int], _ times: @escaping @Sendable (Sums) -> AgedTimes,
    median: (name: String, unit: Int64)? = nil
  ) -> Self {
    let columns = ages.flatMap { ReportColumn.estimate("\(name)_\($0)_rate", of: .incidence) }
    return Self(columns + (median.map { [ReportColumn($0.name, .number)] } ?? [])) { sums, _ in
      let times = times(sums)
      let curve = IncidenceCurve(times.times)
      guard let median else { return times.shares(curve) }
      return times.shares(curve) + [.number(curve.time(until: 0.5).map { Double($0) / Double(median.unit) })]
    }
  }

  /// The end of a curve of ``CompetingTimes`` with its bounds and, as its basis, its variance.
  static func incidence(
    _ name: String, _ curve: @escaping @Sendable (Sums) -> AalenJohansen?, matured: @escaping @Sendable (Sums) -> Int
  ) -> Self {
    Self(ReportColumn.estimate(name, of: .incidence)) { sums, _ in
      curve(sums).map { ReportValue.incidence($0, matured: matured(sums)) } ?? ReportValue.noEstimate
    }
  }
}
