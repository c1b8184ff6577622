/// The rows of a pack that do not count, as the driver lists them: numbers from 0 and ranges such as `4-9`, separated
/// by commas.
struct DroppedRows {
  private var rows: Set<Int> = []
  private var ranges: [ClosedRange<Int>] = []

  /// - Parameter text: `nil` for none.
  init(_ text: String?, row: Int) throws {
    for item in (text ?? "").split(separator: ",") {
      let bounds = item.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      if bounds.count == 1, let number = bounds[0] {
        rows.insert(number)
      } else if bounds.count == 2, let first = bounds[0], let last = bounds[1], first <= last {
        ranges.append(first...last)
      } else {
        throw WorkerFault(.data, "row \(row): \"\(item)\" names no rows to leave out")
      }
    }
  }

  var isEmpty: Bool { rows.isEmpty && ranges.isEmpty }

  func contains(_ row: Int) -> Bool {
    rows.contains(row) || ranges.contains { $0.contains(row) }
  }
}
