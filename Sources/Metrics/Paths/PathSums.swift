/// The counts of one row of a path (definitions 11).
struct PathSums {
  struct Step {
    /// Matured users who reached it.
    var reached = 0
    /// Users, immature ones too, by their time from the anchor.
    var times = CompetingTimes()
    /// Users whose window is over, or who reached it.
    var settled = 0
  }

  /// How far one user came in one step.
  struct Reach {
    /// The instant that the step's time counts from; `nil` if the user never came there.
    var anchor: Int64?
    var reached: Int64?
    /// The instant from which the step can no longer be reached.
    var end: Int64

    static let none = Reach(anchor: nil, reached: nil, end: .max)
  }

  var users = 0
  var immature = 0
  var steps: [Step]

  init(steps: Int) { self.steps = Array(repeating: Step(), count: steps) }

  /// Adds one user.
  ///
  /// - Parameter reach: By step.
  mutating func add(_ reach: [Reach], isMature: Bool, asOf: Int64) {
    if isMature { users += 1 } else { immature += 1 }
    for (place, reach) in reach.enumerated() {
      guard let anchor = reach.anchor else { continue }
      if let reached = reach.reached {
        if isMature { steps[place].reached += 1 }
        steps[place].times.add(happenedAfter: reached - anchor)
      } else if reach.end <= asOf {
        steps[place].times.add(missedAfter: reach.end - anchor)
      } else {
        steps[place].times.add(openAfter: asOf - anchor)
        continue
      }
      if reach.end <= asOf { steps[place].settled += 1 }
    }
  }

  /// Adds the users of another row.
  mutating func add(_ other: PathSums) {
    users += other.users
    immature += other.immature
    for place in steps.indices {
      steps[place].reached += other.steps[place].reached
      steps[place].times.add(other.steps[place].times)
      steps[place].settled += other.steps[place].settled
    }
  }

  static func columns(of name: String) -> [ReportColumn] {
    [ReportColumn(name, .count)] + ReportColumn.rate("\(name)_rate") + ReportColumn.rate("\(name)_step_rate")
      + [ReportColumn("\(name)_dropped", .count)] + ReportColumn.estimate("\(name)_incidence", of: .incidence)
      + quartiles.map { ReportColumn("\(name)_hours_\($0.name)", .number) }
  }

  fileprivate static let quartiles = [
    (name: "p25", share: 0.25), (name: "p50", share: 0.5), (name: "p75", share: 0.75),
  ]

  /// Returns the values of a step's columns (implements definitions 11.7 and 11.8).
  ///
  /// - Parameter before: Matured users who reached the required step before.
  func values(of place: Int, before: Int) -> [ReportValue] {
    let step = steps[place]
    return [.count(step.reached)] + ReportValue.share(step.reached, of: users)
      + ReportValue.share(step.reached, of: before) + [.count(before - step.reached)] + step.curve()
  }
}

extension PathSums.Step {
  /// Returns the estimate at the end of the window with its bounds, and the hours until a quarter, half and three
  /// quarters of those who reach the step have reached it; empty while nobody's window is over.
  fileprivate func curve() -> [ReportValue] {
    guard settled > 0 else { return Array(repeating: .rate(nil), count: 7) }
    let curve = IncidenceCurve(times)
    return ReportValue.incidence(curve.end, matured: settled)
      + PathSums.quartiles.map { .number(curve.time(until: $0.share).map { Double($0) / 3_600_000 }) }
  }
}
