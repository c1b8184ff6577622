public import Metrics

/// How a report is shown on a page.
public struct PageLook {
  /// Rows of a table at most; a note says how many there are.
  public var rowLimit = 1_000
  /// Bytes of the page's charts and tables at most; notes say that there are more. The first chart and ten rows of each
  /// table are always there.
  public var sizeLimit = Int.max
  public var options = RenderOptions()
  public var links: PageLinks
  /// Where the number of a row leads to.
  public var cell: FinishedReport.CellLink?
  /// Returns a link to this page sorted by a column.
  public var sorted: ((_ column: String, _ isDescending: Bool) -> String)?
  /// Where a row leads to: the report within it.
  public var row: ((_ row: [ReportValue], _ report: Report) -> String?)?
  /// The address of the users whom a step from our number to a vendor's changes.
  public var step: ((_ name: String) -> String?)?
  /// Above the table at the right: search, menus, files.
  public var tools: Markup = ""
  /// Further reports that the numbers above the first picture need; `nil` for a page without such numbers.
  public var keys: KeyReports?
  /// Tables with more rows or ages, whose pictures stand for those of a table, by its place on the page.
  public var finer: [Int: Report] = [:]
  /// Shown next to the first chart, such as the filters of the report.
  public var aside: Markup = ""
  /// The days before, for pictures over time.
  public var comparison: ReportComparison?
  /// The report compared with other days or users, above its table (definitions 9).
  public var compared: Report?
  /// Where one of its numbers changed (definitions 10).
  public var drivers: Report?
  /// Where the page asks that, by the heading of a number.
  public var why: [(heading: String, address: String)] = []
  /// Events on days of the app, for axes of time.
  public var marks: [TimeMark] = []
  /// All apps of the store, for their colours.
  public var apps: [String] = []
  /// Where a chart is as a file of its own.
  public var picture: (@Sendable (Chart) -> String)?
  /// The page above the report; its notes are not repeated.
  var above: Markup = ""
  /// Where all rows are, if some are left out.
  public var everyRow: String?

  /// Rows of a long table.
  public static let fewRows = 40
  /// Rows of a table that the size of its page cuts.
  static let fewestRows = 10
  /// Bytes of the first chart and ``fewestRows`` of a further report.
  static let bytesOfLater = 18_000

  public init(links: PageLinks) { self.links = links }

  /// A single page without neighbours.
  static func alone(_ options: RenderOptions) -> PageLook {
    var look = PageLook(links: .none)
    (look.options, look.rowLimit) = (options, .max)
    return look
  }
}

extension FinishedReport {
  /// The content of a page below its head.
  ///
  /// - Throws: ``UnknownColumn`` when the options sort by a column that is not there.
  public func content(_ look: PageLook) throws(UnknownColumn) -> Markup {
    switch self {
    case .readout(let report):
      let pages: Markup = report.readouts.map { readout -> Markup in
        let heading: Markup =
          report.readouts.count > 1 ? "<h2 class=\"part\"><bdi>\(readout.app)</bdi></h2>\n" : ""
        let page = ExperimentPage(readout, of: report, links: look.links, marks: look.marks)
        return heading + page.markup(report.charts(of: readout, look))
      }.reduce("", +)
      // Without a verdict no difference is to be read, so none is offered.
      guard report.readouts.contains(where: { ReadoutText($0).isReadable }) else { return pages }
      return pages + (try driversCard(look))
    case .explanation(let explanation): return explanationMarkup(explanation, links: look.links)
    case .tables(let reports):
      var content: Markup = ""
      if let keys = look.keys, let first = reports.first {
        content = KeyTiles(first, keys, compared: look.compared).markup
      }
      if let answer = reports.first?.answer { content += "<p class=\"lead\">\(spoken(answer))</p>\n" }
      for (place, report) in reports.enumerated() {
        var own = look
        // One sentence is enough where there is nothing, and no table where nothing is known.
        if place > 0, report.rows.isEmpty ? reports[0].rows.isEmpty : !report.hasNumbers {
          if place == reports.count - 1 { content += rulesMarkup(report) }
          continue
        }
        // Only the first table has the search, the menus and the files, and is sorted.
        if place > 0 {
          (own.tools, own.sorted, own.options.sort) = ("", nil, nil)
          if own.options.columns != "all" { own.options.columns = nil }
        }
        if place > 0, let pairs = VariantPairs(report) {
          content += pairs.markup(own) + (place == reports.count - 1 ? rulesMarkup(report) : "")
          continue
        }
        let later = (reports.count - 1 - place) * PageLook.bytesOfLater
        own.sizeLimit = max(look.sizeLimit - content.text.utf8.count - later, 0)
        own.above = content
        content += try reportMarkup(report, own, number: place, isLast: place == reports.count - 1)
      }
      return content
    }
  }
}

