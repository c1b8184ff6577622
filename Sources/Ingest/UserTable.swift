internal import EventModel

/// The persons of a batch, found by app and id.
struct UserTable: ~Copyable {
  private(set) var users: [BatchUser] = []
  /// High bits: those of the hash; low bits: index of the user plus one, 0 for a free slot. Linear probing.
  private var slots: UnsafeMutablePointer<UInt32>
  private var slotCount: Int
  private var touched: UInt32 = 0

  /// A batch of 131,072 persons takes 1 MiB of slots: small, as finding one is a cache miss.
  private static let indexBits: UInt32 = 20
  private static let indexMask: UInt32 = 1 << indexBits - 1
  /// The most persons that slots can tell apart.
  static let capacity = Int(indexMask)

  init(slotCount: Int = 1_024) {
    self.slotCount = slotCount
    slots = UnsafeMutablePointer<UInt32>.allocate(capacity: slotCount)
    slots.initialize(repeating: 0, count: slotCount)
  }

  deinit { slots.deallocate() }

  /// Has the slot where looking for a user begins fetched from memory.
  @inline(__always)
  mutating func touch(hash: UInt64) {
    // Kept, so that the compiler keeps the load.
    touched &+= slots[Int(truncatingIfNeeded: hash) & (slotCount &- 1)]
  }

  /// Returns the index of the user, adding it, and its id to `text`, when it is new.
  ///
  /// - Parameter hash: ``ByteHash`` of the id, seeded with that of the app.
  @inline(__always)
  mutating func index(app: UInt32, id: UnsafeRawBufferPointer, hash: UInt64, text: inout TextBuffer) -> UInt32 {
    let tag = Self.tag(hash)
    var slot = Int(truncatingIfNeeded: hash) & (slotCount &- 1)
    var found = slots[slot]
    while found != 0 {
      if found & ~Self.indexMask == tag {
        let index = (found & Self.indexMask) &- 1
        let user = users[Int(index)]
        if user.hash == hash && user.app == app && text.equals(user.name, id) { return index }
      }
      slot = (slot &+ 1) & (slotCount &- 1)
      found = slots[slot]
    }
    let index = UInt32(truncatingIfNeeded: users.count)
    users.append(BatchUser(app: app, name: text.append(id), hash: hash))
    slots[slot] = tag | (index &+ 1)
    if users.count * 2 > slotCount { rebuild(slotCount: slotCount * 2) }
    return index
  }

  @inline(__always)
  private static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash &>> 32) & ~indexMask }

  /// Forgets the users from that index on.
  mutating func shrink(to count: Int) {
    guard count < users.count else { return }
    users.removeSubrange(count...)
    rebuild(slotCount: slotCount)
  }

  /// Hands the users over and begins again without any.
  mutating func takeAll() -> [BatchUser] {
    let taken = users
    users = []
    users.reserveCapacity(taken.count)
    slots.update(repeating: 0, count: slotCount)
    return taken
  }

  private mutating func rebuild(slotCount newCount: Int) {
    precondition(users.count < Self.capacity, "a batch has at most \(Self.capacity) persons")
    slots.deallocate()
    slotCount = newCount
    slots = UnsafeMutablePointer<UInt32>.allocate(capacity: newCount)
    slots.initialize(repeating: 0, count: newCount)
    for (index, user) in users.enumerated() {
      var slot = Int(truncatingIfNeeded: user.hash) & (newCount - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (newCount - 1) }
      slots[slot] = Self.tag(user.hash) | UInt32(index + 1)
    }
  }
}
