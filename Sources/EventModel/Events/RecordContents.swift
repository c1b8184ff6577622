/// Access to the bytes of a batch's records without copying them.
public struct RecordContents {
  private let batch: EventBatch
  private let names: UnsafeRawBufferPointer
  private let texts: UnsafeRawBufferPointer
  private let properties: UnsafeRawBufferPointer

  fileprivate init(
    _ batch: EventBatch, names: UnsafeRawBufferPointer, texts: UnsafeRawBufferPointer,
    properties: UnsafeRawBufferPointer
  ) {
    self.batch = batch
    self.names = names
    self.texts = texts
    self.properties = properties
  }

  /// Returns a string of ``EventBatch/names``; `nil` for the absent one.
  public func name(_ number: UInt32) -> UnsafeRawBufferPointer? {
    number == 0 ? nil : UnsafeRawBufferPointer(rebasing: names[batch.names.range(of: number)])
  }

  /// Returns a text of the batch; `nil` for an absent one.
  public func text(_ slice: TextSlice) -> UnsafeRawBufferPointer? {
    slice.length == 0
      ? nil : UnsafeRawBufferPointer(rebasing: texts[Int(slice.offset)..<Int(slice.offset) + Int(slice.length)])
  }

  /// Returns a user's id.
  public func user(_ number: UInt32) -> UnsafeRawBufferPointer {
    text(batch.users[Int(number)].name) ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Appends the ``Event/canonicalJSONBytes`` of the record's event.
  public func appendCanonicalJSON(of record: EventRecord, to json: inout [UInt8]) {
    RecordContent(
      contents: self, record: record, client: batch.clients.rows[Int(record.client)],
      context: batch.contexts.rows[Int(record.context)], terms: batch.terms.rows[Int(record.terms)]
    ).appendCanonicalJSON(to: &json)
  }

  fileprivate func propertiesJSON(_ number: UInt32) -> UnsafeRawBufferPointer? {
    number == 0 ? nil : UnsafeRawBufferPointer(rebasing: properties[batch.properties.range(of: number)])
  }
}

extension EventBatch {
  /// Calls `body` with the contents of the records, which are valid during the call only.
  public func withRecordContents<Result>(_ body: (RecordContents) throws -> Result) rethrows -> Result {
    try names.bytes.withUnsafeBytes { names in
      try text.withUnsafeBytes { texts in
        try properties.bytes.withUnsafeBytes { properties in
          try body(RecordContents(self, names: names, texts: texts, properties: properties))
        }
      }
    }
  }
}

/// A record with the content of the event that ``Event/init(batch:record:)`` creates from it.
private struct RecordContent: CodedContent {
  var contents: RecordContents
  var record: EventRecord
  var client: ClientNames
  var context: ContextNames
  var terms: TermsNames

  private static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  func name(_ number: UInt32) -> UnsafeRawBufferPointer? { contents.name(number) }

  private func instant(_ milliseconds: Int64?) -> Instant? { milliseconds.map(Instant.init(millisecondsSince1970:)) }

  var kind: EventKind { record.kind }
  var eventID: UnsafeRawBufferPointer { contents.text(record.eventID) ?? Self.empty }
  var ts: Instant { Instant(millisecondsSince1970: record.ts) }
  var app: UnsafeRawBufferPointer { name(client.app) ?? Self.empty }
  var userID: UnsafeRawBufferPointer { contents.user(record.user) }
  var propertiesJSON: UnsafeRawBufferPointer? { contents.propertiesJSON(record.properties) }
  var subscriptionID: UnsafeRawBufferPointer? { contents.text(record.subscriptionID) }
  var transactionID: UnsafeRawBufferPointer? { contents.text(record.transactionID) }
  var expiresAt: Instant? { instant(record.expiresAt) }
  var trialEndsAt: Instant? { instant(record.trialEndsAt) }
  var graceEndsAt: Instant? { instant(record.graceEndsAt) }
  var subscriptionStartedAt: Instant? { instant(record.subscriptionStartedAt) }
  var previousUserID: UnsafeRawBufferPointer? { record.previousUser.map { contents.user($0) } }
}
