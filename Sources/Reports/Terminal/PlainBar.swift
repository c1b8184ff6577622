/// Returns `├──●──┤` for a value and its bounds on an axis; a point beyond an end of the axis is drawn at that end.
///
/// - Parameters:
///   - axis: From the value at the left end to that at the right, which are different.
///   - hasZero: Whether a line marks 0.
func intervalBar(
  _ value: Double, _ bounds: ClosedRange<Double>?, axis: ClosedRange<Double>, width: Int, hasZero: Bool = false
) -> String {
  func place(_ value: Double) -> Int {
    let share = (value - axis.lowerBound) / (axis.upperBound - axis.lowerBound)
    return Int((min(max(share, 0), 1) * Double(width - 1)).rounded())
  }
  var marks = [Character](repeating: " ", count: width)
  if hasZero { marks[place(0)] = "│" }
  if let bounds {
    let (low, high) = (place(bounds.lowerBound), place(bounds.upperBound))
    for column in low...high where marks[column] == " " { marks[column] = "─" }
    marks[low] = "├"
    marks[high] = "┤"
  }
  marks[place(value)] = "●"
  return String(marks)
}
