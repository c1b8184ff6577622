import Metrics

/// A picture of a report as markup: positions in per cent and heights in pixels, so that nothing scales and no text with
/// it; no script, no font and no file of its own.
///
/// Each point has its values as a title, and all of them stand in a table below it.
public struct Chart: Sendable, Hashable {
  struct Series: Sendable, Hashable {
    var name: String
    /// A class of the stylesheet: `f0` to `f6`.
    var color: Int
  }

  public var title: String
  public var subtitle = ""
  /// Above the picture, in the order of the series; empty for a single one.
  var legend: [Series] = []
  var figure: Markup
  /// The drawing behind the figure; `nil` where it is a table.
  var plot: Plot?
  /// Where it is as a file of its own.
  var address: String?
  /// Column names and rows of texts; the first column names the row. Empty where the picture is a table itself.
  var table: (columns: [String], rows: [[String]]) = ([], [])
  public var note = ""
  /// Whether the picture is as high as a list of filters beside it.
  var isTall = true

  init(title: String, subtitle: String = "", legend: [Series] = [], figure: Markup) {
    (self.title, self.subtitle, self.legend, self.figure) = (title, subtitle, legend, figure)
  }

  /// - Parameter label: The description for screen readers.
  init(title: String, subtitle: String = "", legend: [Series] = [], plot: Plot, label: String) {
    self.init(title: title, subtitle: subtitle, legend: legend, figure: plot.figure(label))
    self.plot = plot
  }

  public static func == (left: Chart, right: Chart) -> Bool { left.markup == right.markup }

  public func hash(into hasher: inout Hasher) { hasher.combine(markup) }

  /// The picture as a card of a page that has the stylesheet.
  public var markup: Markup { pageCard(title, subtitle: subtitle, aside: legendMarkup, body) }

  /// The picture with its note and table, without a heading.
  var body: Markup {
    let note: Markup = note.isEmpty ? "" : "<p class=\"note\">\(spoken(note))</p>\n"
    let below = list + file
    return "\(figure)\n\(note)\(below.isEmpty ? "" : "<div class=\"below\">\(below)</div>\n" as Markup)"
  }

  private var file: Markup {
    guard plot != nil, let address else { return "" }
    return "<a class=\"svg\" href=\"\(address)\">SVG<span class=\"vh\"> of \(title)</span></a>"
  }

  var legendMarkup: Markup {
    if legend.count < 2 { return "" }
    let keys = legend.map { series -> Markup in
      """
      <span><svg class="key" aria-hidden="true"><rect class="f\(series.color)" width="11" height="11" rx="2"/></svg>\
      <bdi>\(chartLabel(series.name, characters: 32))</bdi></span>
      """
    }
    return #"<p class="legend">\#(keys)</p>"#
  }

  private var list: Markup {
    if table.rows.isEmpty { return "" }
    let heads = table.columns.enumerated().map { place, name -> Markup in
      #"<th scope="col"\#(place == 0 ? #" class="t""# : "" as Markup)><bdi>\#(name)</bdi></th>"#
    }
    let rows = table.rows.map { row -> Markup in
      let cells = row.enumerated().map { place, text -> Markup in
        place == 0 ? "<th scope=\"row\"><bdi>\(text)</bdi></th>" : "<td>\(text)</td>"
      }
      return "<tr>\(cells)</tr>\n"
    }
    return """
      <details class="aslist"><summary>Show as a table</summary><div class="scroll" tabindex="0" role="group" \
      aria-label="\(title)"><table><thead><tr>\(heads)</tr></thead><tbody>
      \(rows)</tbody></table></div></details>
      """
  }
}

/// Colours that series can have; a chart has at most as many.
let chartSeriesLimit = 6

/// The colour of an app among all apps of the store by name, the same on every page; `nil` stands for all.
func appColor(_ app: String?, among apps: [String]) -> Int {
  let names = apps.sorted(by: precedesInBytes)
  return app.flatMap(names.firstIndex).map { $0 % (chartSeriesLimit - 1) + 1 } ?? 1
}

/// The colours of variants, apps or other series: `control` is grey, what has no variant the last one, others in order.
///
/// - Parameter order: All variants by first exposure, so that each has its colour wherever it is shown; names that are
///   not among them come after.
func chartColors(_ names: [String], order: [String] = []) -> [Int] {
  let known = order.filter { $0 != "control" && $0 != "(unattributed)" }
  var next = known.count
  var taken: Set<Int> = []
  return names.map { name in
    if name == "control" { return 0 }
    if name == "(unattributed)" || name == "no paywall known" { return chartSeriesLimit }
    let place = known.firstIndex(of: name) ?? next
    if place == next { next += 1 }
    // Of more variants than colours, those side by side differ.
    let all = (0..<chartSeriesLimit - 1).map { (place + $0) % (chartSeriesLimit - 1) + 1 }
    let color = all.first { !taken.contains($0) } ?? all[0]
    taken.insert(color)
    return color
  }
}

/// A name in the head of a column, cut in the middle.
func cutName(_ name: String, characters: Int = 28) -> String {
  let text = visible(name)
  guard displayWidth(text) > characters else { return text }
  return "\(truncated(text, to: characters - 8))\(String(text.suffix(8)))"
}

/// ``cutName(_:characters:)`` with the whole name on hover.
func shortName(_ name: String) -> Markup {
  let cut = cutName(name)
  return cut == visible(name) ? "<bdi>\(name)</bdi>" : "<bdi title=\"\(literal: visible(name))\">\(cut)</bdi>"
}

/// A text that has room in so many characters.
func chartLabel(_ text: String, characters: Int) -> String {
  let visible = visible(text)
  return displayWidth(visible) <= characters ? visible : truncated(visible, to: characters)
}

/// About how wide a text is in a chart, generously; pixels.
func chartTextWidth(_ text: String) -> Double { Double(displayWidth(text)) * 6.9 }

/// A coordinate or length: at most two decimals, the same on every machine.
func svgNumber(_ value: Double) -> String { shortNumber(value) ?? "0" }

/// A number with at most two decimals, as many as it has.
func shortNumber(_ value: Double) -> String? {
  guard let scaled = scaledHalfToEven(value, decimals: 2) else { return nil }
  var text = fixedPointText(scaled, decimals: 2)
  while text.hasSuffix("0") { text.removeLast() }
  if text.hasSuffix(".") { text.removeLast() }
  return text
}
