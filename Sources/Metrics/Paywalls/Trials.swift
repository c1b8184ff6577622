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
      columns: columns, rows: query.rows(sumsOfRows))
  }

  private static let columns: [SumsColumn<Sums>] = [
    .count("trials", \.trials), .count("converted", \.converted), .count("lapsed", \.lapsed),
    .count("pending_renewing", \.pendingRenewing), .count("pending_cancelled", \.pendingCancelled),
    .count("matured", \.matured), .count("matured_converted", \.maturedConverted),
    .share("trial_to_paid_rate", \.maturedConverted, of: \.matured),
    .plainShare("floor_rate", \.converted, of: \.trials),
    .plainShare("ceiling_rate", { $0.trials - $0.lapsed }, of: \.trials), .count("cancelled", \.cancelled),
    .share("cancel_rate", \.cancelled, of: \.maturedIntroductory),
    .incidence("cumulative_incidence", \.incidence, matured: \.matured),
    .count("matured_introductory", \.maturedIntroductory).basis,
  ]

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
