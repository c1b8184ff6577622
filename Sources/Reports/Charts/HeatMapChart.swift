import EventModel
import Metrics

/// A table of shares whose cells are darker for greater shares: cohorts by age.
struct HeatMapChart {
  struct Row {
    var label: String
    var count: Int
    /// For each column; `nil` where nothing is known.
    var shares: [Double?]
  }

  var title: String
  var subtitle = ""
  /// Of the rows, such as `Month`.
  var rowName = ""
  var columns: [String]
  /// Above the columns, where there is no room for their names; `nil` for the names.
  var heads: [String]?
  var rows: [Row]

  /// Cohorts smaller than this have no colour: their shares jump.
  private static let least = 10

  private var steps: [Double] {
    let known = rows.filter { $0.count >= Self.least }.flatMap(\.shares).compactMap(\.self)
    return known.min() ?? 0 >= 0.45 ? [0.6, 0.7, 0.8, 0.9] : [0.2, 0.4, 0.6, 0.8]
  }

  var chart: Chart {
    let steps = steps
    let heads = (heads ?? columns).map { #"<th scope="col">\#($0)</th>"# as Markup }
    let lines = rows.map { row -> Markup in
      // Payments to come are one cell.
      let known = (row.shares.lastIndex { $0 != nil } ?? -1) + 1
      let cells = zip(columns, row.shares).prefix(known).map { cell($1, column: $0, row, steps) }
      let rest = known < columns.count ? Self.unknown(columns.count - known) : ""
      return #"<tr><th scope="row"><bdi>\#(row.label)</bdi></th><td class="n">\#(row.count)</td>\#(cells)\#(rest)</tr>"#
        + "\n"
    }
    let percents = steps.map { ChartUnit.text($0 * 100, decimals: 0) }
    let keys = (1...5).map { place -> Markup in
      #"<rect class="h\#(place)" x="\#(Double(place - 1) * 20)%" width="20%" height="12"/>"#
    }
    var chart = Chart(
      title: title, subtitle: subtitle,
      figure: """
        <div class="scroll" tabindex="0" role="group" aria-label="\(title)"><table class="heat heatbox chart">\
        <thead><tr>\(rowName.isEmpty ? #"<td class="t"></td>"# : #"<th scope="col" class="t">\#(rowName)</th>"# as Markup)<th scope="col" class="n">Began</th>\(heads)</tr></thead>\
        <tbody>
        \(lines)</tbody></table></div><p class="scale"><svg aria-hidden="true">\(keys)</svg> \
        under \(percents[0])% · \(percents[0]) · \(percents[1]) · \(percents[2]) · \(percents[3])% and more\
        <span class="nw"><svg class="key" aria-hidden="true"><rect fill="url(#kn)" width="11" height="11"/></svg> not known yet, or fewer than \(Self.least) followed</span></p>
        """)
    chart.isTall = rows.count > 6
    if rows.contains(where: { $0.count < Self.least }) {
      chart.note = "Cohorts under \(Self.least) are not coloured."
    }
    return chart
  }

  /// - Parameter columns: How many the cell is of.
  private static func unknown(_ columns: Int) -> Markup {
    let span: Markup = columns == 1 ? "" : #" colspan="\#(columns)""#
    return
      #"<td\#(span)><svg aria-hidden="true"><rect fill="url(#kn)" width="100%" height="36"/></svg><span class="vh">not known yet</span></td>"#
  }

  private func cell(_ share: Double?, column: String, _ row: Row, _ steps: [Double]) -> Markup {
    guard let share else { return Self.unknown(1) }
    let level = steps.count { share >= $0 } + 1
    let isSmall = row.count < Self.least
    let back: Markup = isSmall ? "" : #"<rect class="h\#(level)" width="100%" height="36" rx="2"/>"#
    let look: Markup = isSmall ? #" class="q""# : level == 5 ? #" class="inv""# : ""
    let text = "\(row.label), \(column): \(ChartUnit.share.value(share)) of \(countText(row.count))"
    return """
      <td><svg>\(back)<text\(look) x="50%" y="23">\(ChartUnit.text(share * 100, decimals: 0))</text>\
      <rect class="hit" width="100%" height="36" role="img"><title>\(text)</title></rect></svg></td>
      """
  }
}

/// The most payments, and about the most cells, of a heat map.
private let (mostPayments, mostCells) = (12, 160)

/// Returns heat maps of shares by age. If rows are by period, each plan or similar group has a separate chart, with the
/// newest periods last.
///
/// - Parameters:
///   - unit: Behind an age.
///   - word: Before a number.
func heatMaps(
  _ table: ChartTable, ages: [Int], title: String, subtitle: String, unit: String = "", word: String = ""
) -> [Chart] {
  table.groups.flatMap { app, rows -> [Chart] in
    // A share of few says nothing.
    func share(_ row: ChartTable.Row, _ age: Int) -> Double? {
      row.isFollowed("at_risk_\(age)") ? row.share("survival_\(age)") : nil
    }
    let begun = rows.filter { $0.count("subscriptions") ?? 0 > 0 }
    let rows = begun.filter { row in ages.contains { share(row, $0) != nil } }
    let left = begun.count - rows.count
    // An age that no row has reached has no column.
    func map(_ title: String, _ rows: [ChartTable.Row], label: (ChartTable.Row) -> String) -> Chart {
      let (all, mostAges) = (rows.count, word.isEmpty ? ages.count : mostPayments)
      // The newest periods.
      let rows = table.period == nil ? rows : rows.suffix(max(mostCells / max(1, min(ages.count, mostAges)), 12))
      let known = ages.filter { age in rows.contains { share($0, age) != nil } }
      let ages = Array(known.prefix(mostAges))
      var chart = HeatMapChart(
        title: title, subtitle: subtitle,
        rowName: table.period == "week" ? "Week of" : (table.period ?? "").capitalizedFirst,
        columns: ages.map { word.isEmpty ? "\($0)\(unit)" : "\(word) \($0)" },
        heads: word.isEmpty
          ? nil : ages.enumerated().map { $0 == 0 ? "\(word) \($1)".capitalizedFirst : "\($1)" },
        rows: rows.map { row in
          HeatMapChart.Row(
            label: label(row), count: row.count("subscriptions") ?? 0,
            shares: ages.map { share(row, $0) })
        }
      ).chart
      let notes = [
        chart.note, rows.count < all ? "The newest \(rows.count) of \(countText(all)) cohorts." : "",
        ages.count < known.count ? "The first \(ages.count) of \(known.count) payments." : "",
        left > 0
          ? "Left out: \(counted(left, "cohort")) with fewer than \(fewestFollowed) subscriptions followed to the first age."
          : "",
      ]
      chart.note = notes.filter { !$0.isEmpty }.joined(separator: " ")
      return chart
    }
    let named = table.isOneApp ? title : "\(title): \(app)"
    guard let period = table.period else {
      if rows.isEmpty || rows.count > mostDrawnRows { return [] }
      return [map(named, rows) { $0.keys.isEmpty ? app : $0.label() }]
    }
    let series = series(of: ChartTable.Group(title: app, app: rows.first?.app, rows: rows), without: period)
    if series.count > chartSeriesLimit { return [] }
    return series.map { name, rows in
      map(name.isEmpty ? named : "\(named), \(name)", rows) {
        let period = table.periods([$0.key(period) ?? ""], of: period, app: $0.app)[0]
        // Short names leave narrow screens room for more ages.
        return [String(period.title.trimmingPrefix("Week of ")), period.note].compactMap(\.self).joined(separator: ", ")
      }
    }
  }
}
