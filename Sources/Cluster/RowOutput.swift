internal import EventModel
#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Writes rows of ``CopyText`` to a file descriptor.
public final class RowOutput: RowSink {
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

  func begin(_ tag: WorkerProtocol.Tag) { append(tag.rawValue) }

  func appendNull() {
    separate()
    row.append(0x5C)
    row.append(0x4E)
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    separate()
    CopyText.append(bytes, to: &row)
  }

  func append(_ number: Int64) {
    separate()
    DecimalDigits.append(number, to: &row)
  }

  func append(_ flag: Bool) {
    separate()
    row.append(contentsOf: (flag ? "true" : "false").utf8)
  }

  func endRow() throws {
    row.append(0x0A)
    isRowEmpty = true
    count += 1
    if row.count >= 1 << 16 { try flush() }
  }

  /// Writes the last row of every worker, and all that waits to be written.
  func end(_ input: RowInput, persons: Int = 0) throws {
    begin(.end)
    append(WorkerProtocol.version)
    append(input.count)
    append(persons)
    append(count)
    try endRow()
    try flush()
  }

  func flush() throws {
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
