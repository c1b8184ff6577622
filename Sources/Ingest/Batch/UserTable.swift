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
  ///
  /// This and the next two only load: what they read is summed up, so that the compiler keeps the loads.
  @inline(__always)
  mutating func touchSlot(hash: UInt64) { touched &+= firstSlot(hash) }

  /// Has the user in that slot fetched, where it looks like the one wanted.
  @inline(__always)
  mutating func touchUser(hash: UInt64) {
    guard case let found = firstSlot(hash), found != 0, found & ~Self.indexMask == Self.tag(hash) else { return }
    touched &+= users[Int(found & Self.indexMask) &- 1].app
  }

  /// Has the id of that user fetched.
  @inline(__always)
  mutating func touchName(hash: UInt64, text: borrowing TextBuffer) {
    guard case let found = firstSlot(hash), found != 0, found & ~Self.indexMask == Self.tag(hash) else { return }
    touched &+= UInt32(text.firstByte(of: users[Int(found & Self.indexMask) &- 1].name))
  }

  @inline(__always)
  private func firstSlot(_ hash: UInt64) -> UInt32 { slots[Int(truncatingIfNeeded: hash) & (slotCount &- 1)] }

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
    if taken.isEmpty { return [] }
    users = []
    slots.update(repeating: 0, count: slotCount)
    return taken
  }

  /// Takes the memory of users handed over before.
  mutating func recycle(_ taken: inout [BatchUser]) {
    guard users.isEmpty && users.capacity < taken.capacity else { return }
    swap(&users, &taken)
    users.removeAll(keepingCapacity: true)
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
