public import Metrics

/// Returns the charts of a report; each shows data of the table beside it.
public func charts(of report: Report) -> [Chart] {
  let table = ChartTable(report)
  if table.rows.isEmpty { return [] }
  switch report.name {
  case "funnel": return funnelCharts(table)
  case "trials":
    return forestCharts(table, rate: "trial_to_paid_rate", title: "Trial to paid, 95% intervals")
  case "cancellations":
    return forestCharts(table, rate: "ended_35_rate", title: "Subscriptions that ended within 35 days, 95% intervals")
  case "revenue": return periodCharts(table, value: "revenue", title: "Revenue")
  case "mrr": return periodCharts(table, value: "closing", title: "MRR at the end of each period") + waterfalls(table)
  case "subscriptions":
    return periodCharts(table, value: "active", title: "Active subscriptions at the end of each period")
  case "retention" where table.has("survival_2"), "retention_cohorts": return cohortCharts(table)
  case "retention" where table.period != nil:
    return heatMaps(
      table, ages: numbers("survival_", of: table), title: "Subscriptions that last", columnName: "days")
  case "retention": return survivalCharts(table)
  case "ltv": return valueCharts(table)
  case "activity": return periodCharts(table, value: "daily_active", title: "Daily active persons")
  default: return []
  }
}

/// A report's rows for charts: by column name, grouped by app.
struct ChartTable {
  struct Row {
    var app: String
    /// Values by name of the dimension.
    var keys: [(name: String, value: String)]
    var values: [String: ReportValue]

    func key(_ name: String) -> String? { keys.first { $0.name == name }?.value }

    /// Returns the label that distinguishes the row within its app, without the given dimensions.
    func label(without names: Set<String> = []) -> String {
      keys.filter { !names.contains($0.name) }.map(\.value).joined(separator: " · ")
    }

    func share(_ name: String) -> Double? { values[name]?.share }

    func bounds(_ name: String) -> ClosedRange<Double>? {
      guard let low = share("\(name)_low"), let high = share("\(name)_high"), low <= high else { return nil }
      return low...high
    }

    func count(_ name: String) -> Int? { if case .count(let count) = values[name] { count } else { nil } }

    /// Returns a value as a number; money in units of its currency.
    func number(_ name: String) -> Double? {
      switch values[name] {
      case .count(let count): Double(count)
      case .number(let number): number
      case .money(let amount, _): amount.map { Double($0) / 1e6 }
      case .estimate(let amount, _): amount.map { $0 / 1e6 }
      default: nil
      }
    }

    var currency: String? {
      for case .money(_, let currency) in values.values { return currency }
      return nil
    }
  }

  let rows: [Row]
  private let columns: Set<String>
  let columnNames: [String]

  init(_ report: Report) {
    columnNames = report.columns.map(\.name)
    columns = Set(columnNames)
    let keys = report.columns.indices.filter { report.columns[$0].kind == .key }
    rows = report.rows.map { values in
      func text(_ place: Int) -> String { if case .text(let text) = values[place] { text } else { "" } }
      return Row(
        app: keys.first.map(text) ?? "", keys: keys.dropFirst().map { (report.columns[$0].name, text($0)) },
        values: Dictionary(uniqueKeysWithValues: zip(report.columns.map(\.name), values)))
    }
  }

  func has(_ column: String) -> Bool { columns.contains(column) }

  /// The rows of each app, and of each currency if rows have one.
  var groups: [(title: String, rows: [Row])] {
    var groups: [(title: String, rows: [Row])] = []
    for row in rows {
      let currency = row.key("currency")
      let title = currency.map { "\(row.app), \($0)" } ?? row.app
      if groups.last?.title == title {
        groups[groups.count - 1].rows.append(row)
      } else if let known = groups.firstIndex(where: { $0.title == title }) {
        groups[known].rows.append(row)
      } else {
        groups.append((title, [row]))
      }
    }
    return groups
  }

  /// The period of the rows, if any.
  var period: String? { ["day", "week", "month"].first { name in rows.first?.key(name) != nil } }
}

private let mostRows = 40
/// The most cohorts of a heat map.
private let mostPeriods = 26

private func percentText(_ share: Double?, _ bounds: ClosedRange<Double>? = nil) -> String {
  guard let share else { return undefinedMark }
  let value = ChartUnit.text(share * 100, decimals: 1) + "%"
  guard let bounds else { return value }
  let (low, high) = (bounds.lowerBound * 100, bounds.upperBound * 100)
  return "\(value) [\(ChartUnit.text(low, decimals: 1))–\(ChartUnit.text(high, decimals: 1))]"
}

