/// Decompresses blocks of LZ4, alone or in Hadoop's frames.
///
/// Source: lz4/lz4, doc/lz4_Block_format.md; apache/hadoop, Lz4Codec (BlockCompressorStream).
enum LZ4 {
  /// Fills the room with exactly the bytes of a block.
  static func read(
    _ block: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
  ) throws(ParquetFailure) {
    var place = 0
    var filled = 0
    func length(_ first: UInt8) throws(ParquetFailure) -> Int {
      var count = Int(first)
      guard first == 15 else { return count }
      while true {
        guard place < block.count else { throw fault }
        let byte = block[place]
        place += 1
        count += Int(byte)
        if byte < 255 { return count }
      }
    }
    while place < block.count {
      let token = block[place]
      place += 1
      let literals = try length(token >> 4)
      guard literals <= block.count - place, literals <= room.count - filled else { throw fault }
      if literals > 0 {
        (room.baseAddress! + filled).copyMemory(from: block.baseAddress! + place, byteCount: literals)
        place += literals
        filled += literals
      }
      if place == block.count { break }
      guard 2 <= block.count - place else { throw fault }
      let distance = Int(PlainValue.read(UInt16.self, block, at: place))
      place += 2
      let count = try length(token & 15) + 4
      guard room.repeatBytes(distance, count, at: filled) else { throw fault }
      filled += count
    }
    guard filled == room.count else { throw fault }
  }

  /// Fills the room with the bytes of blocks, each behind its lengths in 32 bits, big-endian.
  static func read(
    framed bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
  ) throws(ParquetFailure) {
    func number(_ place: Int) -> Int {
      Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    }
    var place = 0
    var filled = 0
    while place < bytes.count {
      guard 8 <= bytes.count - place else { throw fault }
      let (plain, packed) = (number(place), number(place + 4))
      place += 8
      guard packed <= bytes.count - place, plain <= room.count - filled else { throw fault }
      try read(
        UnsafeRawBufferPointer(rebasing: bytes[place..<place + packed]),
        into: UnsafeMutableRawBufferPointer(rebasing: room[filled..<filled + plain]))
      place += packed
      filled += plain
    }
    guard filled == room.count else { throw fault }
  }

  private static var fault: ParquetFailure { .damaged("a page of LZ4 is broken") }
}
