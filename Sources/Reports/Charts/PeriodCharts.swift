import Basics
import Metrics

/// A number by day, week or month, stacked by the other dimensions.
func periodCharts(_ table: ChartTable, value: String, title: String, subtitle: String = "") -> [Chart] {
  guard let period = table.period, table.has(value) else { return [] }
  let isSplit = value == "revenue" && isOfPayments(table, period)
  let plain: Set = isSplit ? [period, "currency", "stage"] : [period, "currency", "status"]
  return table.groups(joining: nil, without: plain).compactMap { group in
    let rows = group.rows.filter { $0.key("status") ?? "all" == "all" }
    let keys = table.keys(of: rows, by: period)
    guard keys.count > 1 else { return nil }
    var sums: [String: [String: Double]] = [:]
    for row in rows {
      guard let number = row.number(value), let at = row.key(period) else { continue }
      sums[group.name(of: row, without: plain), default: [:]][at, default: 0] += number
    }
    // Variants and apps come in their own order; else the largest series have separate colours.
    let order = table.order(of: group.app ?? "")
    let isByVariant = rows.allSatisfy { $0.keys.map(\.name).filter { !plain.contains($0) } == ["variant"] }
    let most = isByVariant ? chartSeriesLimit : mostStacked + 1
    let inOrder = rows.inGroups { group.name(of: $0, without: plain) }.map(\.key)
    let names =
      (isByVariant || group.app == nil) && inOrder.count <= most
      ? inOrder
      : sums.keys.sorted { left, right in
        let (a, b) = (sums[left]?.values.reduce(0, +) ?? 0, sums[right]?.values.reduce(0, +) ?? 0)
        return a != b ? a > b : precedesInBytes(left, right)
      }
    let own = names.count <= most ? names[...] : names.prefix(mostStacked)
    var series = own.map { name in (name: name, values: keys.map { sums[name]?[$0] ?? 0 }) }
    if isSplit { series = paymentSeries(rows, keys, of: period) }
    if own.count < names.count {
      let others = keys.map { at in names.dropFirst(own.count).reduce(0) { $0 + (sums[$1]?[at] ?? 0) } }
      series.append((name: "rest (\(names.count - own.count))", values: others))
    }
    let currency = rows.first.flatMap { $0.values[value] }.flatMap { one in
      if case .money(_, let currency) = one { currency } else { nil }
    }
    var before: [Double?] = []
    if let (earlier, comparison) = table.before {
      let own = earlier.filter { group.app == nil || $0.app == group.app }.filter { $0.key("status") ?? "all" == "all" }
      before = keys.map { key in
        guard let label = comparison.label(before: key, of: period) else { return nil }
        let values = own.filter { $0.key(period) == label && $0.key("currency") == rows.first?.key("currency") }
          .compactMap { $0.number(value) }
        return values.isEmpty ? nil : values.reduce(0, +)
      }
    }
    return StackedChart(
      title: "\(title) by \(period)" + table.suffix(group),
      subtitle: [currency, subtitle.isEmpty ? nil : subtitle].compactMap(\.self)
        .joined(separator: subtitle.hasPrefix("a month") ? " " : ", "),
      periods: table.periods(keys, of: period, app: group.app), series: series,
      unit: currency.map { .money($0) } ?? .count,
      colors: isSplit
        ? [1, 3, 2]
        : series.count == 1
          ? [table.color(of: group.app)]
          : isByVariant || own.count == names.count
            ? chartColors(series.map(\.name), order: order)
            // The rest is grey, as on the home page.
            : chartColors(Array(own), order: order) + [0],
      periodName: period.capitalizedFirst, before: before,
      marks: table.places(of: group.app, in: keys, of: period), sumName: isSplit && keys.count <= 8 ? "net" : "",
      note: isSplit && keys.count > 8 ? "Above the bars: net." : ""
    ).chart
  }
}

/// Whether revenue of one app is split by payment number alone, and is what was paid less what was refunded.
private func isOfPayments(_ table: ChartTable, _ period: String) -> Bool {
  table.isOneApp && table.has("gross") && table.has("refunded")
    && table.rows.allSatisfy { row in
      guard Set(row.keys.map(\.name)).subtracting(["currency"]) == [period, "stage"],
        let gross = row.number("gross"), let refunded = row.number("refunded"), let net = row.number("revenue")
      else { return false }
      return abs(gross - refunded - net) < 0.000_001
    }
}

/// Returns what first payments and later ones brought in, and below 0 what was refunded.
private func paymentSeries(
  _ rows: [ChartTable.Row], _ keys: [String], of period: String
) -> [(name: String, values: [Double])] {
  func sums(_ column: String, _ isShown: (_ stage: String?) -> Bool) -> [Double] {
    keys.map { key in
      rows.filter { $0.key(period) == key && isShown($0.key("stage")) }.reduce(0) { $0 + ($1.number(column) ?? 0) }
    }
  }
  return [
    ("first payments", sums("gross") { $0 == "1" }), ("renewals", sums("gross") { $0 != "1" }),
    ("refunds", sums("refunded") { _ in true }.map(-)),
  ]
}

/// The most series of a stack; the others are added up as the rest.
private let mostStacked = 4