/// Returns charts of the users of each row who reached each step (definitions 3).
private func funnelCharts(_ table: ChartTable) -> [Chart] {
  table.groups.compactMap { app, rows in
    let rows = rows.filter { $0.count("users") ?? 0 > 0 }
    if rows.isEmpty || rows.count > chartSeriesLimit { return nil }
    func group(_ name: String, _ value: (ChartTable.Row) -> (Double?, ClosedRange<Double>?)) -> (
      name: String, bars: [BarChart.Bar]
    ) {
      (
        name,
        rows.enumerated().map { series, row in
          let (share, bounds) = value(row)
          return BarChart.Bar(series: series, value: share, bounds: bounds, text: percentText(share, bounds))
        }
      )
    }
    func rate(_ name: String) -> (ChartTable.Row) -> (Double?, ClosedRange<Double>?) {
      { ($0.share(name), $0.bounds(name)) }
    }
    return BarChart(
      title: "Funnel of \(app): of the persons who saw a paywall",
      series: rows.map { row in row.keys.isEmpty ? app : row.label() },
      groups: [
        group("trial", rate("trial_rate")),
        group("paid after trial") { row in
          guard let paid = row.count("trial_paid_users"), let users = row.count("users") else { return (nil, nil) }
          return (Double(paid) / Double(users), nil)
        },
        group("paid directly", rate("direct_rate")), group("paid", rate("paid_rate")),
      ], unit: .share
    ).chart
  }
}

private func forestCharts(_ table: ChartTable, rate: String, title: String) -> [Chart] {
  let known = table.rows.filter { $0.share(rate) != nil }
  if known.isEmpty || known.count > mostRows { return [] }
  var last: String?
  let rows = known.map { row in
    defer { last = row.app }
    return ForestChart.Row(
      label: row.keys.isEmpty ? row.app : "\(row.app) · \(row.label())", value: row.share(rate),
      bounds: row.bounds(rate), text: percentText(row.share(rate), row.bounds(rate)), isFirstOfGroup: row.app != last)
  }
  return [ForestChart(title: title, rows: rows, unit: .share).chart]
}

/// Returns charts of a number by day, week or month, stacked by the other dimensions.
private func periodCharts(_ table: ChartTable, value: String, title: String) -> [Chart] {
  guard let period = table.period, table.has(value) else { return [] }
  return table.groups.compactMap { group, rows in
    let rows = rows.filter { $0.key("status") ?? "all" == "all" }
    let periods = Array(Set(rows.compactMap { $0.key(period) })).sorted(by: {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    })
    guard periods.count > 1 else { return nil }
    var sums: [String: [String: Double]] = [:]
    for row in rows {
      guard let at = row.key(period), let number = row.number(value) else { continue }
      sums[row.label(without: [period, "currency", "status"]), default: [:]][at, default: 0] += number
    }
    // The largest series have separate colours.
    let names = sums.keys.sorted { left, right in
      let (a, b) = (sums[left]?.values.reduce(0, +) ?? 0, sums[right]?.values.reduce(0, +) ?? 0)
      return a != b ? a > b : left.utf8.lexicographicallyPrecedes(right.utf8)
    }
    let own = names.count <= chartSeriesLimit ? names[...] : names.prefix(chartSeriesLimit - 1)
    var series = own.map { name in (name: name, values: periods.map { sums[name]?[$0] ?? 0 }) }
    if own.count < names.count {
      let others = periods.map { at in names.dropFirst(own.count).reduce(0) { $0 + (sums[$1]?[at] ?? 0) } }
      series.append((name: "\(names.count - own.count) others", values: others))
    }
    let currency = rows.first.flatMap { $0.values[value] }.flatMap { one in
      if case .money(_, let currency) = one { currency } else { nil }
    }
    return StackedChart(
      title: "\(title): \(group)", periods: periods, series: series, unit: currency.map { .money($0) } ?? .count
    ).chart
  }
}

/// Returns charts of the movement from the last period's opening to its closing (definitions 7.3).
private func waterfalls(_ table: ChartTable) -> [Chart] {
  let changes = ["new", "resubscribed", "expansion", "contraction", "churned"]
  guard table.has("opening"), table.has("closing") else { return [] }
  return table.groups.compactMap { group, rows in
    let last = table.period.flatMap { period in rows.compactMap { $0.key(period) }.max() }
    let rows = table.period.map { period in rows.filter { $0.key(period) == last } } ?? rows
    func sum(_ column: String) -> Double { rows.reduce(0) { $0 + ($1.number(column) ?? 0) } }
    guard sum("opening") != 0 || sum("closing") != 0 else { return nil }
    return WaterfallChart(
      title: "Movement of MRR: \(group)\(last.map { ", \($0)" } ?? "")",
      steps: [.total(name: "opening", value: sum("opening"))]
        + changes.map { .change(name: $0, value: sum($0)) } + [.total(name: "closing", value: sum("closing"))],
      unit: .money(rows.first?.currency ?? "")
    ).chart
  }
}

