/// A key: the hash of the text looked for, and the user that it belongs to.
struct HashKey {
  var hash: UInt64
  var user: Int32
}

/// The encoding of keys in the store: in the order of their hashes, as a stream of bits, the lowest bit of a byte
/// first.
///
/// Only the leading 40 bits of a hash are stored; keys that agree in them are compared in full. The first key takes 64
/// bits. Each further key is stored as its difference from the previous one, in the code of Rice and Plaunt (1971),
/// which is within a few percent of the minimum for random hashes: the high part of the difference as that many ones
/// and a zero, then its low bits. The users follow, each in as many bits as the greatest of them needs.
///
///     byte 0 low bits of a difference · byte 1 bits of a user · bytes 2…9 first hash · differences · users
enum KeyBlock {
  private static let dropped: UInt64 = 24

  /// Returns the part of a hash that is stored.
  @inline(__always)
  static func prefix(_ hash: UInt64) -> UInt64 { hash >> dropped }

  static func encode(_ keys: UnsafeBufferPointer<HashKey>) -> [UInt8] {
    guard let first = keys.first, let last = keys.last else { return [] }
    let mean = (prefix(last.hash) - prefix(first.hash)) / UInt64(max(1, keys.count - 1))
    let lowBits = max(0, 63 - max(mean, 1).leadingZeroBitCount)
    let greatest = keys.reduce(UInt32(0)) { max($0, UInt32(bitPattern: $1.user)) }
    let userBits = max(1, 32 - greatest.leadingZeroBitCount)
    // The high parts sum to less than twice the number of keys, because the low bits hold at least half of the mean.
    let capacity = 10 + keys.count * (lowBits + userBits + 3) / 8 + BitWriter.spare
    return [UInt8](unsafeUninitializedCapacity: capacity) { bytes, count in
      var bits = BitWriter(UnsafeMutableRawBufferPointer(bytes))
      bits.append(UInt64(lowBits), count: 8)
      bits.append(UInt64(userBits), count: 8)
      bits.append(prefix(first.hash) & 0xFFFF_FFFF, count: 32)
      bits.append(prefix(first.hash) >> 32, count: 32)
      var before = prefix(first.hash)
      for key in keys.dropFirst() {
        let difference = prefix(key.hash) - before
        before = prefix(key.hash)
        bits.append(ones: difference >> UInt64(lowBits))
        bits.append(difference & (1 << UInt64(lowBits) - 1), count: lowBits)
      }
      for key in keys { bits.append(UInt64(UInt32(bitPattern: key.user)), count: userBits) }
      count = bits.finish()
    }
  }

  /// Reads a block's keys; the hashes are prefixes, shifted to their original position.
  ///
  /// - Returns: Whether the bytes encode this number of keys.
  static func decode(_ bytes: UnsafeRawBufferPointer, count: Int, into keys: inout [HashKey]) -> Bool {
    keys.removeAll(keepingCapacity: true)
    // A key has a bit of its hash at least.
    guard count >= 0, count <= bytes.count * 8 else { return false }
    keys.reserveCapacity(count)
    guard
      let users = forEachPrefix(
        in: bytes, count: count,
        { _, prefix in
          keys.append(HashKey(hash: prefix << dropped, user: 0))
          return true
        })
    else { return false }
    for index in keys.indices { keys[index].user = users[index] }
    return true
  }

  /// Calls `found` for each key of a block that agrees with one of the given keys.
  ///
  /// - Parameters:
  ///   - sorted: The keys in the order of their hashes.
  ///   - found: Takes a place in `sorted` and the user of the block's key.
  /// - Returns: Whether the bytes encode this number of keys.
  static func forEachMatch(
    in bytes: UnsafeRawBufferPointer, count: Int, of sorted: ArraySlice<HashKey>,
    _ found: (_ place: Int, _ storedUser: Int32) throws -> Void
  ) rethrows -> Bool {
    var next = sorted.startIndex
    var matches: [(place: Int, key: Int)] = []
    let users = forEachPrefix(in: bytes, count: count) { index, stored in
      while next < sorted.endIndex, prefix(sorted[next].hash) < stored { next += 1 }
      var same = next
      while same < sorted.endIndex, prefix(sorted[same].hash) == stored {
        matches.append((same, index))
        same += 1
      }
      // The users come after all hashes.
      return next < sorted.endIndex || !matches.isEmpty
    }
    guard let users else { return false }
    for match in matches { try found(match.place, users[match.key]) }
    return true
  }

  /// The users of a block's keys, by place.
  private struct Users {
    let bytes: UnsafeRawBufferPointer
    let firstBit: Int
    let bitCount: Int

