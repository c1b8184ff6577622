internal import Statistics

/// How the purchases of one plan went on: of a row, or of an app.
struct PlanTally {
  /// Who churned at renewal 1, 2, ….
  private var lost: [Double] = []
  /// Who made it.
  private var kept: [Double] = []

  /// Adds first spells by the number of their payments; those not churned leave behind their last one (definitions 5.6).
  mutating func add(payments: Int, isChurned: Bool, count: Int = 1) {
    while lost.count < payments {
      lost.append(0)
      kept.append(0)
    }
    for renewal in 0..<(payments - 1) { kept[renewal] += Double(count) }
    if isChurned { lost[payments - 1] += Double(count) }
  }

  /// Who is known to have made the first renewal or not.
  var firstRenewals: Int { lost.isEmpty ? 0 : Int(lost[0] + kept[0]) }

  var counts: RenewalCounts { RenewalCounts(lost: lost, kept: kept) }
}
