/// A key: the hash of what is looked for, and the user that it leads to.
struct HashKey {
  var hash: UInt64
  var user: Int32
}

/// How keys lie in the store: in order of hash, as a stream of bits, the lowest bit of a byte first.
///
/// Of a hash the leading 40 bits are kept: what agrees in them is compared in full. They lie in 64 bits for the first
/// key, and for each other key as what it is more than the one before, in the code of Rice and Plaunt (1971), which is
/// within a few percent of the least room that random hashes need: the difference's high part as so many ones and a
/// zero, then its low bits. Then come the users, in as many bits as the greatest of them has.
///
///     byte 0 low bits of a difference · byte 1 bits of a user · bytes 2…9 first hash · differences · users
enum KeyBlock {
  private static let dropped: UInt64 = 24

  /// What a hash is told apart by.
  @inline(__always)
  static func prefix(_ hash: UInt64) -> UInt64 { hash >> dropped }

  static func encode(_ keys: ArraySlice<HashKey>) -> [UInt8] {
    guard let first = keys.first, let last = keys.last else { return [] }
    let mean = (prefix(last.hash) - prefix(first.hash)) / UInt64(max(1, keys.count - 1))
    let lowBits = max(0, 63 - max(mean, 1).leadingZeroBitCount)
    let greatest = keys.reduce(UInt32(0)) { max($0, UInt32(bitPattern: $1.user)) }
    let userBits = max(1, 32 - greatest.leadingZeroBitCount)
    var bits = BitWriter(capacity: 10 + keys.count * (lowBits + userBits + 4) / 8)
    bits.append(UInt64(lowBits), count: 8)
    bits.append(UInt64(userBits), count: 8)
    bits.append(prefix(first.hash), count: 32)
    bits.append(prefix(first.hash) >> 32, count: 32)
    var before = prefix(first.hash)
    for key in keys.dropFirst() {
      let difference = prefix(key.hash) - before
      before = prefix(key.hash)
      bits.append(ones: difference >> UInt64(lowBits))
      bits.append(difference & (1 << UInt64(lowBits) - 1), count: lowBits)
    }
    for key in keys { bits.append(UInt64(UInt32(bitPattern: key.user)), count: userBits) }
    return bits.finish()
  }

  /// Reads a block's keys; the hashes are prefixes, shifted to where they were.
  ///
  /// - Returns: Whether the bytes are those of so many keys.
  static func decode(_ bytes: UnsafeRawBufferPointer, count: Int, into keys: inout [HashKey]) -> Bool {
    keys.removeAll(keepingCapacity: true)
    guard count > 0, bytes.count >= 10 else { return count == 0 && bytes.isEmpty }
    var bits = BitReader(bytes)
    let lowBits = Int(bits.read(8))
    let userBits = Int(bits.read(8))
    guard lowBits <= 40, (1...32).contains(userBits) else { return false }
    var before = bits.read(32)
    before |= bits.read(32) << 32
    keys.reserveCapacity(count)
    keys.append(HashKey(hash: before << dropped, user: 0))
    for _ in 1..<count {
      let high = bits.readOnes()
      before += high << UInt64(lowBits) | bits.read(lowBits)
      guard before >> (64 - dropped) == 0, !bits.isBeyondEnd else { return false }
      keys.append(HashKey(hash: before << dropped, user: 0))
    }
    for index in 0..<count { keys[index].user = Int32(bitPattern: UInt32(truncatingIfNeeded: bits.read(userBits))) }
    return !bits.isBeyondEnd
  }
}

/// Writes bits, the lowest of a byte first.
private struct BitWriter {
  private var bytes: [UInt8] = []
  private var pending: UInt64 = 0
  private var pendingCount = 0

  init(capacity: Int) { bytes.reserveCapacity(capacity + 16) }

  /// - Parameter count: At most 48.
  @inline(__always)
  mutating func append(_ value: UInt64, count: Int) {
    pending |= value << UInt64(pendingCount)
    pendingCount += count
    if pendingCount >= 16 { flush() }
  }

  /// Appends so many ones and a zero.
  @inline(__always)
  mutating func append(ones: UInt64) {
    var rest = ones
    while rest >= 32 {
      append(0xFFFF_FFFF, count: 32)
      rest -= 32
    }
    append(1 << rest - 1, count: Int(rest) + 1)
  }

  @inline(__always)
  private mutating func flush() {
    while pendingCount >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: pending))
      pending >>= 8
      pendingCount -= 8
    }
  }

  consuming func finish() -> [UInt8] {
    flush()
    if pendingCount > 0 { bytes.append(UInt8(truncatingIfNeeded: pending)) }
    return bytes
  }
}

/// Reads what ``BitWriter`` has written.
private struct BitReader {
  private let bytes: UnsafeRawBufferPointer
  private var next = 0
  private var pending: UInt64 = 0
  private var pendingCount = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Whether more has been read than there is.
  var isBeyondEnd: Bool { next > bytes.count + 8 }

  @inline(__always)
  private mutating func fill() {
    while pendingCount <= 48 {
      if next < bytes.count { pending |= UInt64(bytes[next]) << UInt64(pendingCount) }
      next += 1
      pendingCount += 8
    }
  }

  /// - Parameter count: At most 48.
  @inline(__always)
  mutating func read(_ count: Int) -> UInt64 {
    if pendingCount < count { fill() }
    let value = pending & (1 << UInt64(count) - 1)
    pending >>= UInt64(count)
    pendingCount -= count
    return value
  }

  /// The number of ones before a zero; both are taken.
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
