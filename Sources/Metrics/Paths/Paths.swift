internal import Lifecycle
public import Store

/// Reports how far users come along a path, and how long each step takes (definitions 11).
public enum Paths {
  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, by: .paths)
    guard var plan = options.path else { return try checkout(query) }
    if let step = options.lastStep {
      let names = plan.steps.map(\.name)
      guard let cut = plan.cut(after: step) else { throw ReportError.unknownStep(step, known: names) }
      plan = cut
    }
    if options.horizon != nil { throw ReportError.horizonOfSteps }
    let (sumsOfRows, horizons) = try PathWalk.sumsOfRows(query, plan)
    return query.report(
      "paths", title: "Path \(plan.name)", definition: definition,
      own: parameters(query, horizons, name: plan.name), readsEvents: true,
      notes: { query.horizonNotes($0, horizons) },
      columns: columns(plan), rows: query.rows(sumsOfRows), totals: query.totals(sumsOfRows) { $0.add($1) })
  }

  private static func columns(_ plan: PathPlan) -> [SumsColumn<PathSums>] {
    var columns: [SumsColumn<PathSums>] = [.count("users", \.users)]
    var before: Int?
    for (place, step) in plan.steps.enumerated() {
      columns.append(
        SumsColumn(PathSums.columns(of: step.name)) { [before] sums, _ in
          sums.values(of: place, before: before.map { sums.steps[$0].reached } ?? sums.users)
        })
      if !step.isOptional { before = place }
    }
    return columns + [.count("immature", \.immature)]
  }

  private static func parameters(
    _ query: ReportQuery, _ horizons: [NameID: Int64], name: String
  ) -> [Report.Parameter] {
    [
      Report.Parameter(name: "path", value: name),
      Report.Parameter(name: "to_step", value: query.options.lastStep ?? "last"),
      Report.Parameter(name: "unit", value: query.options.unit.rawValue), query.horizonParameter(horizons),
    ]
  }

  private static let definition = [
    "users: by the first event ever that starts the path, at least a horizon before the end of the data. Later users "
      + "are too recent to count (immature) (11.1, 11.6)",
    "NAME_rate: of users; NAME_step_rate: of those who reached the required step before; both with Wilson's 95% "
      + "interval. NAME_dropped: reached the step before and not this one (11.7)",
    "NAME_incidence: Aalen–Johansen estimate over all users who reached the step's start, including the most recent. "
      + "NAME_hours: until a quarter, half and three quarters of those who get there have got there (11.8)",
  ]

  private static func checkout(_ query: ReportQuery) throws -> Report {
    var steps = CheckoutPath.Step.allCases
    if let name = query.options.lastStep {
      guard let last = CheckoutPath.Step(rawValue: name), let place = steps.firstIndex(of: last) else {
        throw ReportError.unknownStep(name, known: steps.map(\.rawValue))
      }
      steps = Array(steps[...place])
    }
    let (sumsOfRows, horizons) = try CheckoutPath.sumsOfRows(query, steps: steps.count)
    let lacking = Set(sumsOfRows.filter { $0.value.lacksSheets }.map(\.key.app))
    return query.report(
      "paths", title: "From the first paywall to payment",
      definition: [
        "sheet: opened the store's purchase sheet within 7 d of the first paywall; started: began an introductory "
          + "trial or bought in that time; paid: after that trial or at once (3.2, 11.2)",
        "Of those who did not start: sheet_left opened the sheet, dismissed closed the paywall without a sheet, "
          + "no_trace did neither. abandonment_rate: sheet_left ÷ sheet; bounce_rate: dismissed and no_trace ÷ users "
          + "(11.2)",
      ] + definition,
      own: parameters(query, horizons, name: PathPlan.checkoutName), readsEvents: true,
      notes: { app in
        query.horizonNotes(app, horizons)
          + (lacking.contains(app.id)
            ? ["rows without any purchase_started event leave the sheet's columns empty"] : [])
      },
      columns: columns(steps), rows: query.rows(sumsOfRows), totals: query.totals(sumsOfRows) { $0.add($1) })
  }

  private static func columns(_ steps: [CheckoutPath.Step]) -> [SumsColumn<CheckoutPath.Sums>] {
    var columns: [SumsColumn<CheckoutPath.Sums>] = [.count("users", \.path.users)]
    for (place, step) in steps.enumerated() {
      columns.append(
        SumsColumn(PathSums.columns(of: step.rawValue)) { sums, _ in
          // Users can start without a sheet.
          let before = step == .paid ? sums.path.steps[place - 1].reached : sums.path.users
          let values = sums.path.values(of: place, before: before)
          return step == .sheet && sums.lacksSheets ? values.map { _ in .rate(nil) } : values
        })
      if step == .started { columns += outcomes }
    }
    return columns + [.count("immature", \.path.immature)]
  }

  private static let outcomes: [SumsColumn<CheckoutPath.Sums>] = [
    .count("started_with_sheet") { $0.lacksSheets ? nil : $0.startedWithSheet },
    .count("sheet_left") { $0.lacksSheets ? nil : $0.sheetLeft }, .count("dismissed", \.dismissed),
    .count("no_trace", \.noTrace),
    .share("abandonment_rate", \.sheetLeft, of: { $0.lacksSheets ? nil : $0.path.steps[0].reached }),
    .share("bounce_rate", { $0.dismissed + $0.noTrace }, of: { $0.lacksSheets ? nil : $0.path.users }),
  ]
}
