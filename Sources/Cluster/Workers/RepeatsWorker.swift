/// Finds events whose number occurs more than once, slice by slice (``NumberSlices``), and writes their places
/// (``WorkerProtocol/Tag/number``). Memory is that of the largest slice.
public struct RepeatsWorker {
  private let input: RowInput
  private let output: RowOutput
  private let isAll: Bool
  // The current slice.
  private var names: [String] = []
  private var entries: [(name: UInt32, event: NumberSlices.Entry)] = []

  /// - Parameter isAll: Whether to write events whose number occurs only once too.
  public init(input: RowInput, output: RowOutput, isAll: Bool = false) {
    self.input = input
    self.output = output
    self.isAll = isAll
  }

  public mutating func run() throws {
    var slice: Int64?
    while try input.next(columns: WorkerInput.numberColumns) {
      let next = try input.required(input.integer(0), 0)
      if next != slice {
        if let slice, slice > next {
          throw WorkerFault(.data, "row \(input.count): slice \(next) comes after \(slice); expected order of slices")
        }
        try write()
        slice = next
      }
      let name = try input.required(input.text(1), 1)
      if names.last != name { names.append(name) }
      for event in try NumberSlices.entries(input.base64(2)) { entries.append((UInt32(names.count - 1), event)) }
    }
    try write()
    try output.end(input)
  }

  /// Writes the results of the current slice and clears it.
  private mutating func write() throws {
    entries.sort { $0.event.number < $1.event.number }
    for (place, (name, event)) in entries.enumerated() {
      let isRepeated =
        place > 0 && entries[place - 1].event.number == event.number
        || place + 1 < entries.count && entries[place + 1].event.number == event.number
      guard isAll || isRepeated else { continue }
      output.begin(.number)
      output.append("\(names[Int(name)])-\(event.pack)", Int64(event.row), event.number)
      try output.endRow()
    }
    entries.removeAll(keepingCapacity: true)
    names.removeAll(keepingCapacity: true)
  }
}
