/// The marks of a chart, often with an axis at the left: x in per cent of the plot's width, y in pixels from its top.
struct Plot: Sendable {
  /// The height of the whole plot, including the labels below.
  let height: Double
  /// Where values end, and labels begin.
  let bottom: Double
  private var axis: [Markup] = []
  private var marks: [Markup] = []
  private var lines: [Markup] = []
  private var over: [Markup] = []
  private var hits: [Markup] = []
  private var isWide = false

  init(height: Double, footHeight: Double = 24) {
    self.height = height
    bottom = height - footHeight
  }

  /// Lines across the plot with their values at the left.
  mutating func grid(_ scale: ChartScale, _ unit: ChartUnit) {
    for tick in scale.ticks {
      let y = scale.place(tick)
      marks.append(#"<line class="\#(tick == 0 ? "ax" : "gl")" x1="0" x2="100%" y1="\#(y)" y2="\#(y)"/>"#)
      let text = unit.text(tick, step: scale.step)
      if chartTextWidth(text) > 44 { isWide = true }
      axis.append(#"<text x="0" y="\#(y + 4)">\#(text)</text>"#)
    }
  }

  /// - Parameter color: A series.
  mutating func bar(
    x: Double, width: Double, y: Double, height: Double, color: Int, isHatched: Bool = false, isPale: Bool = false
  ) {
    bar(
      x: x, width: width, y: y, height: height, class: "f\(color)",
      fill: isHatched ? "url(#k\(color))" : nil, opacity: isPale ? 0.2 : nil)
  }

  mutating func bar(
    x: Double, width: Double, y: Double, height: Double, class name: String, fill: String? = nil,
    opacity: Double? = nil, radius: Double = 0
  ) {
    let look: Markup = fill.map { #" fill="\#($0)""# } ?? #" class="\#(name)""#
    let pale: Markup = opacity.map { #" fill-opacity="\#($0)""# } ?? ""
    let round: Markup = radius > 0 ? #" rx="\#(radius)""# : ""
    marks.append(
      #"<rect\#(look) x="\#(x)%" width="\#(max(0, width))%" y="\#(y)" height="\#(max(0, height))"\#(pale)\#(round)/>"#)
  }

  mutating func vertical(x: Double, from top: Double, to bottom: Double, class name: String) {
    let line: Markup = #"<line class="\#(name)" x1="\#(x)%" x2="\#(x)%" y1="\#(top)" y2="\#(bottom)"/>"#
    // A mark goes through no label.
    if name == "mark" { marks.append(line) } else { over.append(line) }
  }

  mutating func horizontal(_ x1: Double, _ x2: Double, y: Double, class name: String) {
    marks.append(#"<line class="\#(name)" x1="\#(x1)%" x2="\#(x2)%" y1="\#(y)" y2="\#(y)"/>"#)
  }

  mutating func dot(x: Double, y: Double, class name: String) {
    over.append(#"<circle class="\#(name) dot" cx="\#(x)%" cy="\#(y)" r="4.5"/>"#)
  }

  /// A sign of a series beside a text in the middle, which is about so wide.
  mutating func key(_ color: Int, x: Double, y: Double, textWidth: Double) {
    over.append(
      """
      <rect class="f\(color) narrowonly" x="\(x)%" y="\(y - 8)" width="7" height="7" rx="2" \
      transform="translate(\(svgNumber(-textWidth / 2 - 10)))"/>
      """)
  }

  mutating func line(_ points: [(x: Double, y: Double)], class name: String) {
    guard points.count > 1 else { return }
    lines.append(#"<polyline class="ln \#(name)" points="\#(Self.places(points))"/>"#)
  }

  mutating func area(_ points: [(x: Double, y: Double)], class name: String) {
    guard points.count > 2 else { return }
    lines.append(#"<polygon class="\#(name)" points="\#(Self.places(points))"/>"#)
  }

  static func places(_ points: [(x: Double, y: Double)]) -> String {
    points.map { "\(svgNumber($0.x)),\(svgNumber($0.y))" }.joined(separator: " ")
  }

  enum Anchor { case start, middle, end }

  /// - Parameter name: Classes: `v` for a value, `l` for a name, `halo`, `wideonly`.
  mutating func text(_ text: String, x: Double, y: Double, class name: String = "", _ anchor: Anchor = .middle) {
    let side: Markup =
      switch anchor {
      case .start: ""
      case .middle: #" text-anchor="middle""#
      case .end: #" text-anchor="end""#
      }
    let look: Markup = name.isEmpty ? "" : #" class="\#(name)""#
    over.append(#"<text\#(look) x="\#(x)%" y="\#(y)"\#(side)>\#(text)</text>"#)
  }

  /// Labels below the plot, as many as have room on a wide and on a narrow screen.
  ///
  /// - Parameter width: About how wide the plot is on a wide screen, in pixels.
  mutating func labels(_ texts: [String], at centers: [Double], width: Double = 560) {
    let widest = (texts.map(chartTextWidth).max() ?? 0) + 10
    // Weeks can be missing: the nearest two need room.
    let gap = max(zip(centers, centers.dropFirst()).map { abs($1 - $0) / 100 }.min() ?? 1, 0.001)
    let every = max(1, Int((widest / (gap * width)).rounded(.up)))
    let narrow = max(every, Int((widest / (gap * 270) / Double(every)).rounded(.up)) * every)
    for (place, text) in texts.enumerated() where place % every == 0 {
      // The last one ends with the plot, if it would go past it.
      let isLast = centers[place] > 96
      self.text(
        text, x: isLast ? 100 : centers[place], y: bottom + 18, class: place % narrow == 0 ? "" : "wideonly",
        isLast ? .end : .middle)
    }
  }

  /// The room of a text, across in per cent and down in pixels.
  typealias Room = (x: ClosedRange<Double>, y: ClosedRange<Double>)

  /// Dotted lines where something happened: three at most are labelled, the first ones that have room, the others on hover.
  ///
  /// - Parameter texts: The lines leave room for them.
  mutating func marks(_ marks: [(x: Double, text: String)], around texts: [Room] = []) {
    let marks = Self.joined(marks)
    for mark in marks.sorted(by: { $0.x < $1.x }) {
      var top = 16.0
      for text in texts.sorted(by: { $0.y.lowerBound < $1.y.lowerBound }) where text.x.contains(mark.x) {
        vertical(x: mark.x, from: top, to: max(top, text.y.lowerBound), class: "mark")
        top = text.y.upperBound
      }
      vertical(x: mark.x, from: top, to: bottom, class: "mark")
      hit(x: mark.x - 0.6, width: 1.2, y: 0, height: 18, [mark.text])
    }
    // Pixels in a per cent, and the most labels.
    for (name, scale, most, characters) in [("wideonly", 5.0, 3, 28), ("narrowonly", 2.7, 2, 16)] {
      var taken: [ClosedRange<Double>] = []
      for mark in marks where taken.count < most {
        let label = chartLabel(mark.text, characters: characters)
        let width = chartTextWidth(label) / scale
        let anchor: Anchor = mark.x > min(85, 100 - width / 2) ? .end : mark.x < max(8, width / 2) ? .start : .middle
        let start = mark.x - width * (anchor == .end ? 1 : anchor == .start ? 0 : 0.5)
        let place = start...start + width
        if taken.contains(where: { $0.overlaps(place) }) { continue }
        text(label, x: mark.x, y: 11, class: name, anchor)
        taken.append(place)
      }
    }
  }

  /// Tests that start or end at one place as one mark, such as `3 tests end`.
  private static func joined(_ marks: [(x: Double, text: String)]) -> [(x: Double, text: String)] {
    var joined: [(x: Double, text: String)] = []
    for mark in marks {
      let same = marks.filter {
        $0.x == mark.x && $0.text.split(separator: " ").last == mark.text.split(separator: " ").last
      }
      let word = [" starts": "start", " ends": "end"].first { mark.text.hasSuffix($0.key) }?.value
      let text = word.flatMap { same.count > 1 ? "\(same.count) tests \($0)" : nil } ?? mark.text
      if !joined.contains(where: { $0.x == mark.x && $0.text == text }) { joined.append((mark.x, text)) }
    }
    return joined
  }

  /// The text that pointer and focus show; a title without script.
  ///
  /// - Parameters:
  ///   - lines: The first names the thing.
  ///   - address: Where a click leads to.
  mutating func hit(
    x: Double, width: Double, y: Double = 0, height: Double? = nil, _ lines: [String], address: String? = nil
  ) {
    let text = lines.map(visible).joined(separator: "\n")
    let top: Markup = y == 0 ? "" : #" y="\#(y)""#
    let box: Markup = #"<rect class="hit" x="\#(x)%"\#(top) width="\#(width)%" height="\#(height ?? bottom - y)""#
    let hit: Markup = "\(box) role=\"img\"><title>\(literal: text)</title></rect>"
    // Keys reach the box itself.
    hits.append(address.map { "<a href=\"\($0)\" tabindex=\"-1\">\(hit)</a>" } ?? hit)
  }

  private var content: Markup {
    let drawn: Markup =
      lines.isEmpty
      ? ""
      : """
      <svg viewBox="0 0 100 \(height)" preserveAspectRatio="none" height="\(height)" aria-hidden="true">\(lines)</svg>
      """
    return "\(marks)\(drawn)\(over)\(hits)"
  }

  /// The plot as a part of another drawing.
  func drawing(x: Double, y: Double, width: Double) -> Markup {
    let left = axis.isEmpty ? 0 : isWide ? 64.0 : 46
    return """
      <svg class="yax" x="\(x)" y="\(y)" width="\(left)" height="\(height)">\(axis)</svg>\
      <svg x="\(x + left)" y="\(y)" width="\(width - left)" height="\(height)">\(content)</svg>
      """
  }

  /// - Parameter label: The description for screen readers.
  func figure(_ label: String) -> Markup {
    if axis.isEmpty {
      return """
        <figure class="chart"><svg height="\(height)" role="group" aria-label="\(label)">\(content)</svg></figure>
        """
    }
    return """
      <figure class="chart"><div class="grid"><svg class="yax\(isWide ? " wide" : "")" height="\(height)" \
      aria-hidden="true">\(axis)</svg><svg height="\(height)" role="group" aria-label="\(label)">\(content)</svg></div></figure>
      """
  }
}

/// Returns how far bars of differences reach to both sides of 0: at most twice the median, so that a wide interval does not
/// press the others flat.
func barReach(of intervals: [ClosedRange<Double>]) -> Double {
  let ends = intervals.flatMap { [abs($0.lowerBound), abs($0.upperBound)] }.filter(\.isFinite).sorted()
  guard let last = ends.last, last > 0 else { return 1 }
  return roundReach(min(last * 1.05, max(ends[ends.count / 2] * 2, 1e-6)))
}

/// A value with its interval in a cell: a bar over the interval, a line at 0.
///
/// - Parameters:
///   - ends: The range that the cell shows; an arrowhead marks what goes past an end.
///   - tone: `good`, `bad` or `calm`.
///   - margin: Differences up to this, to both sides of 0, count as none.
///   - isOpen: Whether what is still to come can change it.
func intervalBar(
  _ value: Double, _ interval: ClosedRange<Double>?, ends: ClosedRange<Double>, tone: String, height: Double = 22,
  margin: Double? = nil, reference: Double? = 0, isOpen: Bool = false
) -> Markup {
  let span = ends.upperBound - ends.lowerBound
  func x(_ value: Double) -> Double {
    3 + (min(max(value, ends.lowerBound), ends.upperBound) - ends.lowerBound) / (span > 0 ? span : 1) * 94
  }
  var marks: [Markup] = []
  if let margin, margin < span {
    marks.append(
      #"<rect class="margin" x="\#(x(-margin))%" width="\#(x(margin) - x(-margin))%" y="0" height="\#(height)"/>"#)
  }
  if let reference {
    marks.append(
      #"<line class="zero" x1="\#(x(reference))%" x2="\#(x(reference))%" y1="0" y2="\#(height)"/>"#)
  }
  if let interval {
    let places: Markup =
      #"x1="\#(x(interval.lowerBound))%" x2="\#(x(interval.upperBound))%" y1="\#(height / 2)" y2="\#(height / 2)""#
    marks.append(
      isOpen
        ? #"<line class="ci dash s\#(tone)" \#(places)/>"#
        : #"<line class="ciw s\#(tone)" \#(places)/><line class="ci s\#(tone)" \#(places)/>"#)
  }
  if ends.contains(value) {
    marks.append(
      #"<circle class="\#(isOpen ? "open s" : "f")\#(tone) dot" cx="\#(x(value))%" cy="\#(height / 2)" r="5.5"/>"#)
  }
  // An arrowhead where the value or its interval goes on beyond the end of the cell.
  let reach = (low: min(value, interval?.lowerBound ?? value), high: max(value, interval?.upperBound ?? value))
  for (isBeyond, place, anchor, arrow) in [
    (reach.low < ends.lowerBound, 0, "start", "◂"), (reach.high > ends.upperBound, 100, "end", "▸"),
  ] where isBeyond {
    marks.append(
      #"<text class="f\#(tone)" x="\#(place)%" y="\#(height / 2 + 5)" text-anchor="\#(anchor)" font-size="14">\#(arrow)</text>"#
    )
  }
  return #"<svg height="\#(height)" aria-hidden="true">\#(marks)</svg>"#
}
