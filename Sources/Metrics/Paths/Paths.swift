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
      columns: query.keyColumns + [ReportColumn("users", .count)] + plan.steps.flatMap { PathSums.columns(of: $0.name) }
        + [ReportColumn("immature", .count)],
      rows: query.rows(sumsOfRows) { values($1, plan) },
      totals: query.totals(sumsOfRows) { $0.add($1) }.map { $0 + values($1, plan) })
  }

  private static func values(_ sums: PathSums, _ plan: PathPlan) -> [ReportValue] {
    var before = sums.users
    var values: [ReportValue] = [.count(sums.users)]
    for (place, step) in plan.steps.enumerated() {
      values += sums.values(of: place, before: before)
      if !step.isOptional { before = sums.steps[place].reached }
    }
    return values + [.count(sums.immature)]
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
      columns: query.keyColumns + [ReportColumn("users", .count)]
        + steps.flatMap { step in
          PathSums.columns(of: step.rawValue) + (step == .started ? outcomes : [])
        } + [ReportColumn("immature", .count)],
      rows: query.rows(sumsOfRows) { values($1, steps) },
      totals: query.totals(sumsOfRows) { $0.add($1) }.map { $0 + values($1, steps) })
  }

  private static func values(_ sums: CheckoutPath.Sums, _ steps: [CheckoutPath.Step]) -> [ReportValue] {
    [.count(sums.path.users)]
      + steps.indices.flatMap { place -> [ReportValue] in
        // Users can start without a sheet.
        let before = steps[place] == .paid ? sums.path.steps[place - 1].reached : sums.path.users
        let values = sums.path.values(of: place, before: before)
        switch steps[place] {
        case .sheet: return sums.lacksSheets ? values.map { _ in .rate(nil) } : values
        case .started: return values + outcomes(sums)
        case .paid: return values
        }
      } + [.count(sums.path.immature)]
  }

  private static let outcomes =
    ["started_with_sheet", "sheet_left", "dismissed", "no_trace"].map { ReportColumn($0, .count) }
    + ReportColumn.rate("abandonment_rate") + ReportColumn.rate("bounce_rate")

  private static func outcomes(_ sums: CheckoutPath.Sums) -> [ReportValue] {
    let none = ReportValue.rate(nil)
    if sums.lacksSheets {
      return [none, none, .count(sums.dismissed), .count(sums.noTrace)] + Array(repeating: none, count: 6)
    }
    return [
      .count(sums.startedWithSheet), .count(sums.sheetLeft), .count(sums.dismissed), .count(sums.noTrace),
    ] + ReportValue.share(sums.sheetLeft, of: sums.path.steps[0].reached)
      + ReportValue.share(sums.dismissed + sums.noTrace, of: sums.path.users)
  }
}
