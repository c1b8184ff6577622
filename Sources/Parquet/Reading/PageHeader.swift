/// The header of a page (parquet.thrift, PageHeader).
struct PageHeader {
  enum Kind: Int {
    case data, index, dictionary, dataV2
  }

  var kind = Kind.index
  var plainBytes = -1
  var packedBytes = -1
  var checksum: Int?
  var valueCount = -1
  var encoding = -1
  var definitionEncoding = 3
  var repetitionEncoding = 3
  /// Of version 2 alone.
  var definitionBytes = 0
  var repetitionBytes = 0
  var isCompressed = true

  /// - Returns: The header and its length; `nil` if it is longer than the bytes.
  static func read(_ bytes: UnsafeRawBufferPointer) throws(ParquetFailure) -> (PageHeader, byteCount: Int)? {
    var reader = ThriftReader(bytes)
    var header = PageHeader()
    do throws(ThriftReader.Fault) {
      try header.read(&reader)
    } catch {
      if error == .cut { return nil }
      throw .damaged("the head of a page is broken")
    }
    return (header, reader.place)
  }

  private mutating func read(_ reader: inout ThriftReader) throws(ThriftReader.Fault) {
    var header = self
    try reader.structure { field, reader throws(ThriftReader.Fault) in
      switch field.number {
      case 1:
        guard let kind = Kind(rawValue: try reader.int32(field)) else { throw .broken }
        header.kind = kind
      case 2: header.plainBytes = try reader.int32(field)
      case 3: header.packedBytes = try reader.int32(field)
      case 4: header.checksum = try reader.int32(field)
      // Of data pages, dictionaries and data pages of version 2.
      case 5, 7, 8:
        try reader.structure(in: field) { part, reader throws(ThriftReader.Fault) in
          switch (field.number, part.number) {
          case (_, 1): header.valueCount = try reader.int32(part)
          case (5, 2), (7, 2), (8, 4): header.encoding = try reader.int32(part)
          case (5, 3): header.definitionEncoding = try reader.int32(part)
          case (5, 4): header.repetitionEncoding = try reader.int32(part)
          case (8, 5): header.definitionBytes = try reader.int32(part)
          case (8, 6): header.repetitionBytes = try reader.int32(part)
          case (8, 7): header.isCompressed = part.flag ?? true
          default: break
          }
        }
      default: break
      }
    }
    self = header
  }
}
