/// A line as small as a word: how a number went, dashed where it may still change.
func sparkline(_ values: [Double?], openFrom: Int? = nil) -> Markup {
  let known = values.enumerated().compactMap { place, value in value.map { (place: place, value: $0) } }
  guard known.count > 1, let last = known.last else { return "" }
  let height = 38.0
  let low = known.map(\.value).min() ?? 0
  let high = known.map(\.value).max() ?? 1
  func point(_ place: Int, _ value: Double) -> (x: Double, y: Double) {
    let share = high > low ? (value - low) / (high - low) : 0.5
    return (Double(place) * 100 / Double(max(1, values.count - 1)), height - 4 - share * (height - 8))
  }
  let open = openFrom ?? values.count
  let solid = known.filter { $0.place < open }
  let end = solid.last ?? last
  let points = solid.map { point($0.place, $0.value) }
  let tail = ([solid.last].compactMap(\.self) + known.filter { $0.place >= open }).map { point($0.place, $0.value) }
  let area = points + [(x: points.last?.x ?? 0, y: height), (x: points.first?.x ?? 0, y: height)]
  let dashed: Markup = tail.count > 1 ? #"<polyline class="ln dash s0" points="\#(Plot.places(tail))"/>"# : ""
  let at = point(end.place, end.value)
  return """
    <svg height="46" aria-hidden="true"><svg viewBox="0 0 100 38" preserveAspectRatio="none" height="38">\
    <polygon class="f1 band" points="\(Plot.places(area))"/>\
    <polyline class="ln s1" points="\(Plot.places(points))"/>\(dashed)</svg>\
    <circle class="f1 dot" cx="\(at.x)%" cy="\(at.y)" r="4"/></svg>
    """
}
