internal import Lifecycle
internal import Statistics
public import Store

/// Reports trial to paid conversion (definitions 4).
public enum Trials {
  struct Sums {
    var trials = 0
    var converted = 0
    var lapsed = 0
    var pendingRenewing = 0
    var pendingCancelled = 0
    var matured = 0
    var maturedConverted = 0
    var maturedIntroductory = 0
    var cancelled = 0
    var incidence: AalenJohansen?

    /// Adds one trial; implements definitions 2.5, 4.2, 4.3, 4.4 and 4.5.
    mutating func add(_ trial: TrialUnit, isIntroductory: Bool, asOf: Int64) {
      // An app's own trial does not renew, so a pending one counts as renewing.
      let isOff = isIntroductory && trial.isCancelled
      trials += 1
      let isMatured = trial.deadline <= asOf
      if isMatured {
        matured += 1
        if isIntroductory { maturedIntroductory += 1 }
        if isOff { cancelled += 1 }
      }
      if trial.convertedAt != nil {
        converted += 1
        if isMatured { maturedConverted += 1 }
      } else if isMatured {
        lapsed += 1
      } else if isOff {
        pendingCancelled += 1
      } else {
        pendingRenewing += 1
      }
    }
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, by: .trials)
    let sumsOfRows = try sumsOfRows(CellQuery(query, [.trial]), asOf: query.asOfs)
    return query.report(
      "trials", title: "Trial to paid",
      definition: [
        "trials: by the day of their start. trials = converted + lapsed + pending, which are renewing or cancelled "
          + "(4.2)",
        "trial_to_paid_rate: converted ÷ matured. A trial is matured once its end and grace are past (4.3). "
          + "floor_rate and ceiling_rate: if none, or all, of the open trials convert (4.4)",
        "cancelled: matured introductory trials with auto-renew off at their end (4.5)",
        "cumulative_incidence: Aalen–Johansen estimate over all trials. Open ones count for as long as they were "
          + "observed (4.6)",
      ],
      columns: query.keyColumns + columns,
      rows: query.rows(sumsOfRows) { _, sums in values(sums) })
  }

  private static let columns: [ReportColumn] =
    [
      "trials", "converted", "lapsed", "pending_renewing", "pending_cancelled", "matured", "matured_converted",
    ].map { ReportColumn($0, .count) }
    + ReportColumn.rate("trial_to_paid_rate")
    + [ReportColumn("floor_rate", .rate), ReportColumn("ceiling_rate", .rate), ReportColumn("cancelled", .count)]
    + ReportColumn.rate("cancel_rate") + ReportColumn.estimate("cumulative_incidence", of: .incidence)
    + [ReportColumn("matured_introductory", .count, isBasis: true)]

  private static func values(_ sums: Sums) -> [ReportValue] {
    [
      .count(sums.trials), .count(sums.converted), .count(sums.lapsed), .count(sums.pendingRenewing),
      .count(sums.pendingCancelled), .count(sums.matured), .count(sums.maturedConverted),
    ]
      + ReportValue.share(sums.maturedConverted, of: sums.matured)
      + [
        .plainShare(sums.converted, of: sums.trials),
        .plainShare(sums.converted + sums.pendingRenewing + sums.pendingCancelled, of: sums.trials),
        .count(sums.cancelled),
      ]
      + ReportValue.share(sums.cancelled, of: sums.maturedIntroductory)
      + (sums.incidence.map { ReportValue.incidence($0, matured: sums.matured) } ?? [
        .rate(nil), .rate(nil), .rate(nil), .number(nil),
      ]) + [.count(sums.maturedIntroductory)]
  }

  /// Returns the sums, with the curve of ``CompetingTimes``.
  ///
  /// - Parameter asOf: As-of by app.
  private static func sumsOfRows(_ units: CellQuery, asOf: [NameID: Int64]) throws -> [RowKey: Sums] {
    var rows: [RowKey: (sums: Sums, ends: CompetingTimes)] = [:]
    try units.forEachRow(.trial) { key, credits, scan in
      let asOf = asOf[key.app] ?? .min
      let isIntroductory = credits[0].trialKind == TrialKind.introductory.rawValue
      // Removed from the rows while they change, to avoid a copy.
      var (sums, ends) = rows.removeValue(forKey: key) ?? (Sums(), CompetingTimes())
      try scan { trials in
        trials.forEachTrial { trial in
          sums.add(trial, isIntroductory: isIntroductory, asOf: asOf)
          if let convertedAt = trial.convertedAt {
            ends.add(happenedAfter: convertedAt - trial.start)
          } else if trial.deadline <= asOf {
            ends.add(missedAfter: trial.deadline - trial.start)
          } else {
            ends.add(openAfter: asOf - trial.start)
          }
        }
      }
      if sums.trials > 0 { rows[key] = (sums, ends) }
    }
    return rows.mapValues { sums, ends in
      var sums = sums
      if sums.matured > 0 { sums.incidence = ends.curve() }
      return sums
    }
  }
}