extension FinishedReport {
  /// The charts of its page, in order.
  public func charts(_ look: PageLook) -> [Chart] {
    switch self {
    case .readout(let report):
      report.readouts.flatMap { report.charts(of: $0, look) } + (look.drivers?.charts(look) ?? [])
    case .tables(let reports):
      reports.enumerated().flatMap { place, report in report.charts(look, number: place) }
        + (look.drivers?.charts(look) ?? [])
    case .explanation: []
    }
  }
}

extension FinishedReport {
  /// The source line below a picture that is saved as a file.
  public var source: String {
    switch self {
    case .readout(let report): "\(report.experiment), \(appsText(report.asOf))"
    case .tables(let reports):
      reports.first.flatMap { try? SummaryTable($0, RenderOptions()) }
        .map { [$0.title, $0.chosen].compactMap(\.self).joined(separator: " · ") } ?? ""
    case .explanation: ""
    }
  }
}

extension ExperimentReport {
  fileprivate func charts(of readout: ExperimentReadout, _ look: PageLook) -> [Chart] {
    var charts = ExperimentPage(readout, of: self, links: look.links, marks: look.marks).charts
    for place in charts.indices {
      // With several apps the address names one.
      if readouts.count > 1 { charts[place].title += ": \(readout.app)" }
      charts[place].address = look.picture?(charts[place])
    }
    return charts
  }
}

extension Report {
  /// Whether a row has a number.
  fileprivate var hasNumbers: Bool {
    columns.indices.contains { place in
      ![.key, .text].contains(columns[place].kind) && rows.contains { $0[place].storedText != nil }
    }
  }

  /// - Parameter number: Among the reports of the page; `nil` for the drivers of a change.
  fileprivate func charts(_ look: PageLook, number: Int? = nil) -> [Chart] {
    if number ?? 0 > 0, VariantPairs(self) != nil { return [] }
    let finer = number.flatMap { look.finer[$0] }
    let before = look.comparison.flatMap { comparison in
      number.flatMap { comparison.tables.indices.contains($0) ? comparison.tables[$0] : nil }
    }
    var charts = Array(
      Reports.charts(
        of: finer ?? self, comparedWith: before, look.comparison, marks: look.marks, apps: look.apps,
        stepLink: look.step
      ).prefix(Self.mostCharts))
    if let drawn = drawnPeriod?.name, finer != nil, !charts.isEmpty {
      charts[0].note = ["Drawn by \(drawn), as the table has more rows than a chart can show.", charts[0].note]
        .filter { !$0.isEmpty }.joined(separator: " ")
    }
    for place in charts.indices { charts[place].address = look.picture?(charts[place]) }
    return charts
  }

  /// Charts of a report on one page at most.
  private static let mostCharts = 12
}

