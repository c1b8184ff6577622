internal import EventModel
internal import Statistics

/// A group of open trials with much the same chance to convert.
struct TrialState: Hashable {
  /// Of the trial's start; `nil` if that names none, as an app's own trial.
  var plan: Plan?
  /// Whether auto-renew is off; never of an app's own trial.
  var isOff: Bool
  /// Days since the start, rounded down.
  var age: Int
}

/// The outcomes of trials that were open at a midnight in one state, by days from that midnight, rounded down.
struct TrialEnds {
  /// The fewest trials for a chance of their own.
  static let leastKnown = 30

  enum End: Hashable {
    case converted(Plan)
    case lapsed
    /// Still open when last seen.
    case open
  }

  private struct Moment: Hashable {
    var days: Int
    var end: End
  }

  private var counts: [Moment: Int] = [:]
  private(set) var count = 0
  /// Those that are not open any more.
  private(set) var ended = 0

  mutating func add(_ end: End, after days: Int) {
    counts[Moment(days: days, end: end), default: 0] += 1
    count += 1
    if end != .open { ended += 1 }
  }

  /// The share of trials that convert to a plan on a day.
  struct Conversion {
    var days: Int
    var plan: Plan
    var share: Double
  }

  /// Returns the chance to convert to each plan on each day from the midnight on, of trials that are open at it, by
  /// ``AalenJohansen``: lapses and conversions to other plans compete.
  func conversions() -> [Conversion] {
    let plans = Set(counts.keys.compactMap { if case .converted(let plan) = $0.end { plan } else { nil } })
      .sorted { $0.rawValue < $1.rawValue }
    var curve = AalenJohansen(atRisk: count, causes: plans.count + 1)
    var conversions: [Conversion] = []
    for days in Set(counts.keys.map(\.days)).sorted() {
      func number(_ end: End) -> Int { counts[Moment(days: days, end: end)] ?? 0 }
      let before = plans.indices.map { curve.incidence(of: $0) }
      for (cause, plan) in plans.enumerated() { curve.end(number(.converted(plan)), cause: cause) }
      curve.end(number(.lapsed), cause: plans.count)
      for (cause, plan) in plans.enumerated() where number(.converted(plan)) > 0 {
        conversions.append(Conversion(days: days, plan: plan, share: curve.incidence(of: cause) - before[cause]))
      }
      curve.censor(number(.open))
    }
    return conversions
  }
}

extension TrialState: Comparable {
  /// In order, so that sums are the same each time.
  static func < (left: Self, right: Self) -> Bool { left.order < right.order }

  private var order: (Int, Int, Int) { (plan.map { Int($0.rawValue) } ?? -1, isOff ? 1 : 0, age) }
}
