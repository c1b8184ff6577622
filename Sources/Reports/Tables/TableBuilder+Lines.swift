import Metrics
import Statistics

/// The order of rows, and their totals.
extension TableBuilder {
  /// Sorts, limits and adds the totals.
  mutating func arrange(_ options: RenderOptions) throws(UnknownColumn) {
    let all = rows
    if let sort = options.sort {
      var sortable = report
      sortable.rows = rows
      let byColumn = try sorted(sortable, by: sort)
      if !report.hasWordsForNumbers { rows = byColumn }
    } else if !look.keepsOrder {
      rows = ordered(rows[...], by: keyPlaces)
    }
    if let limit = options.limit, limit < rows.count {
      let newest = options.sort == nil ? newest(limit) : nil
      let order = options.sort.map { ", sorted by \(text($0))" } ?? (newest == nil ? "" : ", the newest")
      rows = newest ?? Array(rows.prefix(limit))
      // The head of a page's table has the numbers.
      if !isForPage || !order.isEmpty {
        rowNotes.append("\(countText(rows.count)) of \(countText(all.count)) rows\(order).")
      }
    }
    let hasTotals = look.totals != .none && parameter("unit") != "view" && parameter("attribution") != "all"
    guard let appPlace = places["app"], hasTotals else {
      lines = rows.map { TableLine(values: $0) }
      totalStart = lines.count
      return
    }
    let isWhole = options.sort == nil && rows.count == all.count
    let byApp = isWhole && !isOneApp ? Dictionary(grouping: all) { $0[appPlace].textValue ?? "" } : [:]
    func addOwnTotal(_ row: [ReportValue]) {
      addTotal(of: byApp[row[appPlace].textValue ?? ""] ?? [], app: row[appPlace])
    }
    for row in rows {
      if let last = lines.last, !last.isTotal, last.values[appPlace] != row[appPlace] { addOwnTotal(last.values) }
      lines.append(TableLine(values: row))
    }
    if let last = lines.last { addOwnTotal(last.values) }
    totalStart = lines.count
    if all.count > 1 { addTotal(of: all, app: nil) }
  }

  /// Returns the rows of the newest periods: as many whole periods as the limit has room for, or the first rows of the
  /// newest one; `nil` if rows are of no period.
  private func newest(_ limit: Int) -> [[ReportValue]]? {
    guard let place = keyPlaces.first(where: { isPeriod(report.columns[$0].name) }) else { return nil }
    let counts = Dictionary(grouping: rows) { $0[place].textValue ?? "" }.mapValues(\.count)
    var (kept, room): (Set<String>, Int) = ([], limit)
    for period in counts.keys.sorted(by: { precedesInBytes($1, $0) }) {
      room -= counts[period] ?? 0
      if room < 0, !kept.isEmpty { break }
      kept.insert(period)
    }
    return Array(rows.filter { kept.contains($0[place].textValue ?? "") }.prefix(limit))
  }

  /// - Parameters:
  ///   - own: The rows that it is of.
  ///   - app: Their app; `nil` for all.
  mutating func addTotal(of own: [[ReportValue]], app: ReportValue?) {
    let appPlace = places["app"] ?? 0
    guard own.count > 1 else { return }
    // The closing of one app's last period stands in its last row.
    let isOfPeriods = look.totals == .sumsOfMovements && keyPlaces.contains { isPeriod(report.columns[$0].name) }
    if isOfPeriods, report.name == "mrr", isOneApp { return }
    let fixed = Set(
      report.columns.filter { column in
        guard let kind = look.kind else { return false }
        return !kind.addsUp(column) || isOfPeriods && kind.info(of: column)?.isState == true
      }.map(\.name))
    var values = TotalRow(of: own, in: report, except: fixed).values
    // The report's own totals of an app replace those that no row gives.
    let name = app ?? (isOneApp ? own[0][appPlace] : .text(""))
    if let total = totals[name.textValue ?? ""], report.rows.count > 1 {
      // Days of payback are counts that do not add up.
      let keepsCounts = report.name != "payback"
      for (place, column) in report.columns.enumerated()
      where column.kind != .key && !(keepsCounts && column.kind == .count) { values[place] = total[place] }
    }
    if report.name == "mrr", let period = keyPlaces.first(where: { isPeriod(report.columns[$0].name) }) {
      for (name, isFirst) in [("opening", true), ("closing", false)] {
        if let place = places[name] { values[place] = state(place, of: own, by: period, isFirst: isFirst) }
      }
    }
    if let rate = places["trial_rate"], report.name == "funnel" {
      // Viewers of apps without trials do not count as viewers who started none.
      let known = own.filter { $0[rate].storedText != nil }
      values.replaceSubrange(
        rate..<rate + 3, with: TotalRow(of: known, in: report, except: fixed).values[rate..<rate + 3])
    }
    values = withBounds(withoutUnknown(values))
    if let app { values[appPlace] = app }
    let shown = look.core?.compactMap { places[$0.name] } ?? Array(report.columns.indices)
    guard shown.contains(where: { report.columns[$0].kind != .key && values[$0].storedText != nil }) else { return }
    lines.append(TableLine(values: values, isTotal: true))
  }

