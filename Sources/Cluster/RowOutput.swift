internal import EventModel
#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Writes rows of ``CopyText`` to a file descriptor.
public final class RowOutput {
  private let descriptor: Int32
  private var row: [UInt8] = []
  private var isRowEmpty = true
  /// Rows written.
  public private(set) var count = 0

  public init(descriptor: Int32) {
    self.descriptor = descriptor
    row.reserveCapacity(1 << 17)
  }

  private func separate() {
    if isRowEmpty { isRowEmpty = false } else { row.append(0x09) }
  }

  public func appendNull() {
    separate()
    row.append(0x5C)
    row.append(0x4E)
  }

  public func append(_ bytes: UnsafeRawBufferPointer?) {
    guard let bytes else { return appendNull() }
    separate()
    CopyText.append(bytes, to: &row)
  }

  public func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

  public func append(_ text: String?) {
    guard var text else { return appendNull() }
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  public func append(_ number: Int64?) {
    guard let number else { return appendNull() }
    separate()
    row.append(contentsOf: String(number).utf8)
  }

  public func append(_ number: Int) { append(Int64(number)) }

  public func append(_ flag: Bool) {
    separate()
    row.append(contentsOf: (flag ? "true" : "false").utf8)
  }

  /// Ends the row.
  public func endRow() throws {
    row.append(0x0A)
    isRowEmpty = true
    count += 1
    if row.count >= 1 << 16 { try flush() }
  }

  public func flush() throws {
    var offset = 0
    while offset < row.count {
      let wrote = row.withUnsafeBytes { write(descriptor, $0.baseAddress! + offset, $0.count - offset) }
      if wrote < 0 && errno == EINTR { continue }
      if wrote < 0 { throw WorkerFault(.io, "the output cannot be written: \(String(cString: strerror(errno)))") }
      offset += wrote
    }
    row.removeAll(keepingCapacity: true)
  }
}
