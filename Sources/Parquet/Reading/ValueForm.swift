internal import Basics

/// The JSON form of a column's values.
enum ValueForm: Equatable {
  case flag
  case signed
  case unsigned32
  case unsigned64
  /// A whole number whose last `scale` digits are behind the decimal point.
  case decimal(scale: Int)
  case float
  case double
  case float16
  case date
  case time(unitsPerSecond: Int64)
  case instant(unitsPerSecond: Int64, isUTC: Bool)
  case int96
  /// A decimal whose whole number is big-endian bytes.
  case decimalBytes(scale: Int)
  case uuid
  /// UTF-8, or bytes of another kind as base64.
  case text
  /// The text of a JSON object.
  case object

  private static let mostDigits = 100
  private static let longestDecimal = 64

  init(
    _ type: ParquetFooter.PhysicalType, _ element: ParquetFooter.Element, path: String
  ) throws(ParquetFailure) {
    if case .decimal(let scale) = element.meaning {
      guard (0...Self.mostDigits).contains(scale) else {
        throw .damaged("decimals of column \(path) have \(scale) digits after the point")
      }
      switch type {
      case .int32, .int64:
        self = .decimal(scale: scale)
        return
      case .byteArray, .fixedBytes:
        self = .decimalBytes(scale: scale)
        return
      default: break
      }
    }
    switch (type, element.meaning) {
    case (.boolean, _): self = .flag
    case (.int32, .date?): self = .date
    case (.int32, .time(let units)?), (.int64, .time(let units)?): self = .time(unitsPerSecond: units)
    case (.int32, .unsigned?): self = .unsigned32
    case (.int64, .unsigned?): self = .unsigned64
    case (.int64, .instant(let units, let isUTC)?): self = .instant(unitsPerSecond: units, isUTC: isUTC)
    case (.int32, _), (.int64, _): self = .signed
    case (.int96, _): self = .int96
    case (.float, _): self = .float
    case (.double, _): self = .double
    case (.fixedBytes, .uuid?) where element.typeLength == 16: self = .uuid
    case (.fixedBytes, .float16?) where element.typeLength == 2: self = .float16
    case (.byteArray, _), (.fixedBytes, _): self = .text
    }
  }

  /// Appends a number as JSON; nothing for one that JSON does not have.
  @inline(__always)
  func append(_ number: Int64, to text: inout ColumnBytes) {
    switch self {
    case .flag: text.append(ascii: number == 0 ? "false" : "true")
    case .unsigned32: text.append(decimal: UInt64(UInt32(truncatingIfNeeded: number)))
    case .unsigned64: text.append(decimal: UInt64(bitPattern: number))
    case .decimal(let scale): text.append(digits: String(number.magnitude), isNegative: number < 0, scale: scale)
    case .float:
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: number))
      if value.isFinite { text.append(real: value.description) }
    case .double:
      let value = Double(bitPattern: UInt64(bitPattern: number))
      if value.isFinite { text.append(real: value.description) }
    case .date:
      text.append(ascii: "\"")
      text.append(day: Int(number))
      text.append(ascii: "\"")
    case .time(let units):
      text.append(ascii: "\"")
      text.append(timeOfDay: number, unitsPerSecond: units)
      text.append(ascii: "\"")
    case .instant(let units, let isUTC):
      text.append(instant: number, unitsPerSecond: units, isUTC: isUTC)
    default:
      if number < 0 { text.append(ascii: "-") }
      text.append(decimal: number.magnitude)
    }
  }

  /// Appends bytes as JSON; nothing for a number that JSON does not have.
  @inline(__always)
  func append(_ bytes: UnsafeRawBufferPointer, to text: inout ColumnBytes) {
    switch self {
    case .object where Self.isObject(bytes):
      for byte in bytes { text.append(byte < 0x20 ? 0x20 : byte) }
    case .int96:
      // A Julian day; 2,440,588 is 1970-01-01.
      let day = Int(PlainValue.read(UInt32.self, bytes, at: 8)) - 2_440_588
      let nanoseconds = PlainValue.read(Int64.self, bytes, at: 0)
      text.append(instant: nanoseconds, since: day, unitsPerSecond: 1_000_000_000, isUTC: true)
    case .decimalBytes(let scale): text.append(bigEndian: bytes, scale: scale, limit: Self.longestDecimal)
    case .uuid:
      text.append(ascii: "\"")
      for (index, byte) in bytes.enumerated() {
        if [4, 6, 8, 10].contains(index) { text.append(ascii: "-") }
        text.append(Self.hex(byte >> 4))
        text.append(Self.hex(byte & 15))
      }
      text.append(ascii: "\"")
    case .float16:
      let value = Self.float16(PlainValue.read(UInt16.self, bytes, at: 0))
      if value.isFinite { text.append(real: value.description) }
    default: text.append(quoted: bytes)
    }
  }

  private static func hex(_ digit: UInt8) -> UInt8 { digit < 10 ? 0x30 + digit : 0x57 + digit }

  /// Returns a number of half precision (IEEE 754, binary16).
  private static func float16(_ bits: UInt16) -> Float {
    let exponent = Int(bits >> 10 & 31)
    let fraction = Float(bits & 0x3FF)
    let magnitude =
      exponent == 31
      ? (fraction == 0 ? Float.infinity : .nan)
      : exponent == 0
        ? Float(sign: .plus, exponent: -24, significand: fraction)
        : Float(sign: .plus, exponent: exponent - 25, significand: fraction + 1_024)
    return bits >> 15 == 0 ? magnitude : -magnitude
  }

  /// Returns whether a text begins with an object that ends where the text does.
  private static func isObject(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.first == UInt8(ascii: "{"), String(validating: bytes, as: UTF8.self) != nil else { return false }
    return bytes.withMemoryRebound(to: UInt8.self) { text in
      guard let start = text.baseAddress, let end = JSONExtent.end(of: start, before: start + text.count)
      else { return false }
      return text[(end - start)...].allSatisfy { $0 <= 0x20 }
    }
  }
}
