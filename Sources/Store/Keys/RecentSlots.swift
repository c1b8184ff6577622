/// What a dictionary said of the keys asked for lately: its own look-up hashes by SipHash, which takes longer than what is
/// done with an event otherwise.
///
/// A key has one place, by a hash that the caller makes of it, and takes it from whichever key had it.
struct RecentSlots<Key: Equatable> {
  private static var bits: UInt64 { 10 }

  private var entries = [(key: Key, slot: Int)?](repeating: nil, count: 1 << Int(bits))

  @inline(__always)
  private static func place(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) &>> (64 - bits))
  }

  /// What was noted of the key, unless another has its place by now.
  ///
  /// - Parameter hash: Any function of the key.
  @inline(__always)
  func slot(of key: Key, hash: UInt64) -> Int? {
    guard let entry = entries[Self.place(hash)], entry.key == key else { return nil }
    return entry.slot
  }

  /// Notes what the dictionary says of a key.
  @inline(__always)
  mutating func note(_ slot: Int, of key: Key, hash: UInt64) { entries[Self.place(hash)] = (key, slot) }

  /// Forgets everything, as the dictionary has.
  mutating func removeAll() { for place in entries.indices { entries[place] = nil } }
}
