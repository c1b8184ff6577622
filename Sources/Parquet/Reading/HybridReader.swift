internal import EventModel

/// Reads small numbers in the hybrid of runs and packed bits, or in the deprecated packed bits of levels.
///
/// Eight bytes behind the end must be readable.
///
/// Source: apache/parquet-format, Encodings.md ("Run Length Encoding / Bit-Packing Hybrid", "Bit-packed").
struct HybridReader {
  private var place: UnsafeRawPointer
  private let end: UnsafeRawPointer
  private let width: Int
  private let mask: UInt64
  private let isHighFirst: Bool
  private var runLeft = 0
  private var runValue: UInt32 = 0
  private var packed: UnsafeRawPointer
  private var packedLeft = 0
  private var bit = 0

  /// - Parameter width: The bits of a number, 0–32.
  init(_ bytes: UnsafeRawBufferPointer, width: Int) {
    precondition((0...32).contains(width))
    // The address of an empty buffer may be nil; nothing is read from it.
    place = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8)!
    end = place + bytes.count
    packed = place
    self.width = width
    mask = (1 << UInt64(width)) - 1
    isHighFirst = false
    // Numbers without bits are zeros, whether runs of them are written or not.
    if width == 0 { runLeft = .max }
  }

  /// Creates a reader of levels in packed bits, the first bit highest.
  init(highFirst bytes: UnsafeRawBufferPointer, width: Int, count: Int) {
    precondition((1...32).contains(width) && bytes.count >= (count * width + 7) / 8)
    place = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8)!
    packed = place
    place += bytes.count
    end = place
    self.width = width
    mask = (1 << UInt64(width)) - 1
    isHighFirst = true
    packedLeft = count
  }

  /// Returns the bits that a number up to `most` needs.
  static func width(_ most: Int) -> Int { Int.bitWidth - most.leadingZeroBitCount }

  /// Writes the next numbers and returns their count, which is less than `count` only at the end of the bytes.
  mutating func read(_ count: Int, into numbers: UnsafeMutablePointer<UInt32>) throws(ParquetFailure) -> Int {
    var done = 0
    while done < count {
      if runLeft > 0 {
        let part = min(runLeft, count - done)
        (numbers + done).update(repeating: runValue, count: part)
        runLeft -= part
        done += part
      } else if packedLeft > 0 {
        let part = min(packedLeft, count - done)
        if isHighFirst { unpackHighFirst(part, into: numbers + done) } else { unpack(part, into: numbers + done) }
        packedLeft -= part
        done += part
      } else if place < end {
        try readHead()
      } else {
        break
      }
    }
    return done
  }

  @inline(__always)
  private mutating func unpack(_ count: Int, into numbers: UnsafeMutablePointer<UInt32>) {
    for index in 0..<count {
      let word = UInt64(littleEndian: packed.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self))
      numbers[index] = UInt32(truncatingIfNeeded: word &>> UInt64(bit & 7) & mask)
      bit &+= width
    }
  }

  private mutating func unpackHighFirst(_ count: Int, into numbers: UnsafeMutablePointer<UInt32>) {
    for index in 0..<count {
      var number: UInt32 = 0
      for _ in 0..<width {
        let byte = packed.load(fromByteOffset: bit >> 3, as: UInt8.self)
        number = number << 1 | UInt32(byte >> UInt8(7 - bit & 7) & 1)
        bit += 1
      }
      numbers[index] = number
    }
  }

  private mutating func readHead() throws(ParquetFailure) {
    var length = 0
    guard let head = Varint.whole(UnsafeRawBufferPointer(start: place, count: end - place), &length), head < 1 << 35
    else { throw .damaged("a run has no length") }
    place += length
    let count = Int(head >> 1)
    if head & 1 == 0 {
      let byteCount = (width + 7) / 8
      guard byteCount <= end - place else { throw .damaged("a run has no value") }
      runValue = 0
      for index in 0..<byteCount {
        runValue |= UInt32(place.load(fromByteOffset: index, as: UInt8.self)) << UInt32(index * 8)
      }
      place += byteCount
      runLeft = count
    } else {
      // Some writers cut off what the last group does not need.
      let byteCount = min(count * width, end - place)
      packed = place
      place += byteCount
      packedLeft = min(count * 8, byteCount * 8 / width)
      bit = 0
    }
  }
}
