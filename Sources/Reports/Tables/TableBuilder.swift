import Basics
import EventModel
import Metrics

/// One line of a table: a row of the report, or a total.
struct TableLine {
  var values: [ReportValue]
  /// `true` for a total: of all rows, of an app or of the report.
  var isTotal = false
}

/// Makes a ``SummaryTable`` of a report.
struct TableBuilder {
  let report: Report
  let look: ReportLook
  let text: (String) -> String
  let places: [String: Int]
  /// Those shown, without those of other currencies.
  var rows: [[ReportValue]]
  var lines: [TableLine] = []
  var totalStart = 0
  var notes: [SummaryTable.Note] = []
  /// Further sentences, however many.
  var rowNotes: [String] = []
  /// Whether amounts in other currencies than that of the table are left out.
  private var hasOtherCurrencies = false
  /// Sentences that explain the headings.
  var definition: [String] = []
  let currency: String?
  let isOneApp: Bool
  let apps: [String: Report.AppInstant]
  /// The report's own totals by app; that of all apps has the empty name.
  let totals: [String: [ReportValue]]
  /// The apps with trials of a store.
  let appsWithTrials: Set<String>
  /// Whether nobody of any row counts yet, so that rows show how many are too recent.
  private(set) var areAllRecent = false
  let isForPage: Bool