/// One report: its pictures, its table, and how it was computed.
///
/// - Parameter isLast: Whether what it was computed by follows.
/// - Throws: ``UnknownColumn`` when the options name a column that is not there.
func reportMarkup(
  _ report: Report, _ look: PageLook, number: Int = 0, isLast: Bool = true
) throws(UnknownColumn) -> Markup {
  let charts = report.charts(look, number: number)
  let (pictures, more) = shown(charts, limit: look.sizeLimit / 5 * 3)
  var own = look
  let compared = try number == 0 ? comparedCard(look) : ""
  own.sizeLimit = max(look.sizeLimit - (pictures + [compared]).reduce(0) { $0 + $1.text.utf8.count }, 0)
  let card = try sizedTableCard(report, own, number: number)
  let table = more + compared + card.markup
  var content: Markup = ""
  if report.name == "why" {
    // The answer comes before the parts of every dimension.
    content += table + rowsOfTwo(pictures)
  } else if number > 0 || look.aside.isEmpty {
    content += rowsOfTwo(pictures) + table
  } else if let first = charts.first, first.isTall {
    // Where there is no room beside it, the aside follows the other pictures.
    content += "<div class=\"row c21 lone\">\(first.markup)\(look.aside)</div>\n"
    let others = Array(pictures.dropFirst())
    content += (others.count == 1 ? "<div class=\"row\">\(others)</div>\n" : rowsOfTwo(others)) + table
  } else {
    // Beside the answer, not above it; a wide table has the whole page.
    let isWide = card.characters > mostCharactersBeside
    if isWide, pictures.isEmpty {
      content += "\(table)\(look.aside)"
    } else {
      content +=
        "<div class=\"row c21\"><div class=\"stack\">\(pictures)\(isWide ? "" : table)</div>\(look.aside)</div>\n"
      if isWide { content += table }
    }
  }
  return isLast ? content + rulesMarkup(report) : content
}

/// The most characters in a row of a table that has something beside it.
private let mostCharactersBeside = 90

/// Returns the charts that the limit leaves, and a note of the others.
private func shown(_ charts: [Chart], limit: Int) -> (pictures: [Markup], note: Markup) {
  var shown: [Markup] = []
  var size = 0
  for chart in charts {
    let markup = chart.markup
    size += markup.text.utf8.count
    if !shown.isEmpty, size > limit { break }
    shown.append(markup)
  }
  let left = charts.count - shown.count
  let charts = left == 1 ? "1 more chart" : "\(left) more charts"
  return (shown, left == 0 ? "" : "<p class=\"note\">\(charts): choose one app or fewer days above.</p>\n")
}

private func rowsOfTwo(_ cards: [Markup]) -> Markup {
  if cards.isEmpty { return "" }
  return cards.count == 1 ? cards[0] : "<div class=\"row c11\">\(cards)</div>\n"
}

/// The table of a comparison; nothing where nothing is compared.
private func comparedCard(_ look: PageLook) throws(UnknownColumn) -> Markup {
  if look.compared == nil, look.comparison == nil { return "" }
  // Recurring revenue is compared by what moved it.
  guard let compared = look.compared else { return try driversCard(look) }
  var own = PageLook(links: look.links)
  (own.sizeLimit, own.everyRow) = (look.sizeLimit / 3, look.everyRow)
  own.options.width = look.options.width
  own.tools = question("Where did it change?", look)
  return try tableCard(compared, own) + driversTable(look)
}

/// Asks where a number changed, or differs between the arms of an experiment, and answers once asked.
private func driversCard(_ look: PageLook) throws(UnknownColumn) -> Markup {
  let words =
    look.compared == nil && look.comparison == nil
    ? "Compare the variants in each group of users, by" : "Where did it change?"
  let asked = question(words, look)
  return (asked.isEmpty ? "" : "<section class=\"card\">\(asked)</section>\n") + (try driversTable(look))
}

private func question(_ words: String, _ look: PageLook) -> Markup {
  let links = look.why.map { "<a href=\"\($0.address)\">\($0.heading)</a>" as Markup }.map(\.text)
  return links.isEmpty ? "" : "<p class=\"sm\">\(words) \(Markup(trusted: links.joined(separator: " · ")))</p>"
}

private func driversTable(_ look: PageLook) throws(UnknownColumn) -> Markup {
  guard let drivers = look.drivers else { return "" }
  var own = PageLook(links: look.links)
  own.options.width = look.options.width
  return try tableCard(drivers, own) + rowsOfTwo(drivers.charts(look).map(\.markup))
}

/// A report's table with its sentences.
///
/// - Throws: ``UnknownColumn`` when the options name a column that is not there.
func tableCard(_ report: Report, _ look: PageLook, number: Int = 0) throws(UnknownColumn) -> Markup {
  try sizedTableCard(report, look, number: number).markup
}