  /// Returns the sum of an amount over the first or the last period of each series of rows.
  private func state(_ place: Int, of rows: [[ReportValue]], by period: Int, isFirst: Bool) -> ReportValue {
    let series = Dictionary(grouping: rows) { row in keyPlaces.filter { $0 != period }.map { row[$0].textValue ?? "" } }
    let ends = series.values.compactMap { rows in
      isFirst
        ? rows.min { precedesInBytes($0[period].textValue ?? "", $1[period].textValue ?? "") }
        : rows.max { precedesInBytes($0[period].textValue ?? "", $1[period].textValue ?? "") }
    }
    return TotalRow(of: ends, in: report, except: []).values[place]
  }

  /// A row without rates of trials, if its app has no trials of a store.
  func withoutMissingTrials(_ row: [ReportValue]) -> [ReportValue] {
    guard let app = places["app"], report.trialsColumn.map({ places[$0] != nil }) == true,
      let rate = places["trial_rate"],
      !appsWithTrials.contains(row[app].textValue ?? "")
    else { return row }
    var row = row
    for place in rate..<rate + 3 { row[place] = .rate(nil) }
    return row
  }

  /// A row without the rates of outcomes that the data have no events of, and without a survival of 0 at an age greater than
  /// that of the data, or of fewer than ``fewestFollowed`` subscriptions: it has no interval that would say how little is
  /// known.
  func withoutUnknown(_ row: [ReportValue]) -> [ReportValue] {
    var row = row
    for name in report.unknownRates {
      guard let rate = places[name] else { continue }
      row[rate] = .rate(nil)
      for bound in report.columns.indices.dropFirst(rate + 1).prefix(2)
      where [.low, .high].contains(report.columns[bound].kind) { row[bound] = .rate(nil) }
    }
    guard let began = places["subscriptions"], report.name == "retention" else { return row }
    for (place, column) in report.columns.enumerated() where column.name.hasPrefix("survival_") && row[place].share == 0
    {
      let age = Int(column.name.dropFirst("survival_".count)) ?? 0
      if count(row, began) < fewestFollowed || age > daysOfData ?? .max { row[place] = .rate(nil) }
    }
    return row
  }

  /// A row in which shares of all or none that have no log–log interval have Wilson's, of those who count.
  func withBounds(_ row: [ReportValue]) -> [ReportValue] {
    var row = row
    for place in report.columns.indices.dropLast(2)
    where report.columns[place].kind == .rate && report.columns[place + 1].kind == .low {
      guard let share = row[place].share, share == 0 || share == 1, row[place + 1].storedText == nil,
        let units = units(place, row), units > 0,
        let interval = wilsonInterval(successes: share * Double(units), trials: Double(units))
      else { continue }
      (row[place + 1], row[place + 2]) = (.rate(interval.low), .rate(interval.high))
    }
    return row
  }

  /// Whether a share, shown without its interval, is of too few to say anything.
  func isOfFew(_ place: Int, _ row: [ReportValue]) -> Bool {
    guard report.columns[place].kind == .rate, row[place].share != nil, let units = units(place, row) else {
      return false
    }
    return units < fewestFollowed
  }

