internal import EventModel

/// The users of a batch, indexed by app and id.
struct UserTable: ~Copyable {
  private(set) var users: [BatchUser] = []
  /// High bits: bits of the hash; low bits: index of the user plus one, 0 for a free slot. Linear probing.
  private var slots: UnsafeMutablePointer<UInt32>
  private var slotCount: Int
  private var touched: UInt32 = 0

  /// A batch of 131,072 users takes 1 MiB of slots: small, because each look-up is a cache miss.
  private static let indexBits: UInt32 = 20
  private static let indexMask: UInt32 = 1 << indexBits - 1
  /// The most users that slots can number.
  static let capacity = Int(indexMask)

  init(slotCount: Int = 1_024) {
    self.slotCount = slotCount
    slots = UnsafeMutablePointer<UInt32>.allocate(capacity: slotCount)
    slots.initialize(repeating: 0, count: slotCount)
  }

  deinit { slots.deallocate() }

  /// Loads the first slot of a user's look-up into the cache.
  ///
  /// This function and the next two only load; they sum what they read so that the compiler keeps the loads.
  @inline(__always)
  mutating func touchSlot(hash: UInt64) { touched &+= firstSlot(hash) }

  /// Loads the user in that slot, if its hash bits match.
  @inline(__always)
  mutating func touchUser(hash: UInt64) {
    guard case let found = firstSlot(hash), found != 0, found & ~Self.indexMask == Self.tag(hash) else { return }
    touched &+= users[Int(found & Self.indexMask) &- 1].app
  }

  /// Loads the id of that user.
  @inline(__always)
  mutating func touchName(hash: UInt64, text: borrowing TextBuffer) {
    guard case let found = firstSlot(hash), found != 0, found & ~Self.indexMask == Self.tag(hash) else { return }
    touched &+= UInt32(text.firstByte(of: users[Int(found & Self.indexMask) &- 1].name))
  }

  @inline(__always)
  private func firstSlot(_ hash: UInt64) -> UInt32 { slots[Int(truncatingIfNeeded: hash) & (slotCount &- 1)] }

  /// Returns the index of the user; adds the user, and its id to `text`, if it is new.
  ///
  /// - Parameter hash: ``ByteHash`` of the id, seeded with the app's hash.
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

  /// Removes the users from index `count` on.
  mutating func shrink(to count: Int) {
    guard count < users.count else { return }
    users.removeSubrange(count...)
    rebuild(slotCount: slotCount)
  }

  /// Returns the users and starts again without any.
  mutating func takeAll() -> [BatchUser] {
    let taken = users
    if taken.isEmpty { return [] }
    users = []
    slots.update(repeating: 0, count: slotCount)
    return taken
  }

  /// Reuses the memory of users returned before.
  mutating func recycle(_ taken: inout [BatchUser]) {
    guard users.isEmpty && users.capacity < taken.capacity else { return }
    swap(&users, &taken)
    users.removeAll(keepingCapacity: true)
  }

  private mutating func rebuild(slotCount newCount: Int) {
    precondition(users.count < Self.capacity, "a batch has at most \(Self.capacity) users")
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
