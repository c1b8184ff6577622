extension ReportKind {
  public static let experiments = ReportKind(
    "experiments", "Experiments", "Which experiments are there, and what is each verdict?", .experiments,
    examples: ["experiments", "experiments --app steps"],
    refusing: [
      "by": "experiments are listed one per row", "attribution": "an experiment counts users by their exposure",
      "currency": "experiments are listed with their users, and have no amounts of money",
    ], reads: [.cells],
    columns: [
      .app, .core("experiment", "experiment", "", "Experiment, as events name it."),
      ColumnInfo("variants", "split", "", "Variants with their users."),
      ColumnInfo("control", "control", "", "The variant control, or the first by name."),
      .core("persons", "users", "users", "Users by their first exposure."),
      ColumnInfo("crossed", "saw two variants", "users", "Users who saw two variants and are not counted."),
      ColumnInfo("first_exposure", "first exposure", "instant", "First exposure of a user, in UTC."),
      ColumnInfo("last_exposure", "last exposure", "instant", "Last first exposure of a user, in UTC."),
      ColumnInfo("even_split_p", "p of an even split", "p", "Chi-squared test of even shares, for description only."),
    ].ruled(by: "8.1"), table: ExperimentList.report)

  private static let ofReadouts: [ReportOption] = ReportOption.common(
    by: [], among: ClientSegments.dimensions + Dimension.periods)

  public static let experiment = ReportKind(
    "experiment", "Readout", "Should you ship the experiment's variant, and how sure is that?", .experiments,
    options: [.experiment] + ofReadouts.filter { $0.name != "attribution" } + [.overTime],
    refusing: ["attribution": "an experiment counts users by their exposure"], reads: [.facts],
    columns: [
      .app, .core("experiment", "experiment", "", "Experiment, as events name it."),
      ColumnInfo("section", "section", "", "Part of the readout, such as verdict, metrics or segments."),
      .core("metric", "metric", "", "Metric that the value is about."),
      .core("variant", "variant", "", "Variant that the value is about."),
      ColumnInfo("slice", "slice", "", "Segment, day or other variant that the value is about."),
      .core("measure", "measure", "", "Name of the value, such as rate, difference or lift."),
      .core("value", "value", "", "Value; shares and lifts are fractions of 1."),
      .core("low", "low", "", "Lower end of the confidence interval."),
      .core("high", "high", "", "Upper end of the confidence interval."),
      ColumnInfo("unit", "unit", "", "Unit of the value: share, users or a currency."),
      ColumnInfo("text", "text", "", "Value that is not a number, such as the decision and its sentence."),
      ColumnInfo("method", "method", "", "Statistical method behind the value."),
      ColumnInfo("level", "level", "share", "Confidence level of the interval."),
      ColumnInfo("n", "users", "users", "Users that the value is computed from."),
      ColumnInfo("events", "outcomes", "users", "Users with the outcome."),
      ColumnInfo("at_risk", "still followed", "users", "Users who are still followed at this age."),
      ColumnInfo("information_fraction", "information", "share", "Share of the planned information at this look."),
      ColumnInfo("always_valid", "always valid", "", "Says whether the interval holds however often you look."),
      ColumnInfo("margin", "margin", "", "Margin of a guardrail, size or cap."),
      ColumnInfo("family_size", "comparisons", "", "Number of comparisons that share the error rate."),
      ColumnInfo("reason", "reason", "", "Reason for the decision, or why a value is missing."),
      ColumnInfo("golden", "reference cases", "", "Reference cases that pin the method."),
      ColumnInfo("role", "role", "", "Role of the metric: goal, money, long_term, guardrail or secondary."),
      ColumnInfo("direction", "better", "", "Direction that is better: up, down or neither."),
      ColumnInfo(
        "conditional_on", "conditional on", "", "Group that the outcome selects: users with trials, or payers."),
    ], make: { .readout(try Experiments.report($0, $1.options, $1.experiment)) })

  public static let replay = ReportKind(
    "aa-replay", "A/A replay", "How often does each method find a difference that is not there?", .experiments,
    options: [.app, .from, .to, .timeZone, .asOf, .grace], reads: [.events],
    columns: [
      .app, .core("metric", "metric", "", "Outcome that counts as a conversion.", rule: "8.2"),
      .core("method", "method", "", "Statistical method that looks at the replays."),
      .core("made_for", "made for", "", "Looks that the method allows: one at the end, or daily."),
      ColumnInfo("users", "users", "users", "Past users who are split at random."),
      ColumnInfo("looks", "looks", "looks", "Daily looks of each replay."),
      ColumnInfo("repetitions", "replays", "replays", "Number of random splits."),
      ColumnInfo("end_alarms", "alarms at the end", "replays", "Replays with a false alarm at the last look."),
      ColumnInfo("daily_alarms", "alarms, daily looks", "replays", "Replays with a false alarm at any daily look."),
      .core("end_rate", "false alarms at the end", "share", "Share of replays with a false alarm at the last look."),
      .core("daily_rate", "false alarms, daily", "share", "Share of replays with a false alarm at any daily look."),
      .core("end_reading", "at the end", "", "Reading of the false alarms at the last look."),
      .core("daily_reading", "daily", "", "Reading of the false alarms at daily looks."),
    ], table: { try AAReplays.report($0, $1, metric: .paid, repetitions: 1_000, seed: 1) })

  public static let health = ReportKind(
    "health", "Health", "Can you trust the data behind the reports?", .data, options: [.app, .sort, .limit],
    reads: [.events],
    columns: [
      .app, .core("check", "finding", "", "Data-quality check."),
      .core("cases", "cases", "cases", "Number of cases found."),
      ColumnInfo("of", "of", "cases", "Number of cases that there could be."),
      .core("share", "share", "share", "Cases as a share of what there could be."),
      .core("severity", "severity", "", "Severity: ok, notice or warning."),
      .core("affects", "affects", "", "Reports whose numbers depend on it."),
      ColumnInfo("meaning", "meaning", "", "Explanation in one sentence."),
      ColumnInfo("days", "days", "", "Days of the cases in UTC, such as 2026-01-18 2026-01-20..2026-01-22."),
    ], table: Health.report)

  /// The folder of pages, which has several reports; not in ``all``.
  public static let page = ReportKind(
    "report", "Report", "What changed, and what do all reports say about each app?", .data, by: [.variant],
    own: [.unit, .horizon], reads: [.events], columns: [], make: { .tables(try PageReports($0, $1.options).reports) })

  public static let quarantine = ReportKind(
    "quarantine", "Quarantine", "Which lines were rejected, and why?", .data, options: [.reason, .sort, .limit],
    reads: [.cells],
    columns: [
      .core("file", "file", "", "File of the rejected line."),
      .core("line", "line", "", "Number of the line in its file."),
      ColumnInfo("id", "id", "", "Number that `tollgate quarantine show` takes."),
      .core("reason", "reason", "", "Reason for the rejection."),
      .core("field", "field", "", "Field that the reason is about."),
      ColumnInfo("raw", "raw text", "", "Text of the line."),
    ], make: { .tables([Quarantine.report(try $0.quarantine(reason: $1.reason))]) })

  public static let rates = ReportKind(
    "rates", "Exchange rates", "Which currencies and days have an exchange rate?", .data, options: [.sort, .limit],
    reads: [.cells],
    columns: [
      .currency,
      .core("source", "source", "", "Source of the rates: imported, or events with prices in two currencies."),
      .core("rates", "rates", "days", "Days with a rate.", rule: "1.4"),
      ColumnInfo("payments", "from payments", "payments", "Number of payments that the rates come from."),
      .core("first_day", "first day", "day", "First day with a rate.", rule: "1.4"),
      .core("last_day", "last day", "day", "Last day with a rate.", rule: "1.4"),
      .core("last_usd_per_unit", "last rate", "US dollars", "US dollars per unit on the last day.", rule: "1.4"),
      ColumnInfo("longest_gap", "longest gap", "days", "Most days between two rates.", rule: "1.4"),
    ], make: { snapshot, _ in .tables([try Rates.report(snapshot)]) })

  public static let reconcile = ReportKind(
    "reconcile", "Vendors' numbers", "Why does the App Store, or another vendor, show different numbers?", .data,
    options: [.app, .from, .to, .last, .filter, .timeZone, .asOf, .grace, .currency, .mode(.net)] + ReportOption.bridge
      + ReportOption.rows, reads: [.events],
    columns: [
      .app, .core("product", "product", "", "Product of the store."),
      .core("measure", "measure", "", "Event that the store counts."),
      .core("reported", "reported", "events", "Count in the store's report."),
      .core("stored", "stored", "events", "Count of the events in the store file."),
      .core("difference", "difference", "events", "Stored minus reported count."),
      .core("share", "share", "share", "Difference as a share of the reported count."),
      ColumnInfo("report", "report", "", "Report of the store that the count is from."),
      ColumnInfo("scope", "scope", "", "With --vendor: the days and filters asked for.", rule: "13.2"),
      ColumnInfo("step", "step", "", "With --vendor: number of the row; 0 for our number.", rule: "13.2"),
      ColumnInfo(
        "switch", "rule", "", "With --vendor: our number, each rule of the vendor's, and its number.", rule: "13.1"),
      ColumnInfo("from", "ours", "", "With --vendor: our setting of the rule.", rule: "13.1"),
      ColumnInfo("to", "theirs", "", "With --vendor: the vendor's setting of the rule.", rule: "13.1"),
      ColumnInfo(
        "state", "state", "", "With --vendor: stated, contradictory or assumed, by the vendor's documentation.",
        rule: "13.5"),
      ColumnInfo("before", "before", "number", "With --vendor: the number before the step.", rule: "13.2"),
      ColumnInfo("after", "number", "number", "With --vendor: the number after the step.", rule: "13.2"),
      ColumnInfo("part", "part", "number", "With --vendor: the change that the step makes.", rule: "13.2"),
    ]
      + [
        ColumnInfo("units_in", "in", "units", "With --vendor: units that only the vendor's rule counts."),
        ColumnInfo("units_out", "out", "units", "With --vendor: units that only our rule counts."),
        ColumnInfo(
          "units_revalued", "changed", "units",
          "With --vendor: units that both rules count, with another outcome or amount."),
        ColumnInfo(
          "source", "source", "",
          "With --vendor: page of the vendor's documentation; in the row missing, what your events lack.", rule: "13.5"),
        ColumnInfo("explain", "command", "", "With --vendor: command that lists the units of the step."),
        ColumnInfo("user", "user", "", "With --step: user whom the step changes."),
        ColumnInfo("at", "at", "instant", "With --step: start of the trial or subscription, or time of the payment."),
        ColumnInfo("change", "change", "", "With --step: in, out or changed."),
        ColumnInfo("met_before", "before", "number", "With --step: the unit's part of the numerator before the step."),
        ColumnInfo("of_before", "of", "number", "With --step: its part of the denominator before the step."),
        ColumnInfo("met_now", "now", "number", "With --step: its part of the numerator after the step."),
        ColumnInfo("of_now", "of", "number", "With --step: its part of the denominator after the step."),
      ].ruled(by: "13.4"), charts: [.bridge],
    make: { snapshot, request in
      if let bridge = try request.bridge.question(by: .none) {
        return .tables([try Bridge.report(snapshot, request.options, bridge)])
      }
      var options = request.options
      if !request.given.contains(where: { $0.option == "timezone" }) { options.timeZone = Reconciliation.timeZone }
      return .tables([try Reconciliation.report(snapshot, options, by: .month, products: [:])])
    })
}
