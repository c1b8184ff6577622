internal import EventModel

/// Reads structures in Thrift's compact protocol (apache/thrift, doc/specs/thrift-compact-protocol.md).
struct ThriftReader {
  enum Fault: Error {
    /// The bytes end inside the structure.
    case cut
    case broken
  }

  /// The protocol's other types of fields, besides ``ThriftType``.
  private enum Code {
    static let isTrue: UInt8 = 1
    static let isFalse: UInt8 = 2
    static let byte: UInt8 = 3
    static let int16: UInt8 = 4
    static let double: UInt8 = 7
    static let set: UInt8 = 10
    static let map: UInt8 = 11
    static let uuid: UInt8 = 13
  }

  /// A field of a structure, before its value.
  struct Field {
    var number: Int
    var type: UInt8

    /// The value of a flag, which is in the type; `nil` for another type.
    var flag: Bool? { type == Code.isTrue ? true : type == Code.isFalse ? false : nil }
  }

  /// The deepest nesting of structures; Parquet's own are less than ten deep.
  private static let deepest = 32

  private let bytes: UnsafeRawBufferPointer
  private(set) var place: Int

  init(_ bytes: UnsafeRawBufferPointer, at place: Int = 0) {
    self.bytes = bytes
    self.place = place
  }

  private mutating func byte() throws(Fault) -> UInt8 {
    guard place < bytes.count else { throw .cut }
    place += 1
    return bytes[place - 1]
  }

  private mutating func varint() throws(Fault) -> UInt64 {
    guard let value = Varint.whole(bytes, &place) else { throw place == bytes.count ? Fault.cut : .broken }
    return value
  }

  /// Reads the fields of a structure to its end; those that `read` leaves unread are skipped.
  mutating func structure(_ read: (Field, inout ThriftReader) throws(Fault) -> Void) throws(Fault) {
    var number = 0
    while true {
      let head = try byte()
      if head == 0 { return }
      let type = head & 15
      if head >> 4 > 0 {
        number += Int(head >> 4)
      } else {
        number = Int(truncatingIfNeeded: Varint.signed(try varint()))
        guard (-0x8000...0x7FFF).contains(number) else { throw .broken }
      }
      let before = place
      try read(Field(number: number, type: type), &self)
      if place == before { try skip(type, depth: 0) }
    }
  }

  /// Reads the fields of a structure that a field has; a value of another type is left unread.
  mutating func structure(
    in field: Field, _ read: (Field, inout ThriftReader) throws(Fault) -> Void
  ) throws(Fault) {
    if field.type == ThriftType.structure.rawValue { try structure(read) }
  }

  mutating func integer(_ field: Field) throws(Fault) -> Int {
    switch field.type {
    case Code.byte: return Int(Int8(bitPattern: try byte()))
    case Code.int16, ThriftType.int32.rawValue, ThriftType.int64.rawValue: return Int(Varint.signed(try varint()))
    default: throw .broken
    }
  }

  /// Reads a number of 32 bits, however it is written.
  mutating func int32(_ field: Field) throws(Fault) -> Int {
    let number = try integer(field)
    guard Int32(exactly: number) != nil else { throw .broken }
    return number
  }

  /// Reads a text or bytes and returns their place.
  mutating func binary(_ field: Field) throws(Fault) -> Range<Int> {
    guard field.type == ThriftType.binary.rawValue else { throw .broken }
    let count = try varint()
    guard count <= UInt64(bytes.count - place) else { throw .cut }
    place += Int(count)
    return place - Int(count)..<place
  }

  mutating func text(_ field: Field) throws(Fault) -> String {
    String(decoding: bytes[try binary(field)], as: UTF8.self)
  }

  /// Reads a list of structures, each by `read`, which must read one.
  mutating func list(_ field: Field, _ read: (inout ThriftReader) throws(Fault) -> Void) throws(Fault) {
    guard field.type == ThriftType.list.rawValue else { throw .broken }
    let (count, type) = try listHead()
    guard count == 0 || type == ThriftType.structure.rawValue else { throw .broken }
    for _ in 0..<count { try read(&self) }
  }

  private mutating func listHead() throws(Fault) -> (count: Int, type: UInt8) {
    let head = try byte()
    let count = head >> 4 == 15 ? try varint() : UInt64(head >> 4)
    // Every element has at least one byte.
    guard count <= UInt64(bytes.count - place) else { throw .cut }
    return (Int(count), head & 15)
  }

  private mutating func skip(_ type: UInt8, depth: Int) throws(Fault) {
    guard depth < Self.deepest else { throw .broken }
    switch type {
    case Code.isTrue, Code.isFalse: break
    case Code.byte: _ = try byte()
    case Code.int16, ThriftType.int32.rawValue, ThriftType.int64.rawValue: _ = try varint()
    case Code.double: try skipBytes(8)
    case Code.uuid: try skipBytes(16)
    case ThriftType.binary.rawValue:
      let count = try varint()
      guard count <= UInt64(bytes.count - place) else { throw .cut }
      place += Int(count)
    case ThriftType.list.rawValue, Code.set:
      let (count, type) = try listHead()
      for _ in 0..<count { try skipElement(type, depth: depth) }
    case Code.map:
      let count = try varint()
      guard count <= UInt64(bytes.count - place) else { throw .cut }
      if count == 0 { return }
      let types = try byte()
      for _ in 0..<count {
        try skipElement(types >> 4, depth: depth)
        try skipElement(types & 15, depth: depth)
      }
    case ThriftType.structure.rawValue:
      while true {
        let head = try byte()
        if head == 0 { return }
        if head >> 4 == 0 { _ = try varint() }
        try skip(head & 15, depth: depth + 1)
      }
    default: throw .broken
    }
  }

  /// Skips an element of a list; a flag has a byte there.
  private mutating func skipElement(_ type: UInt8, depth: Int) throws(Fault) {
    if type == Code.isTrue || type == Code.isFalse {
      _ = try byte()
    } else {
      try skip(type, depth: depth + 1)
    }
  }

  private mutating func skipBytes(_ count: Int) throws(Fault) {
    guard count <= bytes.count - place else { throw .cut }
    place += count
  }
}
