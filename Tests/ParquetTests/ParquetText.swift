import Parquet

/// The lines that the reader makes of a file.
enum ParquetText {
  static func lines(
    _ bytes: [UInt8], _ options: ParquetOptions = ParquetOptions(), room: Int = 1 << 16
  ) throws -> [String] {
    let rows = try ParquetRows(ParquetInput(bytes), options)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 16)
    defer { room.deallocate() }
    var text: [UInt8] = []
    while case let count = try rows.read(into: room), count > 0 { text += room[..<count] }
    return text.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
  }
}
