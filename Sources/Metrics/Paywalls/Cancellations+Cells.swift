internal import EventModel
internal import Lifecycle
internal import Store

extension Cancellations {
  /// Definitions 4.5 and 6.2 to 6.5 from cells.
  ///
  /// - Parameter asOf: By app.
  static func cells(_ cells: CellQuery, asOf: [NameID: Int64], grace: Int64) throws -> [CellKey: Cell] {
    var rows: [CellKey: Cell] = [:]
    try cells.forEachRow(.trial) { key, origin, scan in
      guard origin.trialKind == TrialKind.introductory.rawValue else { return }
      let asOf = asOf[origin.app] ?? .min
      var (matured, cancelled) = (0, 0)
      try scan { trials in
        trials.forEachTrial { trial in
          guard trial.deadline <= asOf else { return }
          matured += 1
          if trial.isCancelled { cancelled += 1 }
        }
      }
      if matured == 0 { return }
      rows[key, default: Cell()].trials += matured
      rows[key, default: Cell()].trialsCancelled += cancelled
    }
    var times: [CellKey: Times] = [:]
    try cells.forEachRow(.purchase) { key, origin, scan in
      guard origin.plan != Int8(Plan.lifetime.rawValue) else { return }
      let asOf = asOf[origin.app] ?? .min
      // Taken out while they change, so that they are not copied.
      var cell = rows.removeValue(forKey: key) ?? Cell()
      var ends = times.removeValue(forKey: key) ?? Times()
      try scan { purchases in
        purchases.forEachPurchase { purchase in
          cell.add(purchase, asOf: asOf, grace: grace)
          if let cancelledAt = purchase.firstCancelledAt {
            ends.cancelled.append(cancelledAt - purchase.start)
          } else {
            ends.censored.append((purchase.graceEnd <= asOf ? purchase.coverEnd : asOf) - purchase.start)
          }
        }
      }
      if cell.trials + cell.subscriptions > 0 { rows[key] = cell }
      if cell.subscriptions > 0 { times[key] = ends }
    }
    for (key, times) in times { rows[key]?.times = times.table }
    return rows
  }

  /// Times from the first payment.
  private struct Times {
    var cancelled: [Int64] = []
    var censored: [Int64] = []

    /// How many of each there are at each time, ascending.
    var table: [(time: Int64, cancelled: Int, censored: Int)] {
      let (cancelled, censored) = (sortedTimes(cancelled), sortedTimes(censored))
      var table: [(time: Int64, cancelled: Int, censored: Int)] = []
      var (a, b) = (0, 0)
      while a < cancelled.count || b < censored.count {
        let time = min(a < cancelled.count ? cancelled[a] : .max, b < censored.count ? censored[b] : .max)
        table.append((time, passTimes(cancelled, &a, equalTo: time), passTimes(censored, &b, equalTo: time)))
      }
      return table
    }
  }
}

extension Cancellations.Cell {
  /// Definitions 6.2 and 6.3 of one purchase.
  mutating func add(_ purchase: PurchaseUnit, asOf: Int64, grace: Int64) {
    let isChurned = purchase.graceEnd <= asOf
    subscriptions += 1
    for (place, age) in Cancellations.ages.enumerated() {
      let end = purchase.start + Int64(age) * day
      if end > asOf { break }
      byAge[place][0] += 1
      let isOff = place == 0 ? purchase.isOffAt35 : place == 1 ? purchase.isOffAt95 : purchase.isOffAt370
      if isOff { byAge[place][1] += 1 }
      if end + grace > asOf { continue }
      byAge[place][2] += 1
      if isChurned && purchase.coverEnd < end { byAge[place][3] += 1 }
    }
    if isChurned && purchase.reason != ChurnReason.unstated.rawValue { churned[Int(purchase.reason) - 1] += 1 }
    if purchase.start + PurchaseUnit.refundWindow <= asOf {
      refundAtRisk += 1
      if purchase.isRefundedWithin30 { refunded += 1 }
    }
  }
}
