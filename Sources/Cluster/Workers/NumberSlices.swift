internal import Parquet

/// The numbers of event ids with the places of the events, in slices: equal numbers are in one slice, so that slices
/// can be searched one by one (``RepeatsWorker``).
///
/// A row of ``WorkerProtocol/Tag/numbers`` has a slice, the name of the process that wrote the packs, and, in base 64,
/// 16 bytes per event, little-endian: the pack in the process (32 bits), the row (32 bits), the number (64 bits).
struct NumberSlices {
  /// The number of events at which rows are written.
  private static let limit = 1 << 20

  private let name: [UInt8]
  private var slices: [[UInt8]]
  private var eventCount = 0

  init(name: String, count: Int) {
    self.name = Array(name.utf8)
    slices = Array(repeating: [], count: count)
  }

  var isFull: Bool { eventCount >= Self.limit }

  /// Adds the events of a pack, in the order of its rows.
  mutating func add(_ numbers: [Int64], pack: Int) {
    for (row, number) in numbers.enumerated() {
      let slice = Int(UInt64(bitPattern: number).multipliedFullWidth(by: UInt64(slices.count)).high)
      PlainValue.append(UInt32(pack), to: &slices[slice])
      PlainValue.append(UInt32(row), to: &slices[slice])
      PlainValue.append(number, to: &slices[slice])
    }
    eventCount += numbers.count
  }

  /// Writes the rows of all events added so far.
  mutating func write(to output: RowOutput) throws {
    for slice in slices.indices where !slices[slice].isEmpty {
      output.begin(.numbers)
      output.append(slice, name, Base64.text(of: slices[slice]))
      try output.endRow()
      slices[slice].removeAll(keepingCapacity: true)
    }
    eventCount = 0
  }

  /// The number of an event, and its place.
  struct Entry {
    var number: Int64
    var pack: UInt32
    var row: UInt32
  }

  /// Returns the events of a row.
  ///
  /// - Throws: ``WorkerFault`` for bytes of another form.
  static func entries(_ bytes: [UInt8]) throws -> [Entry] {
    guard bytes.count.isMultiple(of: 16) else { throw WorkerFault(.data, "numbers are not of 16 bytes each") }
    return bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 16).map { place in
        Entry(
          number: PlainValue.read(Int64.self, bytes, at: place + 8),
          pack: PlainValue.read(UInt32.self, bytes, at: place), row: PlainValue.read(UInt32.self, bytes, at: place + 4))
      }
    }
  }
}
