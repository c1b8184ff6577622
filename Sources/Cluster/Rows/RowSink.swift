internal import EventModel
internal import Lifecycle

/// Receives the values of rows, column by column in the order of ``WorkerProtocol/allColumns(of:)``.
protocol RowSink {
  func appendNull()
  func append(_ bytes: UnsafeRawBufferPointer)
  func append(_ number: Int64)
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

extension PackOutput {
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
