/// Writes rows of ``CopyText`` to a file descriptor.
public final class RowOutput: RowSink {
  private static let pieceBytes = 1 << 16
  private let behind: WriteBehind
  private let rows = RowText()
  /// The number of rows written.
  public private(set) var count = 0

  public init(descriptor: Int32) {
    behind = WriteBehind(descriptor: descriptor)
    rows.reserveCapacity(2 * Self.pieceBytes)
  }

  deinit { behind.cancel() }

  func begin(_ tag: WorkerProtocol.Tag) { rows.append(tag.rawValue) }

  func appendNull() { rows.appendNull() }

  func append(_ bytes: UnsafeRawBufferPointer) { rows.append(bytes) }

  func append(_ number: Int64) { rows.append(number) }

  func append(_ flag: Bool) { rows.append(flag) }

  func endRow() throws {
    rows.endRow()
    count += 1
    if rows.bytes.count >= Self.pieceBytes { try flush() }
  }

  /// Writes rows that are created in the background.
  ///
  /// - Parameters:
  ///   - count: The number of rows.
  ///   - byteCount: The memory that they hold until they are created.
  func append(rows count: Int, byteCount: Int, _ make: @escaping () throws -> RowText) throws {
    try flush()
    self.count += count
    try behind.append(byteCount) { try make().bytes }
  }

  /// Writes the worker's last row and everything that is still waiting.
  func end(_ input: RowInput, persons: Int = 0) throws {
    begin(.end)
    append(WorkerProtocol.version, input.count, persons, count)
    try endRow()
    try flush()
    try behind.end()
  }

  private func flush() throws {
    let piece = rows.take()
    if piece.isEmpty { return }
    rows.reserveCapacity(2 * Self.pieceBytes)
    try behind.append(piece.count) { piece }
  }
}
