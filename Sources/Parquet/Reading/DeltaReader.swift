internal import EventModel

/// Reads whole numbers in blocks of differences.
///
/// Eight bytes behind the end must be readable.
///
/// Source: apache/parquet-format, Encodings.md ("Delta Encoding").
struct DeltaReader {
  private(set) var place: UnsafeRawPointer
  private let end: UnsafeRawPointer
  private let blockParts: Int
  private let partCount: Int
  /// The numbers that are not read yet.
  private(set) var left: Int
  private var isFirst = true
  private var last: Int64
  private var least: Int64 = 0
  private var widths: UnsafeRawPointer
  private var part: Int
  private var partLeft = 0
  private var packed: UnsafeRawPointer
  private var width = 0
  private var bit = 0

  init(_ bytes: UnsafeRawBufferPointer) throws(ParquetFailure) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { throw .damaged("a page of differences is empty") }
    place = base
    end = base + bytes.count
    widths = base
    packed = base
    let blockCount = try Self.number(&place, end)
    let parts = try Self.number(&place, end)
    let total = try Self.number(&place, end)
    let first = try Self.number(&place, end)
    guard (1...1 << 31).contains(blockCount), (1...1 << 16).contains(parts), blockCount % parts == 0,
      blockCount / parts % 8 == 0, total < 1 << 40
    else { throw .damaged("a page of differences has an impossible head") }
    blockParts = Int(parts)
    partCount = Int(blockCount / parts)
    left = Int(total)
    last = Varint.signed(first)
    part = blockParts - 1
  }

  /// Writes the next numbers and returns their count, which is less than `count` only at the end.
  mutating func read(_ count: Int, into numbers: UnsafeMutablePointer<Int64>) throws(ParquetFailure) -> Int {
    let wanted = min(count, left)
    var done = 0
    while done < wanted {
      if isFirst {
        isFirst = false
        numbers[done] = last
        done += 1
        left -= 1
        continue
      }
      if partLeft == 0 { try readPart() }
      let some = min(partLeft, wanted - done)
      for index in done..<done + some {
        last = last &+ least &+ Int64(bitPattern: unpacked())
        numbers[index] = last
      }
      partLeft -= some
      left -= some
      done += some
    }
    return done
  }

  /// Returns the address behind the last block.
  func addressBehind() throws(ParquetFailure) -> UnsafeRawPointer {
    var copy = self
    if copy.isFirst && copy.left > 0 {
      copy.isFirst = false
      copy.left -= 1
    }
    copy.left -= min(copy.left, copy.partLeft)
    while copy.left > 0 {
      try copy.readPart()
      copy.left -= min(copy.left, copy.partLeft)
    }
    return copy.place
  }

  @inline(__always)
  private mutating func unpacked() -> UInt64 {
    if width == 0 { return 0 }
    let address = packed + bit &>> 3
    let shift = UInt64(bit & 7)
    bit &+= width
    var word = UInt64(littleEndian: address.loadUnaligned(as: UInt64.self)) &>> shift
    if Int(shift) &+ width > 64 {
      word |= UInt64(address.load(fromByteOffset: 8, as: UInt8.self)) &<< (64 &- shift)
    }
    return width == 64 ? word : word & ((1 &<< UInt64(width)) &- 1)
  }

  private mutating func readPart() throws(ParquetFailure) {
    part += 1
    if part == blockParts {
      least = Varint.signed(try Self.number(&place, end))
      guard blockParts <= end - place else { throw .damaged("a block of differences ends too early") }
      widths = place
      place += blockParts
      part = 0
    }
    width = Int(widths.load(fromByteOffset: part, as: UInt8.self))
    guard width <= 64 else { throw .damaged("a difference has \(width) bits") }
    packed = place
    bit = 0
    partLeft = partCount
    let (bits, isTooLong) = partCount.multipliedReportingOverflow(by: width)
    if !isTooLong && bits / 8 <= end - place {
      place += bits / 8
    } else {
      // Some writers cut off what the last part does not need.
      let (needed, isTooLong) = min(left, partCount).multipliedReportingOverflow(by: width)
      guard !isTooLong, needed <= (end - place) * 8 else { throw .damaged("a block of differences ends too early") }
      place = end
    }
  }

  private static func number(
    _ place: inout UnsafeRawPointer, _ end: UnsafeRawPointer
  ) throws(ParquetFailure) -> UInt64 {
    var count = 0
    let value = Varint.whole(UnsafeRawBufferPointer(start: place, count: end - place), &count)
    guard let value else { throw .damaged("a page of differences ends too early") }
    place += count
    return value
  }
}
