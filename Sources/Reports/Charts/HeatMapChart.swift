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
      let cells = zip(columns, row.shares).map { cell($1, column: $0, row, steps) }
      return #"<tr><th scope="row"><bdi>\#(row.label)</bdi></th><td class="n">\#(row.count)</td>\#(cells)</tr>"#
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
        % under \(percents[0]) · \(percents[0]) · \(percents[1]) · \(percents[2]) · \(percents[3]) and more\
        <span class="nw"><svg class="key" aria-hidden="true"><rect fill="url(#kn)" width="11" height="11"/></svg> not known yet, or fewer than \(Self.least) followed</span></p>
        """)
    chart.isTall = rows.count > 6
    if rows.contains(where: { $0.count < Self.least }) {
      chart.note = "Cohorts under \(Self.least) are not coloured."
    }
    return chart
  }

  private func cell(_ share: Double?, column: String, _ row: Row, _ steps: [Double]) -> Markup {
    guard let share else {
      return
        #"<td><svg aria-hidden="true"><rect fill="url(#kn)" width="100%" height="36"/></svg><span class="vh">not known yet</span></td>"#
    }
    let level = steps.count { share >= $0 } + 1
    let isSmall = row.count < Self.least
    let back: Markup = isSmall ? "" : #"<rect class="h\#(level)" width="100%" height="36" rx="2"/>"#
    let look: Markup = isSmall ? #" class="q""# : level == 5 ? #" class="inv""# : ""
    let text = "\(row.label), \(column): \(ChartUnit.share.value(share)) of \(countText(row.count))"
    return """
      <td><svg role="img" aria-label="\(text)">\(back)<text\(look) x="50%" y="23">\(ChartUnit.text(share * 100, decimals: 0))</text>\
      <rect class="hit" width="100%" height="36"><title>\(text)</title></rect></svg></td>
      """
  }
}
