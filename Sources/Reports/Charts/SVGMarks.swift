/// Returns a coordinate or length with at most two decimals, identical on every machine.
func svgNumber(_ value: Double) -> String {
  guard let scaled = scaledHalfToEven(value, decimals: 2) else { return "0" }
  var text = fixedPointText(scaled, decimals: 2)
  while text.hasSuffix("0") { text.removeLast() }
  if text.hasSuffix(".") { text.removeLast() }
  return text
}

/// The markup lines of a chart.
struct SVGMarks {
  private(set) var lines: [String] = []

  mutating func rect(x: Double, y: Double, width: Double, height: Double, class name: String, opacity: Double? = nil) {
    let fill = opacity.map { #" fill-opacity="\#(svgNumber($0))""# } ?? ""
    lines.append(
      #"<rect class="\#(name)" x="\#(svgNumber(x))" y="\#(svgNumber(y))" width="\#(svgNumber(max(0, width)))" height="\#(svgNumber(max(0, height)))"\#(fill)/>"#
    )
  }

  mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, class name: String) {
    lines.append(
      #"<line class="\#(name)" x1="\#(svgNumber(x1))" y1="\#(svgNumber(y1))" x2="\#(svgNumber(x2))" y2="\#(svgNumber(y2))"/>"#
    )
  }

  mutating func circle(x: Double, y: Double, radius: Double, class name: String) {
    lines.append(
      #"<circle class="\#(name)" cx="\#(svgNumber(x))" cy="\#(svgNumber(y))" r="\#(svgNumber(radius))"/>"#)
  }

  /// Adds a line through points; nothing for fewer than two.
  mutating func path(_ points: [(x: Double, y: Double)], class name: String, isClosed: Bool = false) {
    guard points.count > 1 else { return }
    let places = points.map { "\(svgNumber($0.x)) \(svgNumber($0.y))" }
    lines.append(#"<path class="\#(name)" d="M\#(places.joined(separator: "L"))\#(isClosed ? "Z" : "")"/>"#)
  }

  /// - Parameter text: Untrusted text; it is escaped.
  mutating func text(_ text: String, x: Double, y: Double, class name: String = "") {
    let attribute = name.isEmpty ? "" : #" class="\#(name)""#
    lines.append(#"<text\#(attribute) x="\#(svgNumber(x))" y="\#(svgNumber(y))">\#(htmlEscaped(text))</text>"#)
  }

  /// Adds the names and colours of several series, in lines of a given width; nothing for a single series.
  ///
  /// - Returns: The height of the legend.
  mutating func legend(_ names: [String], x: Double, y: Double, width: Double) -> Double {
    if names.count < 2 { return 0 }
    var (left, top) = (x, y)
    for (series, name) in names.enumerated() {
      let label = chartLabel(name, characters: 32)
      let own = 18 + chartTextWidth(label) + 16
      if left > x, left + own > x + width { (left, top) = (x, top + 18) }
      rect(x: left, y: top + 1, width: 12, height: 10, class: "s\(series)")
      text(label, x: left + 18, y: top + 10)
      left += own
    }
    return top - y + 24
  }
}

/// Returns the approximate width of a text in a chart, on the generous side.
func chartTextWidth(_ text: String) -> Double { Double(displayWidth(text)) * 6.9 }

/// Returns a text shortened to a number of characters.
func chartLabel(_ text: String, characters: Int) -> String {
  let visible = visible(text)
  return displayWidth(visible) <= characters ? visible : truncated(visible, to: characters)
}
