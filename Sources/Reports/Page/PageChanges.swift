import Metrics
import Statistics

/// The numbers that changed most, at the top of the page.
struct PageChanges {
  /// How many are shown; the file has all.
  private static let mostNumbers = 5
  /// Below this, chance is no explanation for one of all the numbers looked at.
  private static let alpha = 0.05

  let report: Report

  var lines: [String] {
    let ranked = report.rows.compactMap(Number.init).sorted { $0.rank < $1.rank }
    let shown = Array(ranked.prefix(Self.mostNumbers))
    let sure = ranked.filter { $0.adjusted < Self.alpha }.count
    let sentence =
      ranked.isEmpty
      ? "Nothing to compare yet: it takes two full weeks behind the first one of the data."
      : sure == 0
        ? "None of the \(ranked.count) numbers compared changed by more than chance does from week to week."
        : "\(sure) of the \(ranked.count) numbers compared changed by more than chance does from week to week."
    var lines = ["<p><strong>\(sentence)</strong></p>"]
    if !shown.isEmpty { lines += htmlTables(table(shown), id: "changes") }
    return lines + [#"<ul class="definition">"#] + report.definition.map { "<li>\(htmlEscaped($0))</li>" } + ["</ul>"]
  }

  private func table(_ numbers: [Number]) -> Report {
    var table = report
    table.asOf = []
    table.name = "What changed most"
    table.columns =
      [ReportColumn("app", .key), ReportColumn("number", .key)]
      + ["weeks", "before", "last", "change", "95% interval", "p", "more than chance"].map { .figure($0) }
    table.rows = numbers.map { number in
      [
        .text(number.app), .text("\(number.name) (\(number.report))"),
        .text("\(number.weekBefore) → \(number.week)"),
      ] + number.texts.map { .text($0) } + [
        .probability(number.p), .text(number.adjusted < Self.alpha ? "yes" : "no"),
      ]
    }
    return table
  }

  /// A row of the report.
  private struct Number {
    var app: String
    var report: String
    var name: String
    var unit: ChangeUnit
    var weekBefore: String
    var week: String
    /// Before, last, change, and its bounds, in the unit.
    var values: [Double]
    var p: Double
    var adjusted: Double
    var rank: Int

    init?(_ row: [ReportValue]) {
      func text(_ place: Int) -> String { if case .text(let text) = row[place] { text } else { "" } }
      guard row.count == 14, case .probability(let p?) = row[11], case .probability(let adjusted?) = row[12],
        case .count(let rank) = row[13]
      else { return nil }
      (app, report, name) = (text(0), text(1), text(2))
      unit = ChangeUnit(text(3))
      (weekBefore, week) = (text(4), text(5))
      values = row[6...10].compactMap { value in
        switch value {
        case .rate(let share): share
        case .count(let count): Double(count)
        case .number(let number): number
        case .estimate(let amount, _): amount.map { $0 / 1e6 }
        default: nil
        }
      }
      guard values.count == 5 else { return nil }
      (self.p, self.adjusted, self.rank) = (p, adjusted, rank)
    }

    var texts: [String] {
      let text = MetricText(unit.ofMetric, halfWidth: (values[4] - values[3]) / 2, decimals: unit.decimals)
      return [
        text.value(values[0]), text.value(values[1]), text.difference(values[2]),
        text.bounds(Interval(low: values[3], high: values[4])),
      ].map { $0 ?? undefinedMark }
    }
  }

  private struct ChangeUnit {
    var name: String
    init(_ name: String) { self.name = name }

    var ofMetric: ExperimentMetric.Unit {
      switch name {
      case "share": .share
      case "count": .number
      default: .money(currency: name)
      }
    }

    /// Fixed ones of what is counted.
    var decimals: Int? { name == "share" ? nil : name == "count" ? 0 : readableMoneyDecimals(name) }
  }
}
