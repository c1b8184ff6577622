import Basics
import EventModel
import Metrics
import Statistics

/// Returns the charts of a report; each shows data of the report's table.
///
/// - Parameters:
///   - before: The report of the days before, for charts over time.
///   - marks: Notes, app versions and tests by day.
///   - apps: All apps of the store, for their colours.
///   - stepLink: Returns the address of the users of a step from our number to a vendor's.
func charts(
  of report: Report, comparedWith before: Report? = nil, _ comparison: ReportComparison? = nil, marks: [TimeMark] = [],
  apps: [String] = [], stepLink: ((String) -> String?)? = nil
) -> [Chart] {
  var report = report
  if let place = report.place(ofKey: "currency"),
    let main = TableBuilder.currency(report), !TableBuilder.needsCurrencies(report)
  {
    // That of the tiles and the table, which names the others.
    report.rows.removeAll { $0[place] != .text(main) }
  }
  var table = ChartTable(report)
  (table.marks, table.apps, table.stepLink) = (marks, apps, stepLink)
  if let before, let comparison { table.before = (ChartTable(before).rows, comparison) }
  if table.rows.isEmpty { return [] }
  if report.name == "why" { return driverCharts(report) }
  return (ReportKind.of(report)?.charts ?? []).flatMap { chart -> [Chart] in
    switch chart {
    case .steps: return stepCharts(table)
    case .path: return pathCharts(table)
    case .intervals(let rate, let title, let subtitle):
      return intervalCharts(inOrder(table, of: report), rate: rate, title: title, subtitle: subtitle)
    case .byPeriod(let columns, let title, let subtitle):
      let kind =
        report.name == "revenue"
        ? "\((report.parameter("mode") ?? "net").capitalizedFirst) \(title.lowercasedFirst)" : title
      return columns.first(where: table.has).map {
        periodCharts(table, value: $0, title: kind, subtitle: subtitle)
      } ?? []
    case .movement: return waterfalls(table)
    case .survival where table.has("survival_2"):
      return heatMaps(
        table, ages: numbers("survival_", of: table), title: "Still paying",
        subtitle: "by first payment and payment number", word: "payment")
    case .survival where table.period != nil:
      return heatMaps(
        table, ages: numbers("survival_", of: table), title: "Still subscribed",
        subtitle: "by first payment and days since", unit: " d")
    case .survival: return survivalCharts(table)
    case .value: return valueCharts(table)
    case .bridge: return bridgeCharts(table)
    }
  }
}

let mostDrawnRows = 40
/// Such as `, by entry point`; empty for rows by variant, or of all users.
private func by(_ rows: [ChartTable.Row]) -> String {
  let names = rows[0].keys.map(\.name)
  return names.isEmpty || names == ["variant"] ? "" : ", by \(listText(names.map(columnWords)))"
}

private func rateText(_ share: Double?, _ bounds: ClosedRange<Double>?) -> String {
  guard let share else { return undefinedMark }
  return ChartUnit.share.value(share) + (bounds.map { "  \(boundsText($0))" } ?? "")
}

/// Returns charts of the users of each row who reached each step (definitions 3).
private func stepCharts(_ table: ChartTable) -> [Chart] {
  table.groups.compactMap { app, rows in
    let rows = rows.filter { $0.count("users") ?? 0 > 0 }
    // Two bars of one group say no more than its row.
    let isBare = rows.count == 1 && (rows[0].count("trial_users") ?? 0) == 0
    if rows.isEmpty || isBare || rows.count > chartSeriesLimit || table.period != nil { return nil }
    let hasTrials = rows.contains { $0.count("trial_users") ?? 0 > 0 }
    return StepsChart(
      title: "From the first paywall to payment\(by(rows))" + (table.isOneApp ? "" : ": \(app)"),
      subtitle: "shares of the users who saw a paywall; pale: left before the step, or paid without a trial",
      groups: rows.map { StepsChart.Group($0.keys.isEmpty ? app : $0.label(), funnel: $0, hasTrials: hasTrials) },
      order: table.order(of: rows[0].app), wholes: ("of viewers", "of trials"), isNumbered: true
    ).chart
  } + rateCharts(table)
}