/// Returns the ages or numbers of columns such as `survival_35`, ascending.
private func numbers(_ prefix: String, of table: ChartTable) -> [Int] {
  table.columnNames.compactMap { name in
    name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
  }
}

/// Returns survival charts by days (definitions 6.4), with a point for each age in the report.
private func survivalCharts(_ table: ChartTable) -> [Chart] {
  let ages = numbers("survival_", of: table)
  return table.groups.compactMap { app, rows in
    let rows = rows.filter { $0.count("subscriptions") ?? 0 > 0 }.prefix(chartSeriesLimit)
    let lines = rows.map { row in
      let known = ages.compactMap { age -> LineChart.Point? in
        row.share("survival_\(age)").map {
          LineChart.Point(x: Double(age), y: $0, bounds: row.bounds("survival_\(age)"))
        }
      }
      let atRisk = Dictionary(
        [(0, row.count("subscriptions"))] + ages.map { ($0, row.count("at_risk_\($0)")) }
      ) { first, _ in first }
      return LineChart.Line(
        name: row.keys.isEmpty ? app : row.label(), points: [LineChart.Point(x: 0, y: 1)] + known,
        atRisk: { tick in atRisk[Int(tick)] ?? nil })
    }
    if lines.allSatisfy({ $0.points.count < 2 }) { return nil }
    return LineChart(
      title: "Subscriptions that last: \(app), 95% bands", lines: Array(lines), unit: .share,
      xName: "days since the first payment", xTicks: ([0] + ages).map(Double.init), showsAtRisk: true
    ).chart
  }
}

/// Returns heat maps of survival by payments (definitions 6.4): cohorts by age.
private func cohortCharts(_ table: ChartTable) -> [Chart] {
  heatMaps(
    table, ages: numbers("survival_", of: table), title: "Share that made each payment", columnName: "payment")
}

/// Returns heat maps of shares by age. If rows are by period, each plan or similar group has a separate chart, with the
/// newest periods last.
private func heatMaps(_ table: ChartTable, ages: [Int], title: String, columnName: String) -> [Chart] {
  table.groups.flatMap { app, rows -> [Chart] in
    let rows = rows.filter { row in
      row.count("subscriptions") ?? 0 > 0 && ages.contains { row.share("survival_\($0)") != nil }
    }
    // An age that no row has reached has no column.
    func map(_ title: String, _ rows: [ChartTable.Row], label: (ChartTable.Row) -> String) -> Chart {
      let ages = ages.filter { age in rows.contains { $0.share("survival_\(age)") != nil } }
      return HeatMapChart(
        title: title, columns: ages.map(String.init), columnName: columnName,
        rows: rows.map { row in
          (label: label(row), count: row.count("subscriptions") ?? 0, shares: ages.map { row.share("survival_\($0)") })
        }
      ).chart
    }
    guard let period = table.period else {
      if rows.isEmpty || rows.count > mostRows { return [] }
      return [map("\(title): \(app)", rows) { $0.keys.isEmpty ? app : $0.label() }]
    }
    var names: [String] = []
    var byName: [String: [ChartTable.Row]] = [:]
    for row in rows {
      let name = row.label(without: [period])
      if byName[name] == nil { names.append(name) }
      byName[name, default: []].append(row)
    }
    if names.count > chartSeriesLimit { return [] }
    return names.map { name in
      map("\(title): \(name.isEmpty ? app : "\(app), \(name)")", byName[name]?.suffix(mostPeriods) ?? []) {
        $0.key(period) ?? ""
      }
    }
  }
}

/// Returns charts of the money received from users by age (definitions 7.5).
private func valueCharts(_ table: ChartTable) -> [Chart] {
  let ages = numbers("ltv_person_", of: table)
  return table.groups.compactMap { group, rows in
    let lines = rows.prefix(chartSeriesLimit).map { row in
      LineChart.Line(
        name: row.label(without: ["currency"]),
        points: [LineChart.Point(x: 0, y: 0)]
          + ages.compactMap { age in row.number("ltv_person_\(age)").map { LineChart.Point(x: Double(age), y: $0) } })
    }
    if lines.allSatisfy({ $0.points.count < 2 }) { return nil }
    return LineChart(
      title: "Realised value per person: \(group)", lines: Array(lines),
      unit: .money(rows.first?.key("currency") ?? ""), xName: "days since the first event", reference: 0
    ).chart
  }
}
