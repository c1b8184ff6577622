public import Metrics
import Statistics

/// Returns a program as one table for readers: sentences above, then one row per test.
public func programTable(_ report: ProgramReport) -> Report {
  Report(
    name: "program", title: "Tests of \(report.app)",
    definition: ProgramText(report).sentences + [
      "lift: how many more users paid in the shipped variant, or else in the best one, than in control",
      "corrected: the lift, moved towards 0 because part of a winner's lift is luck",
      "a year: first-30-day revenue from a year's new users, corrected like the lift",
    ],
    parameters: [], asOf: [Report.AppInstant(app: report.app, asOf: report.asOf, notes: [])],
    columns: .keys("experiment").texts("change", "owner", "state").counts("users")
      .texts("decision", "variant", "lift", "corrected", "a_year", "shipped", "outcome"),
    rows: report.tests.map { test in
      [
        .text(test.experiment), .text(test.plan.map { $0.change?.rawValue ?? undefinedMark } ?? "unplanned"),
        .text(test.plan?.owner ?? undefinedMark), .text(test.state.rawValue), .count(test.users),
        .text(decisionText(test)), .text(test.variant ?? undefinedMark),
        .text(test.effect.map { test.isOfFew ? "too few" : ProgramText.lift($0.value) } ?? undefinedMark),
        .text(test.shrunken.flatMap { test.isOfFew ? nil : ProgramText.lift($0) } ?? undefinedMark),
        .text(
          test.correctedAnnual.map { "\(ProgramText.amount($0)) \(test.currency ?? "")" } ?? undefinedMark),
        .text(shippedText(test)), .text(test.plan?.outcome.map(words) ?? undefinedMark),
      ]
    })
}

private func decisionText(_ test: ProgramReport.Test) -> String {
  guard let decision = test.decision else { return "no users yet" }
  return decision == .none ? "no verdict: \(test.reason.replacing("_", with: " "))" : words(decision)
}

private func words(_ decision: ExperimentDecision.Outcome) -> String {
  decision.rawValue.replacing("_", with: " ")
}

private func shippedText(_ test: ProgramReport.Test) -> String {
  if let day = test.plan?.shippedOn { return String(instantText(day).prefix(10)) }
  return test.isShipped ? "yes" : "no"
}

/// The table for a store without experiments and plans.
public let emptyProgram = {
  var report = Report(
    name: "program", title: "Program", definition: [], parameters: [], asOf: [], columns: [], rows: [])
  report.emptyNote = "The store has no experiments: send events with experiment and variant."
  return report
}()

/// Returns programs in long form, one value per row, for CSV and JSON; effects and their sum are on the log scale.
public func programRows(_ reports: [ProgramReport]) -> Report {
  Report(
    name: "program", title: "Program", definition: ["effects and their sum are on the log scale (D9)"],
    parameters: [], asOf: reports.map { Report.AppInstant(app: $0.app, asOf: $0.asOf, notes: []) },
    columns: .keys("app", "section", "experiment", "measure").figures("value", "low", "high").texts("unit").counts("n")
      .texts("text"),
    rows: reports.flatMap { report in
      (report.tests.flatMap(testRows) + summaryRows(report) + nextRows(report)).map { $0.values(report.app) }
    })
}

private struct ProgramRow {
  var section: String
  var experiment = ""
  var measure: String
  var value: Double?
  var interval: Interval?
  var unit = ""
  var count: Int?
  var text = ""

  func values(_ app: String) -> [ReportValue] {
    [
      .text(app), .text(section), .text(experiment), .text(measure), .number(value), .number(interval?.low),
      .number(interval?.high), .text(unit), count.map { .count($0) } ?? .percent(nil), .text(text),
    ]
  }
}

private func testRows(_ test: ProgramReport.Test) -> [ProgramRow] {
  func row(
    _ measure: String, _ value: Double? = nil, unit: String = "", count: Int? = nil, text: String = ""
  ) -> ProgramRow {
    ProgramRow(
      section: "tests", experiment: test.experiment, measure: measure, value: value, unit: unit, count: count,
      text: text)
  }
  let effect = test.isOfFew ? nil : test.effect
  return [
    row("state", text: test.state.rawValue), row("planned", text: test.plan == nil ? "no" : "yes"),
    row("users", count: test.users),
    row("decision", text: test.decision?.rawValue ?? ""), row("reason", text: test.reason),
    row("variant", text: test.variant ?? ""),
    row("log_lift", effect?.value, unit: "log_lift"), row("se", effect?.standardError, unit: "log_lift"),
    row("shrunken", effect == nil ? nil : test.shrunken, unit: "log_lift"),
    row("annual_impact", test.annual, unit: test.currency ?? ""),
    row("annual_impact_corrected", test.correctedAnnual, unit: test.currency ?? ""),
    row("shipped", text: test.isShipped ? "yes" : "no"),
    row("shipped_on", text: test.plan?.shippedOn.map { String(instantText($0).prefix(10)) } ?? ""),
    row("planned_on", text: test.plan?.plannedOn.map { String(instantText($0).prefix(10)) } ?? ""),
    row("outcome", text: test.plan?.outcome?.rawValue ?? ""), row("owner", text: test.plan?.owner ?? ""),
    row("change", text: test.plan?.change?.rawValue ?? ""), row("hypothesis", text: test.plan?.hypothesis ?? ""),
  ]
}

private func summaryRows(_ report: ProgramReport) -> [ProgramRow] {
  func rate(_ measure: String, _ rate: ProgramReport.Rate) -> ProgramRow {
    ProgramRow(
      section: "summary", measure: measure, value: rate.value, interval: rate.interval, unit: "share", count: rate.of)
  }
  let shipped = report.shipped
  return [
    ProgramRow(
      section: "summary", measure: "sum_measured", value: shipped?.measured, unit: "log_lift", count: shipped?.tests),
    ProgramRow(
      section: "summary", measure: "sum", value: shipped?.corrected, interval: shipped?.interval, unit: "log_lift",
      count: shipped?.tests),
  ]
    + (shipped?.annual ?? []).map {
      ProgramRow(section: "summary", measure: "annual_impact_corrected", value: $0.value, unit: $0.currency)
    } + [rate("win_rate", report.wins), rate("learning_rate", report.learned)]
    + report.kinds.map { kind in
      var row = rate("win_rate:\(kind.change.rawValue)", kind.wins)
      if !kind.isReadable {
        (row.value, row.interval, row.text) = (nil, nil, "too few")
      }
      return row
    } + ProgramText(report).sentences.map { ProgramRow(section: "summary", measure: "sentence", text: $0) }
}

private func nextRows(_ report: ProgramReport) -> [ProgramRow] {
  guard let next = report.next else { return [] }
  func row(_ measure: String, _ value: Double, _ unit: String) -> ProgramRow {
    ProgramRow(
      section: "next_test", measure: measure, value: value, unit: unit,
      text: next.chances.usesPriorAlone ? "prior alone" : "")
  }
  return [
    row("persons_a_day", next.usersPerDay, "persons"), row("control_rate", next.controlRate, "share"),
  ] + next.chances.lengths.map { row("chance_\($0.days)_days", $0.chance, "share") } + [
    row("worthwhile_days", Double(next.chances.worthwhile.days), "days"),
    row("worthwhile_chance", next.chances.worthwhile.chance, "share"),
  ]
}
