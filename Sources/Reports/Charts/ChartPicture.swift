extension Chart {
  /// The word that an address has for it, such as `viewers-who-pay`.
  public var name: String {
    title.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.joined(separator: "-")
  }

  /// The chart as a file of its own, in light colours and without a stylesheet; `nil` where it is a table.
  ///
  /// - Parameter source: The line below the picture that names the report and its dates.
  public func svg(source: String) -> String? {
    guard let plot else { return nil }
    let (width, edge) = (760.0, 20.0)
    let characters = Int((width - 2 * edge) / 6.4)
    var y = edge + 12
    var parts: [Markup] = [#"<text class="v" font-size="16" x="\#(edge)" y="\#(y)">\#(title)</text>"#]
    func add(_ text: String) {
      for line in wrapped(visible(text), to: characters) {
        y += 18
        parts.append(#"<text x="\#(edge)" y="\#(y)">\#(line)</text>"#)
      }
    }
    add(subtitle)
    if legend.count > 1 {
      var x = edge
      y += 24
      for series in legend {
        let name = chartLabel(series.name, characters: 32)
        let room = 17 + chartTextWidth(name) + 16
        if x > edge, x + room > width { (x, y) = (edge, y + 18) }
        parts.append(#"<rect class="f\#(series.color)" x="\#(x)" y="\#(y - 10)" width="11" height="11" rx="2"/>"#)
        parts.append(#"<text class="l" x="\#(x + 17)" y="\#(y)">\#(name)</text>"#)
        x += room
      }
    }
    y += 14
    parts.append(plot.drawing(x: edge, y: y, width: width - 2 * edge))
    y += plot.height
    add(note)
    add(source)
    let height = y + edge
    let picture: Markup = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
      role="img"><title>\(title)</title>\(PageFrame.patternDefinitions)<rect class="ground" width="100%" height="100%"/>\
      <g class="chart">\(parts)</g></svg>

      """
    return DrawingStyle.light.inlined(picture.text)
  }
}
