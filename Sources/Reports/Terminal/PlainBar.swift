/// Returns `├──●──┤` for a value and its bounds on an axis; a point beyond an end of the axis is an arrow at that end.
///
/// - Parameters:
///   - axis: From the value at the left end to that at the right, which are different.
///   - hasZero: Whether a line marks 0.
///   - margin: Around 0, marked with `·` where it is on the axis.
func intervalBar(
  _ value: Double, _ bounds: ClosedRange<Double>?, axis: ClosedRange<Double>, width: Int, hasZero: Bool = false,
  margin: Double? = nil
) -> String {
  func place(_ value: Double) -> Int {
    let share = (value - axis.lowerBound) / (axis.upperBound - axis.lowerBound)
    return Int((min(max(share, 0), 1) * Double(width - 1)).rounded())
  }
  var marks = [Character](repeating: " ", count: width)
  if let margin, margin < axis.upperBound {
    marks[place(-margin)] = "·"
    marks[place(margin)] = "·"
  }
  if hasZero { marks[place(0)] = "│" }
  let slack = (axis.upperBound - axis.lowerBound) * 0.000_05
  func mark(_ value: Double, _ within: Character) -> Character {
    value > axis.upperBound + slack ? "►" : value < axis.lowerBound - slack ? "◄" : within
  }
  if let bounds {
    let (low, high) = (place(bounds.lowerBound), place(bounds.upperBound))
    for column in low...high where marks[column] == " " { marks[column] = "─" }
    marks[low] = mark(bounds.lowerBound, "├")
    marks[high] = mark(bounds.upperBound, "┤")
  }
  marks[place(value)] = mark(value, "●")
  return String(marks)
}
