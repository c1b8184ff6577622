/// Finds the events whose number occurs more than once, slice by slice (``NumberSlices``), and writes where they lie
/// (``WorkerProtocol/Tag/number``). Memory is that of the largest slice.
public struct RepeatsWorker {
  private struct Entry {
    var number: Int64
    var name: UInt32
    var pack: UInt32
    var row: UInt32
  }

  private let input: RowInput
  private let output: RowOutput
  private let isAll: Bool
  // The slice at hand.
  private var names: [String] = []
  private var entries: [Entry] = []

  /// - Parameter isAll: Whether events go out whose number occurs once, as well.
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
          throw WorkerFault(.data, "row \(input.count): slice \(next) comes behind \(slice); expected order of slices")
        }
        try write()
        slice = next
      }
      let name = try input.required(input.text(1), 1)
      if names.last != name { names.append(name) }
      let bytes = try input.withBytes(2) { try Base64.bytes(input.required($0, 2)) }
      for entry in try NumberSlices.entries(bytes) {
        entries.append(
          Entry(number: entry.number, name: UInt32(names.count - 1), pack: entry.pack, row: entry.row))
      }
    }
    try write()
    try output.end(input)
  }

  /// Writes what is to be said of the slice at hand, and forgets it.
  private mutating func write() throws {
    entries.sort { $0.number < $1.number }
    for (place, entry) in entries.enumerated() {
      let isRepeated =
        place > 0 && entries[place - 1].number == entry.number
        || place + 1 < entries.count && entries[place + 1].number == entry.number
      guard isAll || isRepeated else { continue }
      output.begin(.number)
      output.append("\(names[Int(entry.name)])-\(entry.pack)")
      output.append(Int64(entry.row))
      output.append(entry.number)
      try output.endRow()
    }
    entries.removeAll(keepingCapacity: true)
    names.removeAll(keepingCapacity: true)
  }
}
