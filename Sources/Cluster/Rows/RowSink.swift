internal import EventModel
internal import Lifecycle

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

  func append(name: NameID, _ dictionaries: borrowing PartitionDictionaries) {
    append(name: UInt32(name), dictionaries)
  }

  private func append(name: UInt32, _ dictionaries: borrowing PartitionDictionaries) {
    if name == 0 { appendNull() } else { dictionaries.names.withBytes(name) { append($0) } }
  }

  /// Appends the four columns of a context.
  func append(_ context: Context, _ dictionaries: borrowing PartitionDictionaries) {
    append(name: context.experiment, dictionaries)
    append(name: context.variant, dictionaries)
    append(name: context.paywall, dictionaries)
    append(name: context.entryPoint, dictionaries)
  }

  func append(_ offer: Offer, _ dictionaries: borrowing PartitionDictionaries) {
    append(name: offer.product, dictionaries)
    append(name: offer.offering, dictionaries)
    append(name: offer.type, dictionaries)
    append(name: offer.code, dictionaries)
  }

  /// Appends the four columns of a client.
  func append(client: Int32, _ dictionaries: borrowing PartitionDictionaries) {
    let row = dictionaries.clients.rows[Int(client)]
    append(name: row.platform, dictionaries)
    append(name: row.store, dictionaries)
    append(name: row.country, dictionaries)
    append(name: row.appVersion, dictionaries)
  }
}
