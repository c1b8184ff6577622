/// A key: the hash of what is looked for, and the user that it leads to.
struct HashKey {
  var hash: UInt64
  var user: Int32
}

/// How keys lie in the store: in order, first the leading 48 bits of their hashes, the first one in 8 bytes and
/// each other as what it is more than the one before, then their users; differences and users in bytes of 7 bits, the
/// lowest first, the last one without its high bit.
///
/// Hashes that agree in 48 bits lead to events that are compared in full, so the other 16 need no room.
enum KeyBlock {
  /// What a hash is told apart by.
  @inline(__always)
  static func prefix(_ hash: UInt64) -> UInt64 { hash >> 16 }

  static func encode(_ keys: ArraySlice<HashKey>) -> [UInt8] {
    guard let first = keys.first else { return [] }
    return [UInt8](unsafeUninitializedCapacity: 8 + keys.count * 13) { bytes, count in
      var next = 8
      @inline(__always)
      func append(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
          bytes[next] = UInt8(truncatingIfNeeded: value) | 0x80
          value >>= 7
          next += 1
        }
        bytes[next] = UInt8(truncatingIfNeeded: value)
        next += 1
      }
      var last = prefix(first.hash)
      UnsafeMutableRawBufferPointer(bytes).storeBytes(of: last.littleEndian, as: UInt64.self)
      for key in keys.dropFirst() {
        append(prefix(key.hash) - last)
        last = prefix(key.hash)
      }
      for key in keys { append(UInt64(UInt32(bitPattern: key.user))) }
      count = next
    }
  }

  /// The first key's prefix.
  static func first(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    bytes.count < 8 ? 0 : UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  /// Reads a block's keys; the hashes are prefixes, shifted to where they were.
  ///
  /// - Returns: Whether the bytes are those of so many keys.
  static func decode(_ bytes: UnsafeRawBufferPointer, count: Int, into keys: inout [HashKey]) -> Bool {
    keys.removeAll(keepingCapacity: true)
    guard bytes.count >= 8 else { return count == 0 }
    keys.reserveCapacity(count)
    var next = 8
    @inline(__always)
    func read() -> UInt64 {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while next < bytes.count {
        let byte = bytes[next]
        next += 1
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { break }
        shift += 7
      }
      return value
    }
    var prefix = first(bytes)
    keys.append(HashKey(hash: prefix << 16, user: 0))
    for _ in 1..<max(1, count) {
      prefix += read()
      keys.append(HashKey(hash: prefix << 16, user: 0))
    }
    for index in keys.indices { keys[index].user = Int32(bitPattern: UInt32(truncatingIfNeeded: read())) }
    return next == bytes.count
  }
}
