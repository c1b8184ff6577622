internal import EventModel
internal import Lifecycle
internal import Statistics

/// How the purchases of one plan went on: of a row, or of an app.
struct PlanTally {
  /// Who churned at renewal 1, 2, ….
  private var lost: [Double] = []
  /// Who made it.
  private var kept: [Double] = []

  /// Adds a first spell: to each renewal that it had the chance to make (definitions 6.4) as one that went on or stopped.
  ///
  /// Who has not churned and has not paid leaves. To count those who churned before the renewal is due, and not those who
  /// may still make it, would take every early refund for a renewal not made.
  ///
  /// - Parameters:
  ///   - start: Of the first payment, in ms; the others are due the plan's calendar lengths after it.
  ///   - payments: How many were made.
  ///   - lastDue: The last instant of a due date whose grace is over at the as-of.
  mutating func add(_ plan: Plan, start: Int64, payments: Int, isChurned: Bool, lastDue: Int64) {
    for renewal in 1..<Self.mostRenewals {
      guard let due = Self.due(plan, renewal, from: start), due <= lastDue else { return }
      if payments <= renewal && !isChurned { return }
      if lost.count < renewal {
        lost.append(0)
        kept.append(0)
      }
      if payments <= renewal {
        lost[renewal - 1] += 1
        return
      }
      kept[renewal - 1] += 1
    }
  }

  /// Ten years of weeks.
  private static let mostRenewals = 522

  private static func due(_ plan: Plan, _ renewal: Int, from start: Int64) -> Int64? {
    if plan == .weekly { return start + Int64(renewal) * 7 * day }
    return plan.months.map {
      Instant(millisecondsSince1970: start).addingMonths($0 * renewal).millisecondsSince1970
    }
  }

  /// Who is known to have made the first renewal or not.
  var firstRenewals: Int { lost.isEmpty ? 0 : Int(lost[0] + kept[0]) }

  var counts: RenewalCounts { RenewalCounts(lost: lost, kept: kept) }
}