    subscript(place: Int) -> Int32 {
      let start = firstBit + place * bitCount
      var value: UInt64 = 0
      if (start >> 3) + 8 <= bytes.count {
        value = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start >> 3, as: UInt64.self))
      } else {
        for (index, byte) in bytes[(start >> 3)...].enumerated() { value |= UInt64(byte) << UInt64(index * 8) }
      }
      return Int32(truncatingIfNeeded: value >> UInt64(start & 7) & (1 << UInt64(bitCount) - 1))
    }
  }

  /// Calls `body` with the leading bits of each key's hash until it returns `false`.
  ///
  /// - Returns: The keys' users, none if `body` stopped early; `nil` if the bytes do not encode this number of keys.
  @inline(__always)
  private static func forEachPrefix(
    in bytes: UnsafeRawBufferPointer, count: Int, _ body: (_ index: Int, _ prefix: UInt64) -> Bool
  ) -> Users? {
    guard count > 0, bytes.count >= 10, count <= bytes.count * 8 else {
      return count == 0 && bytes.isEmpty ? Users(bytes: bytes, firstBit: 0, bitCount: 1) : nil
    }
    var bits = BitReader(bytes)
    let lowBits = Int(bits.read(8))
    let userBits = Int(bits.read(8))
    guard lowBits <= 40, (1...32).contains(userBits) else { return nil }
    var before = bits.read(32)
    before |= bits.read(32) << 32
    let none = Users(bytes: bytes, firstBit: 0, bitCount: 1)
    if !body(0, before) { return none }
    for index in 1..<count {
      let high = bits.readOnes()
      before &+= high << UInt64(lowBits) | bits.read(lowBits)
      guard before >> (64 - dropped) == 0, !bits.isBeyondEnd else { return nil }
      if !body(index, before) { return none }
    }
    let firstBit = bits.position
    guard firstBit + count * userBits <= bytes.count * 8 else { return nil }
    return Users(bytes: bytes, firstBit: firstBit, bitCount: userBits)
  }
}

/// Writes bits, the lowest of a byte first, into a buffer that is large enough.
private struct BitWriter {
  /// The bytes that the buffer must have in addition, because eight are stored at a time.
  static let spare = 16

  private let bytes: UnsafeMutableRawBufferPointer
  private var offset = 0
  private var pending: UInt64 = 0
  private var pendingCount: UInt64 = 0

  init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

  /// Appends the low bits of a value.
  ///
  /// - Parameters:
  ///   - value: Must have no bits beyond the count.
  ///   - count: At most 56.
  @inline(__always)
  mutating func append(_ value: UInt64, count: Int) {
    pending |= value &<< pendingCount
    pendingCount &+= UInt64(count)
    bytes.storeBytes(of: pending.littleEndian, toByteOffset: offset, as: UInt64.self)
    let whole = pendingCount & ~7
    offset &+= Int(whole >> 3)
    pending = whole == 64 ? 0 : pending &>> whole
    pendingCount &= 7
  }

  /// Appends a number of ones and a zero.
  @inline(__always)
  mutating func append(ones: UInt64) {
    var rest = ones
    while rest >= 32 {
      append(0xFFFF_FFFF, count: 32)
      rest -= 32
    }
    append(1 << rest - 1, count: Int(rest) + 1)
  }

  /// Completes the last byte and returns the number of bytes written.
  consuming func finish() -> Int { pendingCount > 0 ? offset + 1 : offset }
}

/// Reads bits written by ``BitWriter``.
private struct BitReader {
  private let bytes: UnsafeRawBufferPointer
  private var next = 0
  private var pending: UInt64 = 0
  private var pendingCount = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The number of bits read so far.
  var position: Int { next * 8 - pendingCount }

  /// Whether more bits have been read than there are.
  var isBeyondEnd: Bool { next > bytes.count + 8 }

  @inline(__always)
  private mutating func fill() {
    if next <= bytes.count - 8 {
      // Bits beyond the whole bytes counted are read again later, with the same values.
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: next, as: UInt64.self))
      pending |= word &<< UInt64(pendingCount)
      let taken = (63 &- pendingCount) &>> 3
      next &+= taken
      pendingCount &+= taken &* 8
      return
    }
    while pendingCount <= 48 {
      if next < bytes.count { pending |= UInt64(bytes[next]) << UInt64(pendingCount) }
      next += 1
      pendingCount += 8
    }
  }

  /// Reads a number of bits.
  ///
  /// - Parameter count: At most 48.
  @inline(__always)
  mutating func read(_ count: Int) -> UInt64 {
    if pendingCount < count { fill() }
    let value = pending & (1 << UInt64(count) - 1)
    pending >>= UInt64(count)
    pendingCount -= count
    return value
  }

  /// Reads ones up to the next zero, which is also read, and returns their number.
  @inline(__always)
  mutating func readOnes() -> UInt64 {
    var ones: UInt64 = 0
    while !isBeyondEnd {
      if pendingCount < 48 { fill() }
      let run = min((~pending).trailingZeroBitCount, pendingCount)
      pending = run < 64 ? pending >> UInt64(run) : 0
      pendingCount -= run
      ones += UInt64(run)
      if pendingCount > 0 {
        pending >>= 1
        pendingCount -= 1
        return ones
      }
    }
    return ones
  }
}
