internal import EventModel

/// A group of active purchases whose next renewal has much the same chance.
struct RenewalState: Hashable {
  var isOff: Bool
  /// The first of ``DueTable/horizons`` within which the next renewal is due; their number for none.
  var soon: Int
}

/// How many of the purchases that were active at earlier origins made their next renewal, by their state then.
struct RenewalStates {
  /// The fewest purchases of a row for a chance of its own; with fewer, those of the app count.
  private static let leastKnown = 30

  private struct Open {
    var member: OriginMember
    var origin: Int64
  }

  private struct Key: Hashable {
    /// Without codes: of the app.
    var row: RowKey
    var plan: Plan
    var state: RenewalState
  }

  /// The outcomes of renewals, by the number of payments made before.
  struct Tally {
    private(set) var known: [Int: Int] = [:]
    private(set) var kept = 0

    var count: Int { known.values.reduce(0, +) }

    fileprivate mutating func add(isKept: Bool, payments: Int) {
      known[payments, default: 0] += 1
      if isKept { kept += 1 }
    }
  }

  private var open: [RowKey: [Open]] = [:]
  private var tallies: [Key: Tally] = [:]

  /// Takes in the purchases active at an origin.
  mutating func watch(_ cohorts: [RowKey: OriginLedger.Cohort], at origin: Int64) {
    for (row, cohort) in cohorts {
      open[row, default: []] += cohort.members.lazy.filter { $0.due != nil }.map { Open(member: $0, origin: origin) }
    }
  }

  /// Takes in the renewals that had their chance by an instant, as known then.
  mutating func settle(_ later: LaterMoney, at instant: Int64, grace: Int64) {
    for (row, members) in open {
      open[row] = members.filter { open in
        guard let due = open.member.due, due + grace <= instant else { return true }
        guard let isKept = later.isRenewed(open.member, after: open.origin) else { return false }
        for row in [row, RowKey(app: row.app, codes: [])] {
          tallies[Key(row: row, plan: open.member.plan, state: open.member.state), default: Tally()]
            .add(isKept: isKept, payments: open.member.payments)
        }
        return false
      }
    }
  }

  /// Returns the outcomes of a row's purchases of a plan that were in a state; those of the app if they are few, `nil` if
  /// those are few, too.
  func tally(_ row: RowKey, _ plan: Plan, _ state: RenewalState) -> Tally? {
    [row, RowKey(app: row.app, codes: [])].lazy
      .compactMap { tallies[Key(row: $0, plan: plan, state: state)] }.first { $0.count >= Self.leastKnown }
  }
}
