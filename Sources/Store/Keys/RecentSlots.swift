/// A small cache in front of a dictionary for recently looked-up keys. The dictionary hashes with SipHash, which takes
/// longer than the rest of the work on an event.
///
/// Each key has one place, given by a hash that the caller computes; a new key replaces the previous one at its place.
struct RecentSlots<Key: Equatable> {
  private static var bits: UInt64 { 10 }

  private var entries = [(key: Key, slot: Int)?](repeating: nil, count: 1 << Int(bits))

  @inline(__always)
  private static func place(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) &>> (64 - bits))
  }

  /// Returns the cached slot of a key; `nil` if another key has taken its place.
  ///
  /// - Parameter hash: Any function of the key.
  @inline(__always)
  func slot(of key: Key, hash: UInt64) -> Int? {
    guard let entry = entries[Self.place(hash)], entry.key == key else { return nil }
    return entry.slot
  }

  /// Caches the dictionary's slot for a key.
  @inline(__always)
  mutating func note(_ slot: Int, of key: Key, hash: UInt64) { entries[Self.place(hash)] = (key, slot) }

  /// Clears the cache; called when the dictionary is cleared.
  mutating func removeAll() { for place in entries.indices { entries[place] = nil } }
}
