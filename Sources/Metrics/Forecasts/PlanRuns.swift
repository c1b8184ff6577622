internal import Store

/// The runs of payments for one plan within purchases: how long they go on, what they pay, and what a change to another plan
/// pays. A run ends with a change of plan as it does with churn.
struct PlanRuns {
  /// The runs, with the first payment of each and the later ones.
  private(set) var purchases = PlanPurchases()
  /// These runs, with a change of plan taken for a payment made.
  private(set) var lasting = PeriodCounts()
  /// The sum of the payments for another plan that ended runs whose next payment had its chance, in parts of a micro-unit.
  private(set) var changes: Int128 = 0

  var counts: PeriodCounts { purchases.counts }

  /// The payments of changes of plan for each renewal known, in micro-units.
  ///
  /// - Parameter parts: The unit of sums, as parts of a micro-unit.
  func changeAmount(parts: Int128) -> Double {
    let known = counts.renewals.known
    return known > 0 ? Double(changes) / Double(parts) / known : 0
  }

  mutating func add(_ other: PlanRuns) {
    purchases.add(other.purchases)
    lasting.add(other.lasting)
    changes += other.changes
  }

  /// Takes in a run.
  ///
  /// - Parameters:
  ///   - payments: What is left of its payments in the purchase's currency; `nil` for one in another currency.
  ///   - change: The same of the payment for another plan that follows; `nil` if none does.
  mutating func add(_ dates: DueDates, payments: [Int128?], change: Int128??) {
    purchases.purchases += 1
    purchases.counts.add(dates)
    for (place, amount) in payments.enumerated() {
      guard let amount else { continue }
      if place == 0 { purchases.addFirst(amount) } else { purchases.addLater(amount) }
    }
    let last = dates.lastChance(limit: dates.payments + 1)
    lasting.add(chancesUpTo: last, payments: dates.payments + (change == nil ? 0 : 1))
    if last > dates.payments { changes += (change ?? 0) ?? 0 }
  }
}

extension PersonMoney {
  /// Returns the payments of a spell by run: ranges of ``payments`` for one plan each.
  func runs(of spell: Spell) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for place in spell.payments {
      if let last = runs.last, payments[last.lowerBound].plan == payments[place].plan {
        runs[runs.count - 1] = last.lowerBound..<place + 1
      } else {
        runs.append(place..<place + 1)
      }
    }
    return runs
  }
}