  init(_ report: Report, _ options: RenderOptions, _ text: @escaping (String) -> String) {
    let readable = report.preparedForReading(options)
    let report = readable.report
    self.report = report
    self.text = text
    isForPage = options.isForPage
    look = ReportLook(report)
    rowNotes = report.cohortNotes.map { "\(text($0).capitalizedFirst)." } + report.notes.map(text)
    places = Dictionary(report.columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
    isOneApp = Set(report.asOf.map(\.app)).count == 1
    apps = report.appsByName
    let appPlace = places["app"] ?? 0
    totals = Dictionary(report.totals.map { ($0[appPlace].textValue ?? "", $0) }) { first, _ in first }
    appsWithTrials = report.appsWithTrials
    rows = report.rows
    let asked =
      options.columns.map { $0.split(separator: ",").contains { $0 == "currency" || $0 == "+currency" } } ?? false
    // A table of exchange rates has a row for each currency.
    let isByCurrency = asked || report.name == "rates" || Self.needsCurrencies(report)
    currency = isByCurrency ? nil : Self.currency(report)
    notes = readable.notes.map { SummaryTable.Note(text: $0) }
    if let currency, let place = places["currency"] {
      let others = rows.filter { Self.isForeign($0[place], to: currency) }
      rows.removeAll { Self.isForeign($0[place], to: currency) }
      if let note = otherCurrencies(others, place, options) {
        notes.insert(SummaryTable.Note(text: note), at: report.name == "compare" ? 0 : notes.endIndex)
        hasOtherCurrencies = true
      }
    } else if isByCurrency, !asked, !report.keepsCurrencies, report.name != "rates" {
      notes.append(SummaryTable.Note(text: "Each amount is in its currency; \(missingRates)"))
    }
    rows = rows.map { withBounds(withoutUnknown(withoutMissingTrials($0))) }
    if ["cadence", "funnel", "paths"].contains(report.name), let users = usersPlace {
      areAllRecent = rows.allSatisfy { count($0, users) == 0 } && sum("immature") > 0
    }
    notes = sentences() + notes + [testedForecasts, forecasts].compactMap(\.self).map { SummaryTable.Note(text: $0) }
    // Amounts that leave something out say so, whatever else there is to say.
    if hasOtherCurrencies, let place = notes.firstIndex(where: { $0.text.contains(missingRates) }), place > 2 {
      notes.insert(notes.remove(at: place), at: 2)
    }
    if let gaps { rowNotes.insert(gaps, at: 0) }
    if look.definesItself { definition = report.definition.map(text) }
    let warnings = report.asOf.flatMap { app in app.warnings.map { (app: app.app, text: $0) } }
    for warning in warnings.inGroups(by: \.text) {
      let apps = warning.values.inGroups(by: \.app).map(\.key)
      rowNotes.append(text("\(listText(apps)): \(warning.key)."))
    }
  }

  // MARK: Above the table

  /// A row without payers has none.
  var currencyText: String? {
    guard let currency, currency != "(none)" else { return nil }
    return report.name == "mrr" ? "\(text(currency)) a month" : text(currency)
  }

  var title: String {
    var parts = [text(look.title)]
    if isOneApp, let app = report.asOf.first {
      parts.append(text(app.app))
    } else if report.asOf.count > 1 {
      parts.append("\(report.asOf.count) apps")
    }
    if let by = parameter("by"), by != "none" {
      parts.append(
        "by " + by.split(separator: ",").map { look.heading(of: String($0)) }.map(text).joined(separator: ", "))
    }
    if let currencyText { parts.append(currencyText) }
    if let end = dataEnd(report.asOf, localDay: localDay) { parts.append(text(end)) }
    return parts.joined(separator: " · ")
  }

  /// Such as `cohort keen (looks ahead)`.
  private func words(_ filter: CohortFilter) -> String {
    let names = filter.names.map { text($0) + (report.looksAhead($0) ? " (looks ahead)" : "") }
    return "\(filter.isExcluding ? "not " : "")cohort \(names.joined(separator: ", "))"
  }

  var chosen: String? {
    var parts: [String] = []
    if let filters = parameter("where"), filters != "none" {
      parts += filters.split(separator: " ").map { filter in
        if let cohort = CohortFilter(String(filter)) { return words(cohort) }
        let sides = filter.split(separator: "=", maxSplits: 1).map(String.init)
        guard sides.count == 2 else { return text(String(filter)) }
        let isExcluding = sides[0].hasSuffix("!")
        let heading = look.heading(of: isExcluding ? String(sides[0].dropLast()) : sides[0])
        return text("\(heading)\(isExcluding ? " not" : "") \(sides[1].split(separator: ",").joined(separator: ", "))")
      }
    }
    let (from, to) = (parameter("from").flatMap(CivilDate.init), parameter("to").flatMap(CivilDate.init))
    let last = to.map { CivilDate(daysSince1970: $0.daysSince1970 - 1) }
    switch (from, last) {
    case (let from?, let last?) where from == last: parts.append(shortDayText(from))
    case (let from?, let last?):
      parts.append("\(shortDayText(from, hasYear: from.year != last.year)) to \(shortDayText(last))")
    case (let from?, nil): parts.append("from \(shortDayText(from))")
    case (nil, let last?): parts.append("to \(shortDayText(last))")
    case (nil, nil): break
    }
    if let week = parameter("week") { parts.append(text(week)) }
    if parameter("known_by") == "ts" { parts.append("no event says when it was received: its own time counts") }
    if parameter("unit") == "view" { parts.append("users once in each row") }
    if let attribution = parameter("attribution"), attribution != "last" {
      parts.append("credit to \(attribution == "all" ? "every paywall" : "the first paywall") of 7 days")
    }
    if let zone = parameter("timezone"), zone != "UTC" { parts.append("days of \(text(zone))") }
    return parts.isEmpty ? nil : parts.joined(separator: " · ")
  }

  func parameter(_ name: String) -> String? { report.parameter(name) }

  // MARK: Columns

  /// The columns asked for, keys aside.
  func shownColumns(_ list: String?) throws(UnknownColumn) -> [ShownColumn] {
    let values = report.columns.filter { $0.kind != .low && $0.kind != .high }
    func known(_ name: Substring) throws(UnknownColumn) -> ShownColumn {
      if let core = look.core?.first(where: { $0.name == name }), places[core.name] != nil { return core }
      guard places[String(name)] != nil else {
        throw UnknownColumn(
          option: "--columns", column: String(name), columns: report.columns.map(\.name),
          headed: report.column(headed: name))
      }
      return ShownColumn(String(name), look.heading(of: String(name)), short: look.heading(of: String(name)))
    }
    let all = values.filter { $0.kind != .key }.map { column in
      let style = look.core?.first { $0.name == column.name }?.style == .negative ? ShownColumn.Style.negative : .plain
      return ShownColumn(
        column.name, look.heading(of: column.name), style: style, short: look.heading(of: column.name))
    }
    guard let list else { return knownByNow(look.core?.filter { places[$0.name] != nil } ?? all) }
    if list == "all" { return all }
    let names = list.split(separator: ",")
    guard names.contains(where: { $0.hasPrefix("+") || $0.hasPrefix("-") }) else {
      var shown: [ShownColumn] = []
      for name in names { shown.append(try known(name)) }
      return shown
    }
    var shown = look.core?.filter { places[$0.name] != nil } ?? all
    for name in names {
      let column = try known(name.hasPrefix("+") || name.hasPrefix("-") ? name.dropFirst() : name)
      shown.removeAll { $0.name == column.name }
      if !name.hasPrefix("-") { shown.append(column) }
    }
    return shown
  }

  /// Without what no row has anything of.
  func knownByNow(_ core: [ShownColumn]) -> [ShownColumn] {
    // Of users who are all too recent, each number is still to come.
    if areAllRecent { return core }
    return core.filter { column in
      if let followed = followedColumn(column.name) { return isFollowed(followed) }
      if column.style == .noneForZero { return sum(column.name) > 0 }
      if report.name == "funnel", column.name.hasPrefix("trial_"), let users = places["trial_users"] {
        return rows.contains { count($0, users) > 0 }
      }
      guard report.columns[places[column.name] ?? 0].kind == .rate || column.name.hasPrefix("value_") else {
        return true
      }
      let place = places[column.name] ?? 0
      return rows.contains { row in
        (place..<min(place + 3, row.count)).contains {
          row[$0].readableNumber(percentDecimals: 1) != nil && row[$0].storedText != nil
        }
          && (row[place].storedText != nil || column.name.hasPrefix("value_"))
      }
    }
  }

  /// The column that counts whoever is followed long enough for an age.
  func followedColumn(_ name: String) -> String? {
    ReportKind.of(report)?.followed(ReportColumn(name, .rate)).flatMap { places[$0] == nil ? nil : $0 }
  }

  func isFollowed(_ column: String) -> Bool {
    guard let place = places[column] else { return false }
    // Nobody is followed any more where all have left.
    let survival = column.hasPrefix("at_risk_") ? places["survival_" + column.dropFirst("at_risk_".count)] : nil
    return rows.contains { row in count(row, place) >= fewestFollowed || survival.map { row[$0].share == 0 } ?? false }
  }

  func count(_ row: [ReportValue], _ place: Int) -> Int {
    if case .count(let count) = row[place] { count } else { 0 }
  }

  func sum(_ name: String) -> Int {
    places[name].map { place in rows.reduce(0) { $0 + count($1, place) } } ?? 0
  }

  func columns(_ shown: [ShownColumn]) -> [SummaryTable.Column] {
    let names = Set(shown.map(\.name))
    let keys = report.columns.enumerated().filter { _, column in
      guard column.kind == .key, !names.contains(column.name) else { return false }
      return !(column.name == "app" && isOneApp || column.name == "currency" && currency != nil)
    }
    let isDated = keys.contains { isPeriod($1.name) }
    let named = keys.filter { $1.name != "app" }
    let marked = named.isEmpty ? keys : named
    var columns = keys.enumerated().map { number, key in
      keyColumn(
        key.offset, isFirst: number == 0,
        hasMarks: isDated ? isPeriod(key.element.name) : marked.map(\.offset) == [key.offset])
    }
    // Where all keys were asked for, the first one names the total.
    let asked = columns.isEmpty ? shown.first { $0.name != "app" && isKey($0.name) }?.name : nil
    // Of one row nothing says what it is but the title.
    if columns.isEmpty, asked == nil, lines.contains(where: \.isTotal) || shown.isEmpty {
      columns = [
        SummaryTable.Column(
          name: "", heading: "", isKey: true,
          cells: lines.map { SummaryTable.Cell(text: $0.isTotal || lines.count == 1 ? total : "") })
      ]
    }
    var hasRetentionHeading = false
    return columns
      + shown.filter { !($0.name == "app" && isOneApp) }.map { column in
        var made = valueColumn(column)
        made.isFirstToGo = column.isFirstToGo
        for place in lines.indices where column.name == asked && lines[place].isTotal { made.cells[place].text = total }
        if report.name.hasPrefix("retention"), column.name.hasPrefix("survival_"), !hasRetentionHeading {
          hasRetentionHeading = true
          made.heading = "still subscribed \(made.heading)"
          made.shortHeading = made.heading
        }
        return made
      }
  }

  /// The name of the total; it says the currency where payments in others are left out.
  private var total: String {
    let isOfPayments = look.kind.map { $0.hasPaymentCurrency && $0.rowsAddUp } ?? false
    return hasOtherCurrencies && isOfPayments ? currency.map { "\($0) only" } ?? "all" : "all"
  }

  func isPeriod(_ name: String) -> Bool { Dimension.period(name) != nil }

  private func isKey(_ name: String) -> Bool { places[name].map { report.columns[$0].kind == .key } ?? false }

  func keyColumn(_ place: Int, isFirst: Bool, hasMarks: Bool) -> SummaryTable.Column {
    let name = report.columns[place].name
    let appPlace = places["app"]
    return SummaryTable.Column(
      name: name, heading: text(look.heading(of: name)), isKey: true,
      cells: lines.map { line in
        guard case .text(let label) = line.values[place] else { return SummaryTable.Cell(text: "") }
        if line.isTotal {
          let isApp = name == "app" && !label.isEmpty
          return SummaryTable.Cell(text: isApp ? text(label) : isFirst || appIsNamed(line, before: place) ? total : "")
        }
        var cell = SummaryTable.Cell(text: text(readableLabel(label, of: name)))
        if hasMarks { (cell.mark, cell.shortMark) = recentMark(line.values, isPeriod: isPeriod(name)) }
        if hasMarks, cell.mark.isEmpty,
          let part = report.coverage(label, of: name, in: appPlace == nil ? report.onlyApp : app(of: line.values))
        {
          let unit = part.unit == .day ? "d" : "h"
          cell.mark = "\(part.covered) of \(part.whole) \(unit)"
          cell.shortMark = "\(part.covered)/\(part.whole) \(unit)"
        }
        return cell
      })
  }

  func valueColumn(_ shown: ShownColumn) -> SummaryTable.Column {
    guard let place = places[shown.name] else {
      return SummaryTable.Column(
        name: shown.name, heading: shown.heading, cells: lines.map { _ in SummaryTable.Cell() })
    }
    let kinds = report.columns[place...].prefix(3).map(\.kind)
    let hasBounds =
      kinds.count == 3 && kinds[1] == .low && kinds[2] == .high
      && (shown.style != .withoutBounds || isForPage)
    let shares = lines.map { $0.values[place].share }
    let decimals = percentDecimals(shares.lazy.compactMap(\.self))
    var cells = lines.map { line in
      var cell = cell(line.values, place, shown.style, hasBounds: hasBounds, decimals: decimals)
      cell.isOpen = !line.isTotal && kinds.first == .rate && isOpen(line.values)
      if cell.bounds.isEmpty, cell.text?.isEmpty == false, isOfFew(place, line.values) { cell.text = "too few" }
      // Values that cannot be added are empty, not undefined.
      if line.isTotal, cell.text == nil { cell.text = "" }
      if isUnnamed, place == usersPlace, isTooRecent(line.values) { cell.text = nil }
      if areAllRecent, place == usersPlace, let immature = places["immature"] {
        cell.text = "\(countText(count(line.values, immature))) too recent"
      }
      if !line.isTotal, cell.text == nil, cell.bounds.isEmpty, isNotYet(shown.name, line.values) {
        // Beside the numbers, where they have bounds, so that these need no more room.
        if hasBounds { cell.bounds = notYet } else { cell.text = notYet }
      }
      return cell
    }
    // Without any bounds, a line below would stand for it alone.
    if cells.allSatisfy({ $0.bounds.isEmpty || $0.bounds == notYet }) {
      for place in cells.indices where !cells[place].bounds.isEmpty {
        (cells[place].text, cells[place].bounds) = (notYet, "")
      }
    }
    let kind = report.columns[place].kind
    let isDay = look.kind?.info(of: report.columns[place])?.unit == "day"
    var isText = (kind == .text || kind == .key) && shown.style != .effect && !isDay
    if case .range = shown.style { isText = true }
    return SummaryTable.Column(
      name: shown.name, heading: text(shown.heading), shortHeading: text(shown.short), isText: isText, cells: cells,
      shares: shares,
      intervals: lines.map { line in
        guard hasBounds, let low = line.values[place + 1].share, let high = line.values[place + 2].share, low <= high
        else { return nil }
        return low...high
      })
  }

  func cell(
    _ row: [ReportValue], _ place: Int, _ style: ShownColumn.Style, hasBounds: Bool, decimals: Int
  ) -> SummaryTable.Cell {
    let name = report.columns[place].name
    func number(_ value: ReportValue, hasSign: Bool = false) -> String? {
      if style == .points {
        return value.share.flatMap { pointsNumber($0) }.map { hasSign ? "\($0) pp" : $0 }
      }
      let value = style == .negative ? value.negated : value
      let number = value.readableNumber(percentDecimals: decimals, hasSign: hasSign)
      return style == .signed ? number.map(withPlus) : number
    }
    if hasBounds, style == .points, let tested = report.testedPlace(of: place, row), let low = row[tested + 1].share,
      let high = row[tested + 2].share
    {
      return SummaryTable.Cell(text: number(row[tested]), bounds: pointsBounds(low, high) ?? "")
    }
    if hasBounds, let tested = report.testedPlace(of: place, row), let low = number(row[tested + 1]),
      let high = number(row[tested + 2])
    {
      return SummaryTable.Cell(text: number(row[tested]), bounds: "\(low) to \(high)")
    }
    if case .range(let end) = style {
      guard let last = places[end] else { return SummaryTable.Cell() }
      if case .text(let from) = row[place], case .text(let to) = row[last] {
        return SummaryTable.Cell(text: isRunning(to, row) ? sinceText(from) : daysText(from, to))
      }
      guard let low = number(row[place]), let high = number(row[last]) else { return SummaryTable.Cell() }
      return SummaryTable.Cell(text: low == high ? "" : "\(low) to \(high)")
    }
    if style == .effect, case .text(let label) = row[place] { return effectCell(label) }
    if case .text(let label) = row[place] { return SummaryTable.Cell(text: text(readableLabel(label, of: name))) }
    if style == .noneForZero, row[place] == .count(0) { return SummaryTable.Cell() }
    if lacksRange(name, row) { return SummaryTable.Cell() }
    var cell = SummaryTable.Cell(text: number(row[place], hasSign: true))
    if hasBounds, let low = number(row[place + 1]), let high = number(row[place + 2]), low != high {
      cell.bounds = "\(low) to \(high)"
      if isForecast(name, row) { cell.text = nil }
      if style == .points, let low = row[place + 1].share, let high = row[place + 2].share {
        cell.isBetter = low > 0 ? true : high < 0 ? false : nil
      }
    } else if hasBounds, name.hasSuffix("break_even_day"), let low = number(row[place + 1]) {
      if row[place + 2].storedText == nil { cell.bounds = "\(low) or later" }
    }
    return cell
  }
}
