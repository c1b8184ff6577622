internal import EventModel

/// The users of the last few records, not yet looked up.
///
/// A batch has as many users as fit in no near cache, so that looking one up waits for memory longer than decoding
/// a field takes. Looked up together, they wait together.
struct PendingUsers: ~Copyable {
  struct Entry {
    /// Index of the record.
    var record: Int
    var app: UInt32
    var hash: UInt64
    /// In the line, which has to stay until the look-up.
    var id: UnsafeRawBufferPointer
  }

  static let capacity = 32
  private let entries: UnsafeMutablePointer<Entry>
  private(set) var count = 0

  init() {
    entries = UnsafeMutablePointer<Entry>.allocate(capacity: Self.capacity)
  }

  deinit { entries.deallocate() }

  var isFull: Bool { count == Self.capacity }

  /// There is room: the caller resolves when ``isFull``.
  @inline(__always)
  mutating func append(_ entry: Entry) {
    (entries + count).initialize(to: entry)
    count &+= 1
  }

  /// Looks the users up in the order of their records, and enters them there.
  mutating func resolve(in users: inout UserTable, text: inout TextBuffer, records: inout [EventRecord]) {
    // Slots, users, ids: the loads of one pass do not depend on one another.
    for index in 0..<count { users.touchSlot(hash: entries[index].hash) }
    for index in 0..<count { users.touchUser(hash: entries[index].hash) }
    for index in 0..<count { users.touchName(hash: entries[index].hash, text: text) }
    records.withUnsafeMutableBufferPointer { records in
      for index in 0..<count {
        let entry = entries[index]
        records[entry.record].user = users.index(app: entry.app, id: entry.id, hash: entry.hash, text: &text)
      }
    }
    count = 0
  }
}
