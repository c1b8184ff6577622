internal import EventModel
internal import Lifecycle
internal import Statistics
public import Store

/// Reports cancellations of trials and subscriptions, each by its own day; implements definitions 6.1.
public enum Cancellations {
  /// Days after the first payment: a billing date and its grace period after 30, 90 and 365 days (definitions 6.2).
  static let ages = [35, 95, 370]

  struct Sums {
    var trials = 0
    var trialsCancelled = 0
    var subscriptions = 0
    /// At risk, cancelled, followed and ended, by age.
    var byAge = [[Int]](repeating: [0, 0, 0, 0], count: ages.count)
    /// Churned by reason: voluntary, billing, price increase, refund, other.
    var churned = [0, 0, 0, 0, 0]
    var refundAtRisk = 0
    var refunded = 0
    /// Times from the first payment to the first cancellation, or until which there was none.
    var (cancelled, censored): ([Int64], [Int64]) = ([], [])
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, by: .cancellations)
    return query.report(
      "cancellations", title: "Cancellation of trials and subscriptions",
      definition: [
        "trials: introductory trials that are over, by the day of their start. trial_cancelled: those with "
          + "auto-renew off at their end (4.5, 6.1)",
        "subscriptions: first purchases except lifetime ones, by the day of the first payment. They belong to "
          + "other users than the trials of the row (6.1, 6.2)",
        "cancelled_A: auto-renew was off A days after the first payment, out of subscriptions at least A days old. "
          + "ended_A: churned within A days, out of those followed that long and through grace (6.2)",
        "churned: all subscriptions that churned, by reason (2.8, 6.3). refunded: first payments given back in full "
          + "within 30 d (6.3)",
        "median_days_to_cancel: Kaplan–Meier median from the first payment to the first cancellation (6.5)",
      ],
      columns: columns,
      rows: query.rows(
        try sumsOfRows(CellQuery(query, [.trial, .purchase]), asOf: query.asOfs, grace: query.options.grace)))
  }

  private static let columns: [SumsColumn<Sums>] = [
    .count("trials", \.trials), .count("trial_cancelled", \.trialsCancelled),
    .share("trial_cancel_rate", \.trialsCancelled, of: \.trials), .count("subscriptions", \.subscriptions),
    .each(ages) { place, age in
      [
        .count("at_risk_\(age)") { $0.byAge[place][0] }, .count("cancelled_\(age)") { $0.byAge[place][1] },
        .share("cancelled_\(age)_rate", { $0.byAge[place][1] }, of: { $0.byAge[place][0] }),
        .count("followed_\(age)") { $0.byAge[place][2] }, .count("ended_\(age)") { $0.byAge[place][3] },
        .share("ended_\(age)_rate", { $0.byAge[place][3] }, of: { $0.byAge[place][2] }),
      ]
    },
    .count("churned") { $0.churned.reduce(0, +) },
    .each(["voluntary", "billing", "price_increase", "refund", "other"]) { place, reason in
      [.count("churned_\(reason)") { $0.churned[place] }]
    },
    .count("refund_at_risk", \.refundAtRisk), .count("refunded", \.refunded),
    .share("refund_rate", \.refunded, of: \.refundAtRisk), .number("median_days_to_cancel", medianDays),
  ]

  /// Returns the sums, with the times to the first cancellation; implements definitions 6.5.
  ///
  /// - Parameter asOf: As-of by app.
  private static func sumsOfRows(_ units: CellQuery, asOf: [NameID: Int64], grace: Int64) throws -> [RowKey: Sums] {
    var rows: [RowKey: Sums] = [:]
    try units.forEachRow(.trial) { key, credits, scan in
      guard credits[0].trialKind == TrialKind.introductory.rawValue else { return }
      let asOf = asOf[key.app] ?? .min
      var (matured, cancelled) = (0, 0)
      try scan { trials in
        trials.forEachTrial { trial in
          guard trial.deadline <= asOf else { return }
          matured += 1
          if trial.isCancelled { cancelled += 1 }
        }
      }
      if matured == 0 { return }
      rows[key, default: Sums()].trials += matured
      rows[key, default: Sums()].trialsCancelled += cancelled
    }
    try units.forEachRow(.purchase) { key, credits, scan in
      guard credits[0].plan != Int8(Plan.lifetime.rawValue) else { return }
      let asOf = asOf[key.app] ?? .min
      // Removed while they change, to avoid a copy.
      var sums = rows.removeValue(forKey: key) ?? Sums()
      try scan { purchases in
        purchases.forEachPurchase { purchase in
          sums.add(purchase, asOf: asOf, grace: grace)
          if let cancelledAt = purchase.firstCancelledAt {
            sums.cancelled.append(cancelledAt - purchase.start)
          } else {
            sums.censored.append((purchase.graceEnd <= asOf ? purchase.coverEnd : asOf) - purchase.start)
          }
        }
      }
      if sums.trials + sums.subscriptions > 0 { rows[key] = sums }
    }
    return rows
  }

  private static func medianDays(_ sums: Sums) -> Double? {
    let (times, cancelled, censored) = mergedTimes(sums.cancelled, sums.censored)
    return KaplanMeier.median(times: times, events: cancelled, censored: censored).map { Double($0) / Double(day) }
  }
}

extension Cancellations.Sums {
  /// Adds one purchase; implements definitions 6.2 and 6.3.
  fileprivate mutating func add(_ purchase: PurchaseUnit, asOf: Int64, grace: Int64) {
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
