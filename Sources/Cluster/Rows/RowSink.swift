internal import EventModel
internal import Lifecycle

/// Receives the values of rows, column by column in the order of ``WorkerProtocol/allColumns(of:)``.
protocol RowSink {
  func appendNull()
  func append(_ bytes: UnsafeRawBufferPointer)
  func append(_ number: Int64)
  func append(_ flag: Bool)
}

extension RowSink {
  func append<each Value: RowValue>(_ values: repeat each Value) { repeat (each values).append(to: self) }
}

/// A value of a column.
protocol RowValue {
  func append(to sink: some RowSink)
}

extension Int64: RowValue {
  func append(to sink: some RowSink) { sink.append(self) }
}

extension Int: RowValue {
  func append(to sink: some RowSink) { sink.append(Int64(self)) }
}

extension Bool: RowValue {
  func append(to sink: some RowSink) { sink.append(self) }
}

extension [UInt8]: RowValue {
  func append(to sink: some RowSink) { withUnsafeBytes { sink.append($0) } }
}

extension String: RowValue {
  func append(to sink: some RowSink) {
    var text = self
    text.withUTF8 { sink.append(UnsafeRawBufferPointer($0)) }
  }
}

extension UnsafeRawBufferPointer: RowValue {
  func append(to sink: some RowSink) { sink.append(self) }
}

extension Optional: RowValue where Wrapped: RowValue {
  func append(to sink: some RowSink) {
    if let self { self.append(to: sink) } else { sink.appendNull() }
  }
}

extension PackOutput {
  func append(names: NameID..., from dictionaries: borrowing PartitionDictionaries) {
    for name in names {
      if name == 0 { appendNull() } else { dictionaries.names.withBytes(UInt32(name)) { append($0) } }
    }
  }

  func append(_ context: Context, _ dictionaries: borrowing PartitionDictionaries) {
    append(
      names: context.experiment, context.variant, context.paywall, context.entryPoint, from: dictionaries)
  }

  func append(_ offer: Offer, _ dictionaries: borrowing PartitionDictionaries) {
    append(names: offer.product, offer.offering, offer.type, offer.code, from: dictionaries)
  }

  func append(client: Int32, _ dictionaries: borrowing PartitionDictionaries) {
    let row = dictionaries.clients.rows[Int(client)]
    append(
      names: NameID(row.platform), NameID(row.store), NameID(row.country), NameID(row.appVersion), from: dictionaries)
  }
}
