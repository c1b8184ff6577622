import Metrics

/// The main column of a report of amounts or counts.
private let headlines = [
  "revenue": ["revenue"], "mrr": ["closing", "mrr"], "subscriptions": ["closing", "active"],
  "activity": ["daily_active"], "refunds": ["refunded_amount"],
]

/// Returns a report's amounts or counts as text plots: a sparkline per series, from 0 to its maximum, if rows are by
/// period; otherwise bars from 0, on one axis per currency.
func amountPlots(_ report: Report, width: Int, _ style: TerminalStyle) -> [[String]] {
  let table = ChartTable(report)
  guard let column = headlines[report.name]?.first(where: table.has) else { return [] }
  if let period = table.period { return sparklines(table, column, period, width: width, style) }
  return bars(table, column, width: width, style)
}

private func text(_ row: ChartTable.Row, _ column: String) -> String {
  row.values[column]?.readableNumber(percentDecimals: 1) ?? undefinedMark
}

/// Returns row names padded to the widest, at most a third of the line.
private func labels(_ names: [String], width: Int) -> [String] {
  let names = names.map(visible)
  let longest = min(names.map(displayWidth).max() ?? 0, width / 3)
  return names.map { padded(truncated($0, to: longest), to: longest, isLeftAligned: true) }
}

private func sparklines(
  _ table: ChartTable, _ column: String, _ period: String, width: Int, _ style: TerminalStyle
) -> [[String]] {
  var periods: [String] = []
  for row in table.rows { if let name = row.key(period), !periods.contains(name) { periods.append(name) } }
  periods.sort(by: precedesInBytes)
  var series: [(name: String, rows: [ChartTable.Row])] = []
  for row in table.rows {
    let name = ([row.app] + row.keys.filter { $0.name != period }.map(\.value)).joined(separator: columnGap)
    if let place = series.firstIndex(where: { $0.name == name }) {
      series[place].rows.append(row)
    } else {
      series.append((name, [row]))
    }
  }
  let names = labels(series.map(\.name), width: width)
  let texts = series.map { "\(text($0.rows[0], column)) → \(text($0.rows[$0.rows.count - 1], column))" }
  let used = (names.first.map(displayWidth) ?? 0) + (texts.map(displayWidth).max() ?? 0) + 2 * columnGap.count
  // The newest periods that fit.
  let shown = periods.suffix(max(8, width - used))
  guard let first = shown.first, let last = shown.last, shown.count > 1 else { return [] }
  let lines = zip(series.indices, zip(names, texts)).map { place, texts in
    let values = shown.map { name in
      series[place].rows.first { $0.key(period) == name }.flatMap { $0.number(column) }
    }
    return [texts.0, sparkline(values), texts.1].joined(separator: columnGap)
  }
  return [[style.bold("\(column) by \(period), \(first) to \(last)")] + lines]
}

/// Returns one character per value, from 0 to the maximum, and a blank for a missing value.
func sparkline(_ values: [Double?]) -> String {
  let marks = Array("▁▂▃▄▅▆▇█")
  let largest = values.reduce(0) { max($0, $1 ?? 0) }
  return String(
    values.map { value -> Character in
      guard let value, value.isFinite else { return " " }
      return largest > 0 ? marks[Int((max(0, value) / largest * Double(marks.count - 1)).rounded())] : marks[0]
    })
}

private func bars(_ table: ChartTable, _ column: String, width: Int, _ style: TerminalStyle) -> [[String]] {
  var currencies: [String?] = []
  for row in table.rows where !currencies.contains(row.currency) { currencies.append(row.currency) }
  return currencies.compactMap { currency in
    let rows = table.rows.filter { $0.currency == currency && ($0.number(column) ?? 0) > 0 }
    let largest = rows.compactMap { $0.number(column) }.max() ?? 0
    if largest <= 0 { return nil }
    let names = labels(
      rows.map { row in
        ([row.app] + row.keys.filter { $0.name != "currency" }.map(\.value)).joined(separator: columnGap)
      },
      width: width)
    let texts = rows.map { text($0, column) }
    let textWidth = texts.map(displayWidth).max() ?? 0
    let barWidth = max(10, width - (names.first.map(displayWidth) ?? 0) - textWidth - 2 * columnGap.count)
    let lines = rows.indices.map { place in
      let count = Int(((rows[place].number(column) ?? 0) / largest * Double(barWidth)).rounded())
      let bar = String(repeating: "█", count: count) + String(repeating: " ", count: barWidth - count)
      return [names[place], bar, padded(texts[place], to: textWidth, isLeftAligned: false)].joined(separator: columnGap)
    }
    return [style.bold(column + (currency.map { ", \($0)" } ?? ""))] + lines
  }
}