/// ``tableCard(_:_:number:)`` and the characters that a row of the table has room for.
private func sizedTableCard(
  _ report: Report, _ look: PageLook, number: Int
) throws(UnknownColumn) -> (markup: Markup, characters: Int) {
  if report.rows.isEmpty {
    let sentence: Markup = "<p class=\"soft\">\(spoken(report.emptySentence))</p>\n"
    return (pageCard(tableTitle(report, []), aside: look.tools, sentence), 0)
  }
  var links = HTMLTable.Links()
  (links.cell, links.row) = (look.cell, look.row)
  if let sorted = look.sorted {
    let now = look.options.sort?.split(separator: ":").map(String.init) ?? []
    links.sorted = { name in
      let isNow = now.first == name
      let isDescending = isNow && now.dropFirst().first == "desc"
      return (sorted(name, !isDescending), isNow ? (isDescending ? "descending" : "ascending") : nil)
    }
  }
  var options = look.options
  options.limit = min(look.rowLimit, options.limit ?? .max)
  var table = try HTMLTable(report, options, id: "table-\(number + 1)", links: links)
  let size = table.markup.text.utf8.count
  if size > look.sizeLimit {
    options.limit = min(options.limit ?? .max, max(table.rowCount * look.sizeLimit / size, PageLook.fewestRows))
    table = try HTMLTable(report, options, id: "table-\(number + 1)", links: links)
  }
  let title = tableTitle(report, table.keyHeadings)
  table.caption = title
  let isCut = table.rowCount < table.wholeCount
  let all: Markup = isCut ? linked("All \(countText(table.wholeCount)) rows", to: look.everyRow) : ""
  let notes = table.notes.map { "<p class=\"note\">\(spoken($0))</p>\n" as Markup }
    .filter { !look.above.text.contains($0.text) }
  let more: Markup = all.isEmpty ? "" : "<p class=\"note\">\(all)</p>\n"
  // A table of dashes says less than its sentences.
  if table.rowCount == 0 || !table.isKnown && !notes.isEmpty {
    return (pageCard(title, aside: look.tools, "\(notes)"), 0)
  }
  let whole = isCut ? " of \(countText(table.wholeCount))" : ""
  let rows = "\(countText(table.rowCount))\(whole) \(table.rowCount == 1 ? "row" : "rows")"
  let money = table.currency.map { " · \($0)" } ?? ""
  return (
    pageCard(title, subtitle: rows + money, aside: look.tools, "\(table.markup)\(notes)\(more)"), table.characters
  )
}

/// Such as `By variant`.
private func tableTitle(_ report: Report, _ keys: [String]) -> String {
  switch report.name {
  case "health": "Findings"
  case "quarantine": "Rejected lines"
  case "value_pairs": "Variants compared"
  case "backtest": "Forecasts tested"
  case "backtest_model": "By part of the forecast"
  case "backtest_ages": "By age of the purchases"
  case "backtest_newest": "Newest forecast tested"
  case "backtest_now": "Forecast"
  case "compare", "why", "bridge": report.title
  case "experiments", "rates": ReportKind.of(report)?.title ?? report.title
  default: keys.isEmpty ? "All users" : "By \(listText(keys.map { keyNouns[$0] ?? $0 }))"
  }
}

/// Headings of keys that are no nouns.
private let keyNouns = [
  "seen before": "paywalls seen before", "days since last": "days since the last paywall", "why it ended": "reason",
]

/// The folded section with parameters and definitions.
func rulesMarkup(_ report: Report) -> Markup {
  let header = ReadableHeader(report)
  if header.facts.isEmpty && header.definition.isEmpty { return "" }
  let rules = header.definition.map { "<li>\($0)</li>" as Markup }
  let list: Markup = rules.isEmpty ? "" : "<ul>\(rules)</ul>"
  return """
    <section class="card rules"><details class="fold flat"><summary><span>How this was computed</span></summary><div>\
    \(htmlFacts(header.facts))\(list)</div></details></section>

    """
}
