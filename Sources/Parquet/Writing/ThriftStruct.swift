internal import EventModel

/// The types of fields and elements in Thrift's compact protocol (apache/thrift, doc/specs/thrift-compact-protocol.md).
enum ThriftType: UInt8 {
  /// A flag, whose value is its type.
  case isTrue = 1
  case int32 = 5
  case int64 = 6
  case binary = 8
  case list = 9
  case structure = 12
}

/// A structure in Thrift's compact protocol; fields must be added in the order of their numbers.
struct ThriftStruct {
  private var fields: [UInt8] = []
  private var last = 0

  init(_ build: (inout ThriftStruct) -> Void) { build(&self) }

  /// The bytes of the structure, including its end.
  var bytes: [UInt8] { fields + [0] }

  private mutating func begin(_ number: Int, _ type: ThriftType) {
    let step = number - last
    precondition(step > 0 && step < 16, "fields come in order")
    fields.append(UInt8(step) << 4 | type.rawValue)
    last = number
  }

  mutating func add(_ number: Int, int32 value: Int) {
    begin(number, .int32)
    Varint.append(signed: Int64(value), to: &fields)
  }

  mutating func add(_ number: Int, int64 value: Int64) {
    begin(number, .int64)
    Varint.append(signed: value, to: &fields)
  }

  /// Adds a flag that is set.
  mutating func addTrue(_ number: Int) { begin(number, .isTrue) }

  mutating func add(_ number: Int, text: String) {
    begin(number, .binary)
    Varint.append(UInt64(text.utf8.count), to: &fields)
    fields += Array(text.utf8)
  }

  /// Adds an integer in the form of Parquet's statistics.
  mutating func add(_ number: Int, plain value: Int64) {
    begin(number, .binary)
    Varint.append(UInt64(8), to: &fields)
    PlainValue.append(value, to: &fields)
  }

  mutating func add(_ number: Int, _ value: ThriftStruct) {
    begin(number, .structure)
    fields += value.bytes
  }

  mutating func add(_ number: Int, _ value: ThriftList) {
    begin(number, .list)
    fields += value.bytes
  }
}

/// A list in Thrift's compact protocol.
struct ThriftList {
  private let type: ThriftType
  private var count = 0
  private var elements: [UInt8] = []

  init(of type: ThriftType = .structure) { self.type = type }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    if count < 15 {
      bytes.append(UInt8(count) << 4 | type.rawValue)
    } else {
      bytes.append(0xF0 | type.rawValue)
      Varint.append(UInt64(count), to: &bytes)
    }
    return bytes + elements
  }

  mutating func append(_ value: ThriftStruct) {
    precondition(type == .structure)
    elements += value.bytes
    count += 1
  }

  mutating func append(int32 value: Int) {
    precondition(type == .int32)
    Varint.append(signed: Int64(value), to: &elements)
    count += 1
  }

  mutating func append(text: String) {
    precondition(type == .binary)
    Varint.append(UInt64(text.utf8.count), to: &elements)
    elements += Array(text.utf8)
    count += 1
  }
}
