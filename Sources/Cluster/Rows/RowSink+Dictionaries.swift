internal import EventModel
internal import Lifecycle

/// Writes dictionary numbers in facts as text.
extension RowSink {
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
