/// Numbers distinct byte strings in the order in which they are first added.
///
/// Index 0 is the empty string, which always means an absent value. Look-ups do not allocate; the bytes of all strings
/// are in one buffer, end to end.
public struct ByteInterner: Sendable {
  /// The bytes of every string, end to end.
  public private(set) var bytes: [UInt8] = []
  /// `bounds[i] ..< bounds[i + 1]` are the bytes of string `i`.
  private var bounds: [Int] = [0, 0]
  /// A part of the hash of each string, so that growing does not read the bytes again.
  private var hashes: [UInt32] = [0]
  /// A hash table with open addressing and linear probing; 0 is a free slot, as the empty string is never looked up
  /// here.
  private var slots: [UInt32] = [UInt32](repeating: 0, count: 256)

  public init() {}

  /// The number of strings, including the empty one.
  public var count: Int { bounds.count - 1 }

  /// Returns the number of the string; adds it if it is new.
  public mutating func intern(_ string: UnsafeRawBufferPointer) -> UInt32 {
    if string.isEmpty { return 0 }
    return intern(string, hash: ByteHash.hash(string))
  }

  /// Returns the number of the string with a known hash, which must be ``ByteHash/hash(_:seed:)`` with seed 0.
  public mutating func intern(_ string: UnsafeRawBufferPointer, hash: UInt64) -> UInt32 {
    let hash = UInt32(truncatingIfNeeded: hash)
    var slot = Int(hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let index = Int(slots[slot])
      if hashes[index] == hash && equals(index, string) { return UInt32(index) }
      slot = (slot + 1) & (slots.count - 1)
    }
    let index = UInt32(hashes.count)
    bytes.append(contentsOf: string)
    bounds.append(bytes.count)
    hashes.append(hash)
    slots[slot] = index
    if hashes.count * 2 > slots.count { grow() }
    return index
  }

  /// Returns the number of the string; adds it if it is new.
  public mutating func intern(_ string: String) -> UInt32 {
    var string = string
    return string.withUTF8 { intern(UnsafeRawBufferPointer($0)) }
  }

  /// Calls `body` with the bytes of string `index`; the pointer is valid during the call only.
  public func withBytes<Result>(_ index: UInt32, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBytes { all in
      try body(UnsafeRawBufferPointer(rebasing: all[range(of: index)]))
    }
  }

  /// Returns the range of string `index` in ``bytes``.
  public func range(of index: UInt32) -> Range<Int> { bounds[Int(index)]..<bounds[Int(index) + 1] }

  /// Returns string `index`; invalid UTF-8 reads as replacement characters.
  public subscript(index: UInt32) -> String {
    withBytes(index) { String(decoding: $0, as: UTF8.self) }
  }

  /// Removes the strings from number `newCount` on.
  public mutating func shrink(to newCount: Int) {
    precondition(newCount >= 1 && newCount <= count, "the empty string stays, and nothing is added")
    // Clearing slots backwards from the last string added leaves all probe sequences intact: no remaining string was
    // added later.
    for index in stride(from: count - 1, through: newCount, by: -1) {
      var slot = Int(hashes[index]) & (slots.count - 1)
      while slots[slot] != UInt32(index) { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = 0
    }
    hashes.removeSubrange(newCount...)
    bounds.removeSubrange((newCount + 1)...)
    bytes.removeSubrange(bounds[newCount]...)
  }

  /// Gives back the memory that is needed only to find and add strings; none may be added or removed afterwards.
  public mutating func removeIndex() { (hashes, slots) = ([], []) }

  private func equals(_ index: Int, _ string: UnsafeRawBufferPointer) -> Bool {
    let start = bounds[index]
    guard bounds[index + 1] - start == string.count else { return false }
    return bytes.withUnsafeBytes { all in
      UnsafeRawBufferPointer(rebasing: all[start..<start + string.count]).elementsEqual(string)
    }
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for index in 1..<hashes.count {
      var slot = Int(hashes[index]) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(index)
    }
  }
}
