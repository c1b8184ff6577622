/// The description of columns and pages at the end of a file (parquet.thrift, FileMetaData).
struct ParquetFooter {
  /// Parquet's `Type`.
  enum PhysicalType: Int {
    case boolean, int32, int64, int96, float, double, byteArray, fixedBytes
  }

  /// The meaning of a column's values (parquet.thrift, LogicalType and ConvertedType).
  enum Meaning: Equatable {
    case text
    case map
    case list
    case decimal(scale: Int)
    case date
    case time(unitsPerSecond: Int64)
    case instant(unitsPerSecond: Int64, isUTC: Bool)
    case unsigned
    case uuid
    case float16
  }

  /// A column or a group of columns, in the order of the schema.
  struct Element {
    var name = ""
    var type: Int?
    var typeLength = 0
    /// 0 required, 1 optional, 2 repeated.
    var repetition = 0
    var childCount = 0
    var converted: Int?
    var scale = 0
    var logical: Meaning?
    /// Whether the element has a logical type, known or not.
    var isAnnotated = false

    var meaning: Meaning? {
      if isAnnotated { return logical }
      switch converted {
      case 0, 4, 19: return .text  // UTF8, ENUM, JSON
      case 1, 2: return .map
      case 3: return .list
      case 5: return .decimal(scale: scale)
      case 6: return .date
      case 7: return .time(unitsPerSecond: 1_000)
      case 8: return .time(unitsPerSecond: 1_000_000)
      case 9: return .instant(unitsPerSecond: 1_000, isUTC: true)
      case 10: return .instant(unitsPerSecond: 1_000_000, isUTC: true)
      case 11, 12, 13, 14: return .unsigned
      default: return nil
      }
    }
  }

  /// The pages of a column in a row group.
  struct Chunk {
    var type = -1
    var codec = 0
    var valueCount = 0
    var dataPage = -1
    var dictionaryPage = 0
    var isEncrypted = false
    var isElsewhere = false

    /// The offset of the first page.
    var start: Int { dictionaryPage >= 4 && dictionaryPage < dataPage ? dictionaryPage : dataPage }
  }

  struct Group {
    var rowCount = 0
    var chunks: [Chunk] = []
  }

  private(set) var elements: [Element] = []
  private(set) var groups: [Group] = []
  /// The offset at which pages end and the footer begins.
  private(set) var start = 0

  init(_ input: ParquetInput) throws(ParquetFailure) {
    guard input.byteCount >= 12 else { throw .damaged("it is too short") }
    let tail = try input.bytes(at: input.byteCount - 8, count: 8)
    if tail.suffix(4) == Array("PARE".utf8) { throw .unread("it is encrypted") }
    guard tail.suffix(4) == ParquetInput.magic else {
      throw .damaged("it does not end in PAR1, so its last part is missing")
    }
    let count = Int(tail.withUnsafeBytes { PlainValue.read(UInt32.self, $0, at: 0) })
    guard count <= input.byteCount - 12 else { throw .damaged("its footer is longer than the file") }
    start = input.byteCount - 8 - count
    let bytes = try input.bytes(at: start, count: count)
    let isRead = bytes.withUnsafeBytes { bytes in
      var reader = ThriftReader(bytes)
      return (try? read(&reader)) != nil
    }
    guard isRead else { throw .damaged("its footer is broken") }
  }

  private mutating func read(_ reader: inout ThriftReader) throws(ThriftReader.Fault) {
    var elements: [Element] = []
    var groups: [Group] = []
    try reader.structure { field, reader throws(ThriftReader.Fault) in
      switch field.number {
      case 2:
        try reader.list(field) { reader throws(ThriftReader.Fault) in elements.append(try Self.element(&reader)) }
      case 4: try reader.list(field) { reader throws(ThriftReader.Fault) in groups.append(try Self.group(&reader)) }
      default: break
      }
    }
    self.elements = elements
    self.groups = groups
  }

  private static func element(_ reader: inout ThriftReader) throws(ThriftReader.Fault) -> Element {
    var element = Element()
    try reader.structure { field, reader throws(ThriftReader.Fault) in
      switch field.number {
      case 1: element.type = try reader.int32(field)
      case 2: element.typeLength = try reader.int32(field)
      case 3: element.repetition = try reader.int32(field)
      case 4: element.name = try reader.text(field)
      case 5: element.childCount = try reader.int32(field)
      case 6: element.converted = try reader.int32(field)
      case 7: element.scale = try reader.int32(field)
      case 10:
        try reader.structure(in: field) { field, reader throws(ThriftReader.Fault) in
          element.logical = try meaning(field, &reader)
          element.isAnnotated = true
        }
      default: break
      }
    }
    return element
  }

  private static func meaning(
    _ field: ThriftReader.Field, _ reader: inout ThriftReader
  ) throws(ThriftReader.Fault) -> Meaning? {
    switch field.number {
    case 1, 4, 12: return .text  // STRING, ENUM, JSON
    case 2: return .map
    case 3: return .list
    case 5:
      var scale = 0
      try reader.structure { field, reader throws(ThriftReader.Fault) in
        if field.number == 1 { scale = try reader.int32(field) }
      }
      return .decimal(scale: scale)
    case 6: return .date
    case 7, 8:
      var isUTC = false
      var units: Int64 = 1_000
      try reader.structure { inner, reader throws(ThriftReader.Fault) in
        switch inner.number {
        case 1: isUTC = inner.flag ?? false
        case 2:
          try reader.structure(in: inner) { unit, _ in
            units = unit.number == 3 ? 1_000_000_000 : unit.number == 2 ? 1_000_000 : 1_000
          }
        default: break
        }
      }
      return field.number == 7 ? .time(unitsPerSecond: units) : .instant(unitsPerSecond: units, isUTC: isUTC)
    case 10:
      var isSigned = true
      try reader.structure { field, _ in
        if field.number == 2 { isSigned = field.flag ?? true }
      }
      return isSigned ? nil : .unsigned
    case 14: return .uuid
    case 15: return .float16
    default: return nil
    }
  }

  private static func group(_ reader: inout ThriftReader) throws(ThriftReader.Fault) -> Group {
    var group = Group()
    try reader.structure { field, reader throws(ThriftReader.Fault) in
      switch field.number {
      case 1:
        try reader.list(field) { reader throws(ThriftReader.Fault) in group.chunks.append(try chunk(&reader)) }
      case 3: group.rowCount = try reader.integer(field)
      default: break
      }
    }
    return group
  }

  private static func chunk(_ reader: inout ThriftReader) throws(ThriftReader.Fault) -> Chunk {
    var chunk = Chunk()
    try reader.structure { field, reader throws(ThriftReader.Fault) in
      switch field.number {
      case 1: chunk.isElsewhere = try !reader.binary(field).isEmpty
      case 3:
        try reader.structure(in: field) { field, reader throws(ThriftReader.Fault) in
          switch field.number {
          case 1: chunk.type = try reader.int32(field)
          case 4: chunk.codec = try reader.int32(field)
          case 5: chunk.valueCount = try reader.integer(field)
          case 9: chunk.dataPage = try reader.integer(field)
          case 11: chunk.dictionaryPage = try reader.integer(field)
          default: break
          }
        }
      case 8: chunk.isEncrypted = true
      default: break
      }
    }
    return chunk
  }
}
