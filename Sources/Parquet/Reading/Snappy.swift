internal import EventModel

/// Decompresses blocks of Snappy.
///
/// Source: google/snappy, format_description.txt.
enum Snappy {
  /// Fills the room with exactly the bytes of a block.
  static func read(
    _ block: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
  ) throws(ParquetFailure) {
    var place = 0
    guard Varint.whole(block, &place) == UInt64(room.count) else { throw fault }
    var filled = 0
    while place < block.count {
      let tag = block[place]
      place += 1
      var count = Int(tag >> 2) + 1
      if tag & 3 == 0 {
        if count > 60 {
          let more = count - 60
          guard more <= block.count - place else { throw fault }
          count = 0
          for index in 0..<more { count |= Int(block[place + index]) << (index * 8) }
          count += 1
          place += more
        }
        guard count <= block.count - place, count <= room.count - filled else { throw fault }
        (room.baseAddress! + filled).copyMemory(from: block.baseAddress! + place, byteCount: count)
        place += count
        filled += count
        continue
      }
      let distance: Int
      if tag & 3 == 1 {
        guard place < block.count else { throw fault }
        count = Int(tag >> 2 & 7) + 4
        distance = Int(tag >> 5) << 8 | Int(block[place])
        place += 1
      } else {
        let size = tag & 3 == 2 ? 2 : 4
        guard size <= block.count - place else { throw fault }
        distance =
          size == 2
          ? Int(PlainValue.read(UInt16.self, block, at: place)) : Int(PlainValue.read(UInt32.self, block, at: place))
        place += size
      }
      guard room.repeatBytes(distance, count, at: filled) else { throw fault }
      filled += count
    }
    guard filled == room.count else { throw fault }
  }

  private static var fault: ParquetFailure { .damaged("a page of Snappy is broken") }
}

extension UnsafeMutableRawBufferPointer {
  /// Copies `count` bytes from `distance` bytes before a place to it, again and again where both overlap.
  ///
  /// - Returns: `false` if there are no such bytes, or no such room.
  @inline(__always)
  func repeatBytes(_ distance: Int, _ count: Int, at place: Int) -> Bool {
    guard distance > 0, distance <= place, count <= self.count - place else { return false }
    let target = baseAddress! + place
    if distance >= count {
      target.copyMemory(from: target - distance, byteCount: count)
    } else {
      for offset in 0..<count {
        target.storeBytes(
          of: target.load(fromByteOffset: offset - distance, as: UInt8.self), toByteOffset: offset, as: UInt8.self)
      }
    }
    return true
  }
}