/// Returns charts of the users of each row who reached each step of a path (definitions 11).
private func pathCharts(_ table: ChartTable) -> [Chart] {
  let ending = "_dropped"
  let steps = table.columnNames.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
  return table.groups.compactMap { app, rows in
    let rows = rows.filter { $0.count("users") ?? 0 > 0 }
    if rows.isEmpty || rows.count > chartSeriesLimit || table.period != nil { return nil }
    let groups = rows.map { row in
      StepsChart.Group(
        name: row.keys.isEmpty ? app : row.label(), users: row.count("users") ?? 0,
        steps: [StepsChart.Step(name: "entered", short: "all", reached: row.count("users"))]
          + steps.map { step in
            let hours = row.number("\(step)_hours_p50").map { ChartUnit.text($0, decimals: 1) }
            return StepsChart.Step(
              name: ReportKind.paths.info(of: ReportColumn("\(step)_rate", .rate))?.heading ?? step,
              short: step.replacing("_", with: " "), reached: row.count(step),
              before: (row.count(step) ?? 0) + (row.count("\(step)\(ending)") ?? 0), bounds: row.bounds("\(step)_rate"),
              details: hours.map { ["half of them within \($0) hours"] } ?? [])
          })
    }
    return StepsChart(
      title: "Steps of the path" + (table.isOneApp ? "" : ": \(app)"),
      subtitle: "shares of the users who entered; pale: left before the step", groups: groups,
      order: table.order(of: rows[0].app)
    ).chart
  }
}

extension StepsChart.Group {
  /// Creates the steps of a funnel's row.
  ///
  /// - Parameter hasTrials: Whether any group has trials; else users paid or did not.
  init(_ name: String, funnel row: ChartTable.Row, hasTrials: Bool = true) {
    func count(_ name: String) -> Int { row.count(name) ?? 0 }
    let trials = [
      StepsChart.Step(
        name: "Started a trial", short: "Trial", reached: count("trial_users"), before: count("users"),
        bounds: row.bounds("trial_rate")),
      StepsChart.Step(
        name: "Paid after it", short: "After", reached: row.count("trial_paid_users"), before: count("trial_users")),
      StepsChart.Step(
        name: "Paid without a trial", short: "At once", reached: row.count("direct_paid_users"),
        bounds: row.bounds("direct_rate")),
    ]
    self.init(
      name: name, users: count("users"),
      steps: [StepsChart.Step(name: "Saw a paywall", short: "Saw", reached: count("users"))]
        + (hasTrials ? trials : []) + [
          StepsChart.Step(
            name: hasTrials ? "Paid, in all" : "Paid", short: "Paid", reached: row.count("paid_users"),
            lighter: hasTrials ? count("direct_paid_users") : 0, bounds: row.bounds("paid_rate"))
        ])
  }
}

/// Returns the rows of each label without the period, in the order in which labels come first.
func series(
  of group: ChartTable.Group, without period: String
) -> [(name: String, rows: [ChartTable.Row])] {
  group.rows.inGroups { group.name(of: $0, without: [period]) }.map { (name: $0, rows: $1) }
}

/// The share of viewers who pay, by period of the first paywall.
private func rateCharts(_ table: ChartTable) -> [Chart] {
  guard let period = table.period, table.has("paid_rate") else { return [] }
  return table.groups(joining: chartSeriesLimit, without: [period]).compactMap { group in
    let rows = group.rows
    let series = series(of: group, without: period)
    let keys = table.keys(of: rows, by: period)
    if series.count > chartSeriesLimit || keys.count < 2 { return nil }
    let periods = table.periods(keys, of: period, app: group.app)
    let lines = series.map { name, rows in
      LineChart.Line(
        name: name.isEmpty ? group.title : name,
        points: rows.compactMap { row in
          guard let key = row.key(period), let place = keys.firstIndex(of: key), let rate = row.share("paid_rate")
          else {
            return nil
          }
          let open = row.count("immature") ?? 0
          let of = "\(countText(row.count("paid_users") ?? 0)) of \(counted(row.count("users") ?? 0, "viewer")) paid"
          return LineChart.Point(
            x: Double(place), y: rate, bounds: row.bounds("paid_rate"),
            note: open > 0 ? "\(of), \(countText(open)) can still buy" : of, isSettled: open == 0,
            part: periods[place].note)
        })
    }
    let open = lines.flatMap(\.points).filter { !$0.isSettled }.map(\.x).min()
    let places = table.places(of: group.app, in: keys, of: period)
    var earlier: [LineChart.Point] = []
    if let before = table.before, lines.count == 1 {
      earlier = keys.enumerated().compactMap { place, key in
        guard let label = before.comparison.label(before: key, of: period),
          let row = before.rows.first(where: { $0.app == group.app && $0.key(period) == label }),
          let rate = row.share("paid_rate")
        else { return nil }
        return LineChart.Point(x: Double(place), y: rate, bounds: row.bounds("paid_rate"))
      }
    }
    return LineChart(
      title: "Viewers who pay" + table.suffix(group),
      subtitle: "by \(period) of the first paywall, 95% interval", lines: lines,
      order: table.order(of: group.app ?? ""), color: table.color(of: group.app), unit: .share,
      xText: { periods.indices.contains(Int($0)) ? periods[Int($0)].label : "" }, xName: period.capitalizedFirst,
      before: earlier, hasDots: keys.count <= 31, openFrom: open, marks: places
    ).chart
  }
}

