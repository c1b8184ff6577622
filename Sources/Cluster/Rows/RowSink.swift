/// Receives rows of tables, column by column in the order of ``WorkerProtocol/allColumns(of:)``.
protocol RowSink {
  /// Starts a row.
  ///
  /// - Parameters:
  ///   - tag: The table: events, or one of the facts.
  ///   - app: The row's app, which is its first column.
  ///   - user: The event's user; ignored for facts.
  ///   - instant: The instant that determines the row's month.
  func begin(
    _ tag: WorkerProtocol.Tag, app: UnsafeRawBufferPointer, user: UnsafeRawBufferPointer, instant: Int64)
  func appendNull()
  func append(_ bytes: UnsafeRawBufferPointer)
  func append(_ number: Int64)
  func append(_ flag: Bool)
  /// Ends the row.
  func endRow() throws
}

extension RowSink {
  func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

  func append(_ text: String?) {
    guard var text else { return appendNull() }
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  func append(_ number: Int64?) {
    if let number { append(number) } else { appendNull() }
  }

  func append(_ number: Int) { append(Int64(number)) }
}