  /// The number of units that a share is of; `nil` where no column says it.
  private func units(_ place: Int, _ row: [ReportValue]) -> Int? {
    let column = report.columns[place]
    // Nobody is followed any more where all have left.
    if column.name.hasPrefix("survival_"), row[place].share == 0 { return places["churned"].map { count(row, $0) } }
    if let followed = followedColumn(column.name) { return places[followed].map { count(row, $0) } }
    // Trials have no column of their introductory ones, which are at most those that are over.
    let most = column.name == "cancel_rate" ? places["matured"].map { count(row, $0) } : nil
    return look.kind?.units(of: column, in: row, report) ?? most
  }

  var keyPlaces: [Int] { report.columns.indices.filter { report.columns[$0].kind == .key } }

  /// Returns rows ordered by each key in turn: apps and periods ascending, control before the other variants, an
  /// unknown paywall last, and all else by size.
  func ordered(_ rows: ArraySlice<[ReportValue]>, by keys: [Int]) -> [[ReportValue]] {
    guard let key = keys.first, rows.count > 1 else { return Array(rows) }
    let name = report.columns[key].name
    let groups = Dictionary(grouping: rows) { $0[key].textValue ?? "" }
    func rank(_ label: String) -> Int { label == "control" ? 0 : label == "(unattributed)" ? 2 : 1 }
    // Of many variants, a reader looks for the largest, not for the first ones.
    let hasManyVariants = name == "variant" && groups.count > 12
    let isSized =
      hasManyVariants || !["app", "variant", "experiment", "tier", "currency"].contains(name) && !isPeriod(name)
    let exposed = name == "variant" && !hasManyVariants ? variantRanks(of: rows.first) : [:]
    let sizes = isSized ? groups.mapValues(size) : [:]
    let labels = groups.keys.sorted { left, right in
      if rank(left) != rank(right), !isPeriod(name), name != "app" { return rank(left) < rank(right) }
      let (one, other) = (exposed[left] ?? .max, exposed[right] ?? .max)
      if one != other { return one < other }
      let (first, second) = (sizes[left] ?? 0, sizes[right] ?? 0)
      return first != second ? first > second : precedesInBytes(left, right)
    }
    return labels.flatMap { ordered((groups[$0] ?? [])[...], by: Array(keys.dropFirst())) }
  }

  /// The places of an app's variants by first exposure; those without an exposure have none.
  func variantRanks(of row: [ReportValue]?) -> [String: Int] {
    let variants = row.flatMap(app)?.variants ?? []
    return Dictionary(variants.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  /// Users or money of rows: their first column of counts or amounts that is shown.
  func size(_ rows: [[ReportValue]]) -> Double {
    let shown = look.core?.compactMap { places[$0.name] } ?? Array(report.columns.indices)
    let measured = shown.first { [.count, .money].contains(report.columns[$0].kind) }
    guard let measured else { return 0 }
    return rows.reduce(0) { sum, row in
      switch row[measured] {
      case .count(let count): sum + Double(count)
      case .money(let amount?, _): sum + Double(amount)
      default: sum
      }
    }
  }

  /// The movement up and down as one column, so that the steps that a narrow window shows still add up.
  var folded: SummaryTable.Folded? {
    guard report.name == "mrr", let up = places["expansion"], let down = places["contraction"] else { return nil }
    let cells = lines.map { line -> SummaryTable.Cell in
      guard case .money(let gained?, let currency) = line.values[up], case .money(let lost?, _) = line.values[down]
      else { return SummaryTable.Cell(text: line.isTotal ? "" : nil) }
      return SummaryTable.Cell(
        text: ReportValue.money(gained + lost, currency: currency).readableNumber(percentDecimals: 1))
    }
    let column = SummaryTable.Column(name: "changed", heading: "changed", shortHeading: "changed", cells: cells)
    return SummaryTable.Folded(names: ["expansion", "contraction"], column: column)
  }
}

extension Report {
  /// The column of viewers or views that started a trial of a store.
  var trialsColumn: String? {
    switch name {
    case "funnel": "trial_users"
    case "cadence", "cadence_gaps": "trial_views"
    default: nil
    }
  }

  /// The apps with a trial of a store in any row; empty where the report does not count trials.
  var appsWithTrials: Set<String> {
    guard let app = place("app"), let trials = trialsColumn.flatMap({ place($0) }) else { return [] }
    return Set(rows.filter { $0[trials] != .count(0) }.map { $0[app].textValue ?? "" })
  }
}