/// Returns the rows that the report's own table shows, in its order.
private func inOrder(_ table: ChartTable, of report: Report) -> ChartTable {
  guard report.rows.count <= mostDrawnRows * 4, let shown = try? SummaryTable(report, RenderOptions()),
    !shown.lines.isEmpty
  else { return table }
  var ordered = shown.report
  ordered.rows = shown.lines.filter { !$0.isTotal }.map(\.values)
  return ChartTable(ordered)
}

private func intervalCharts(_ table: ChartTable, rate: String, title: String, subtitle: String) -> [Chart] {
  let followed = ReportKind.named(table.name)?.followed(ReportColumn(rate, .rate))
  let known = table.rows.filter { $0.share(rate) != nil && followed.map($0.isFollowed) ?? true }
  if known.isEmpty || known.count > mostDrawnRows { return [] }
  let isByVariant = known.allSatisfy { $0.keys.map(\.name) == ["variant"] }
  // As in all charts of the app.
  let own = Dictionary(grouping: known, by: \.app).mapValues { rows in
    Dictionary(zip(rows.map { $0.label() }, chartColors(rows.map { $0.label() }, order: table.order(of: rows[0].app))))
    { a, _ in a }
  }
  func color(_ row: ChartTable.Row) -> Int? {
    row.keys.isEmpty ? table.color(of: row.app) : isByVariant ? own[row.app]?[row.label()] : nil
  }
  let isOneCurrency = Set(known.map { $0.key("currency") }).count == 1
  func name(_ row: ChartTable.Row) -> String {
    var row = row
    for place in row.keys.indices where row.keys[place].name == table.period {
      let period = table.periods([row.keys[place].value], of: row.keys[place].name, app: row.app)[0]
      row.keys[place].value = [period.title, period.note].compactMap(\.self).joined(separator: ", ")
    }
    return row.name(isOneApp: table.isOneApp, without: isOneCurrency ? ["currency"] : [])
  }
  func open(_ row: ChartTable.Row) -> String? {
    guard table.period != nil, let all = row.count("trials"), let over = row.count("matured"), all > over else {
      return nil
    }
    return "\(countText(all - over)) can still pay"
  }
  var chart = IntervalTable(
    title: title, subtitle: subtitle,
    rows: known.map { row in
      IntervalTable.Row(
        label: name(row), value: row.share(rate), bounds: row.bounds(rate),
        text: rateText(row.share(rate), row.bounds(rate)), color: color(row), open: open(row))
    }, unit: .share, hasZero: false
  ).chart
  let few = followed.map { followed in table.rows.filter { !$0.isFollowed(followed) } } ?? []
  if !few.isEmpty {
    let names = few.count > 3 ? counted(few.count, "row") : listText(few.map(name))
    chart.note = "Not drawn: \(names), with fewer than \(fewestFollowed) observed that long."
  }
  return [chart]
}

/// Returns the steps from the last period's opening to its closing.
private func waterfalls(_ table: ChartTable) -> [Chart] {
  let changes = [
    ("new", "New"), ("resubscribed", "Back"), ("expansion", "Up"), ("contraction", "Down"), ("churned", "Churned"),
  ]
  guard table.has("opening"), table.has("closing"), table.has("expansion") else { return [] }
  return table.groups(joining: nil, without: Set([table.period].compactMap(\.self))).compactMap { group in
    let (rows, period) = table.newest(group.rows, of: group.app)
    func sum(_ column: String) -> Double { rows.reduce(0) { $0 + ($1.number(column) ?? 0) } }
    guard sum("opening") != 0 || sum("closing") != 0 else { return nil }
    let time = [period?.title, period?.note].compactMap(\.self).joined(separator: ", ")
    return WaterfallChart(
      title: "How recurring revenue changed" + table.suffix(group),
      subtitle: "\(rows.first?.currency ?? "") a month" + (time.isEmpty ? "" : ", \(time)"),
      steps: [.total(name: "Opening", value: sum("opening"))]
        + changes.map { .change(name: $1, value: sum($0)) } + [.total(name: "Closing", value: sum("closing"))],
      unit: .money(rows.first?.currency ?? ""), isOver: period?.note == nil
    ).chart
  }
}

