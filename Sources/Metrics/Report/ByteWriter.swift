/// Writes numbers as varints of their zigzag form, and strings as their length and bytes.
struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func append(_ number: Int128) {
    var rest = UInt128(bitPattern: number << 1 ^ number >> 127)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func append(_ kind: Int128, _ number: Int128?) {
    append(kind)
    append(number == nil ? 0 : 1)
    if let number { append(number) }
  }

  mutating func append(_ text: String) {
    append(Int128(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
}

struct ByteReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func number() -> Int128? {
    var value: UInt128 = 0
    var shift = 0
    while offset < bytes.count, shift < 128 {
      let byte = bytes[offset]
      offset += 1
      value |= UInt128(byte & 0x7F) << shift
      if byte < 0x80 { return Int128(bitPattern: value >> 1) ^ -Int128(bitPattern: value & 1) }
      shift += 7
    }
    return nil
  }

  /// Reads an optional number: `nil` if the bytes end, `.some(nil)` for no number.
  mutating func optionalNumber() -> Int128?? {
    guard let isThere = number() else { return nil }
    if isThere == 0 { return .some(nil) }
    return number().map { .some($0) } ?? nil
  }

  mutating func text() -> String? {
    guard let count = number(), count >= 0, count <= bytes.count - offset else { return nil }
    let end = offset + Int(count)
    defer { offset = end }
    return String(decoding: bytes[offset..<end], as: UTF8.self)
  }
}
