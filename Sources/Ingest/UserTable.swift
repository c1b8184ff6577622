internal import EventModel

/// The persons of a batch, found by app and id.
struct UserTable: ~Copyable {
  private(set) var users: [BatchUser] = []
  /// High half: that of the hash; low half: index of the user plus one, 0 for a free slot. Linear probing.
  private var slots: UnsafeMutablePointer<UInt64>
  private var slotCount: Int

  init(slotCount: Int = 1_024) {
    self.slotCount = slotCount
    slots = UnsafeMutablePointer<UInt64>.allocate(capacity: slotCount)
    slots.initialize(repeating: 0, count: slotCount)
  }

  deinit { slots.deallocate() }

  /// Returns the index of the user, adding it, and its id to `text`, when it is new.
  ///
  /// - Parameter hash: ``ByteHash`` of the id, seeded with that of the app.
  @inline(__always)
  mutating func index(app: UInt32, id: UnsafeRawBufferPointer, hash: UInt64, text: inout TextBuffer) -> UInt32 {
    let tag = hash & 0xFFFF_FFFF_0000_0000
    var slot = Int(truncatingIfNeeded: hash) & (slotCount &- 1)
    while true {
      let found = slots[slot]
      if found == 0 { break }
      if found & 0xFFFF_FFFF_0000_0000 == tag {
        let index = UInt32(truncatingIfNeeded: found) &- 1
        let user = users[Int(index)]
        if user.hash == hash && user.app == app && text.equals(user.name, id) { return index }
      }
      slot = (slot &+ 1) & (slotCount &- 1)
    }
    let index = UInt32(truncatingIfNeeded: users.count)
    users.append(BatchUser(app: app, name: text.append(id), hash: hash))
    slots[slot] = tag | UInt64(index &+ 1)
    if users.count * 2 > slotCount { rebuild(slotCount: slotCount * 2) }
    return index
  }

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
    slots.deallocate()
    slotCount = newCount
    slots = UnsafeMutablePointer<UInt64>.allocate(capacity: newCount)
    slots.initialize(repeating: 0, count: newCount)
    for (index, user) in users.enumerated() {
      var slot = Int(truncatingIfNeeded: user.hash) & (newCount - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (newCount - 1) }
      slots[slot] = user.hash & 0xFFFF_FFFF_0000_0000 | UInt64(index + 1)
    }
  }
}
