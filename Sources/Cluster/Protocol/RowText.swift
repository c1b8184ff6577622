internal import EventModel

/// Rows of ``CopyText`` in memory.
final class RowText: RowSink {
  private(set) var bytes: [UInt8] = []
  private var isRowEmpty = true

  private func separate() {
    if isRowEmpty { isRowEmpty = false } else { bytes.append(0x09) }
  }

  func appendNull() {
    separate()
    bytes.append(0x5C)
    bytes.append(0x4E)
  }

  func append(_ value: UnsafeRawBufferPointer) {
    separate()
    CopyText.append(value, to: &bytes)
  }

  func append(_ number: Int64) {
    separate()
    DecimalDigits.append(number, to: &bytes)
  }

  func append(_ flag: Bool) { append(flag ? "true" : "false") }

  func endRow() {
    bytes.append(0x0A)
    isRowEmpty = true
  }

  /// Returns the rows and removes them.
  func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }
}
