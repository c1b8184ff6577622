internal import EventModel

/// The users of the last few records that are not looked up yet.
///
/// A batch has more users than the near caches hold, so a look-up waits for memory longer than decoding a field takes.
/// Looking up many at once overlaps these waits.
struct PendingUsers: ~Copyable {
  struct Entry {
    /// Index of the record.
    var record: Int
    var app: UInt32
    var hash: UInt64
    /// The id in the line, which must stay in memory until the look-up.
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

  /// Adds a user; there must be room, so the caller resolves when ``isFull``.
  @inline(__always)
  mutating func append(_ entry: Entry) {
    (entries + count).initialize(to: entry)
    count &+= 1
  }

  /// Looks up the users in the order of their records and enters them there.
  mutating func resolve(in users: inout UserTable, text: inout TextBuffer, records: inout [EventRecord]) {
    // Slots, users, ids: the loads of one pass are independent of each other.
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
