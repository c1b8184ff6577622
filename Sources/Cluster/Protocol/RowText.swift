internal import EventModel

/// Rows of ``CopyText`` in memory.
struct RowText {
  private(set) var bytes: [UInt8] = []
  private var isRowEmpty = true

  private mutating func separate() {
    if isRowEmpty { isRowEmpty = false } else { bytes.append(0x09) }
  }

  mutating func appendNull() {
    separate()
    bytes.append(0x5C)
    bytes.append(0x4E)
  }

  mutating func append(_ value: UnsafeRawBufferPointer) {
    separate()
    CopyText.append(value, to: &bytes)
  }

  mutating func append(_ value: [UInt8]) { value.withUnsafeBytes { append($0) } }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  mutating func append(_ number: Int64) {
    separate()
    DecimalDigits.append(number, to: &bytes)
  }

  mutating func append(_ number: Int) { append(Int64(number)) }

  mutating func append(_ flag: Bool) { append(flag ? "true" : "false") }

  mutating func endRow() {
    bytes.append(0x0A)
    isRowEmpty = true
  }

  /// Returns the rows and removes them.
  mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }
}