/// Returns the ages or numbers of columns such as `survival_35`, ascending.
func numbers(_ prefix: String, of table: ChartTable) -> [Int] {
  table.columnNames.compactMap { name in
    name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
  }
}

/// Returns survival charts by days, with a point for each age that enough are followed to; those of
/// several apps on one scale.
private func survivalCharts(_ table: ChartTable) -> [Chart] {
  let ages = numbers("survival_", of: table)
  return table.groups.compactMap { app, rows in
    let all = rows.filter { $0.count("subscriptions") ?? 0 > 0 }
    let rows = all.prefix(chartSeriesLimit)
    let lines = rows.map { row in
      let followed = ages.prefix { row.isFollowed("at_risk_\($0)") }
      // Nobody is followed any more where all have left.
      let end = ages.dropFirst(followed.count).prefix(1).filter {
        row.share("survival_\($0)") == 0 && row.isFollowed("subscriptions")
      }
      let known = (followed + end).compactMap { age in
        row.share("survival_\(age)").map {
          LineChart.Point(
            x: Double(age), y: $0, bounds: row.bounds("survival_\(age)") ?? ofAll($0, row.count("at_risk_\(age)")),
            note: row.count("at_risk_\(age)").map { "\(countText($0)) observed that long" })
        }
      }
      return LineChart.Line(
        name: row.keys.isEmpty ? app : row.label(), points: [LineChart.Point(x: 0, y: 1, bounds: 1...1)] + known)
    }
    if lines.allSatisfy({ $0.points.count < 2 }) { return nil }
    let known = Set(lines.flatMap(\.points).map(\.x))
    return LineChart(
      title: "Still subscribed" + (table.isOneApp ? "" : ": \(app)"),
      subtitle: "share by days since the first payment, 95% band", lines: Array(lines),
      order: table.order(of: rows.first?.app ?? ""), unit: .share,
      xText: { "\(Int($0)) d" }, xTicks: ([0] + ages).map(Double.init).filter(known.contains), xName: "Age",
      yFocus: table.isOneApp ? nil : 0...1, note: drawnText(rows.count, of: all.count)
    ).chart
  }
}

/// Says how many rows have a line, where others have none.
private func drawnText(_ drawn: Int, of all: Int) -> String {
  drawn == all ? "" : "Drawn: the first \(drawn) of \(countText(all)) rows."
}

/// Returns Wilson's interval where nobody has left, as the table has it.
private func ofAll(_ share: Double, _ followed: Int?) -> ClosedRange<Double>? {
  guard share == 1, let followed, let interval = wilsonInterval(successes: Double(followed), trials: Double(followed))
  else { return nil }
  return interval.low...1
}

/// Returns the revenue per user by age.
private func valueCharts(_ table: ChartTable) -> [Chart] {
  let ages = numbers("ltv_person_", of: table)
  return table.groups(joining: chartSeriesLimit, without: []).compactMap { group in
    let lines = group.rows.prefix(chartSeriesLimit).map { row in
      let name = group.name(of: row, without: ["currency"])
      return LineChart.Line(
        name: name.isEmpty ? row.app : name,
        points: ages.prefix { row.isFollowed("persons_\($0)") }.compactMap { age in
          row.number("ltv_person_\(age)").map {
            LineChart.Point(
              x: Double(age), y: $0,
              note: row.count("persons_\(age)").map { "\(userText($0)) observed that long" })
          }
        })
    }
    // Two ages are no course, and the table has them. Without payments there is no currency.
    if lines.allSatisfy({ $0.points.count < 3 }) || group.rows[0].key("currency") == "(none)" { return nil }
    return LineChart(
      title: "Value of a user so far" + (table.isOneApp ? "" : group.app.map { ": \($0)" } ?? ""),
      subtitle: [group.rows[0].key("currency"), "by days since the first event"].compactMap(\.self)
        .joined(separator: ", "), lines: Array(lines),
      order: table.order(of: group.app ?? ""), unit: .money(group.rows.first?.key("currency") ?? ""),
      xText: { "\(Int($0)) d" }, xName: "Age", reference: 0,
      hasDots: true, isOfIntervals: true,
      note: [
        drawnText(lines.count, of: group.rows.count),
        "Each age counts the users observed that long, so a later value can be lower.",
      ].filter { !$0.isEmpty }.joined(separator: " ")
    ).chart
  }
}
