/// Access to the bytes of a batch's records without copying them.
public struct RecordContents {
  fileprivate let batch: EventBatch
  fileprivate let names: UnsafeRawBufferPointer
  fileprivate let texts: UnsafeRawBufferPointer
  fileprivate let properties: UnsafeRawBufferPointer

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
    text(batch.users[Int(number)].name) ?? Self.empty
  }

  /// Appends the content of the record's event, for comparing it with another event of the same `app` and `event_id`.
  ///
  /// It has all fields but `received_at`, as JSON in UTF-8 with sorted keys and no spaces. Instants are integer
  /// milliseconds, prices decimal numbers, properties an object of strings, so it is a valid line of a native file.
  /// Absent fields are left out. Every default is written out (`environment`, `ownership` and `tier` of all events,
  /// `trial_kind` of `trial_start`, `reason` of `cancellation`), so an explicit default and an absent field have equal
  /// content.
  ///
  /// Order and equality are defined on the bytes, not by Swift's `<` and `==` on strings.
  public func appendCanonicalJSON(of record: EventRecord, to json: inout [UInt8]) {
    RecordContent(
      contents: self, record: record, eventID: text(record.eventID) ?? Self.empty, userID: user(record.user),
      client: batch.clients.rows[Int(record.client)], context: batch.contexts.rows[Int(record.context)],
      terms: batch.terms.rows[Int(record.terms)]
    ).appendCanonicalJSON(to: &json)
  }

  /// Appends the content of an event that has the record's kind, app and terms and, with `withContext`, its context, and
  /// else only what each event has: the fields of the store's dictionaries.
  public func appendTerms(of record: EventRecord, withContext: Bool, to json: inout [UInt8]) {
    // The instant and the ids do not matter here.
    var reduced = EventRecord()
    (reduced.kind, reduced.ts) = (record.kind, 1_230_768_000_000)
    let dash: StaticString = "-"
    let id = UnsafeRawBufferPointer(start: dash.utf8Start, count: dash.utf8CodeUnitCount)
    var client = ClientNames()
    client.app = batch.clients.rows[Int(record.client)].app
    RecordContent(
      contents: self, record: reduced, eventID: id, userID: id, client: client,
      context: withContext ? batch.contexts.rows[Int(record.context)] : ContextNames(),
      terms: batch.terms.rows[Int(record.terms)]
    ).appendCanonicalJSON(to: &json)
  }

  fileprivate static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  fileprivate func propertiesJSON(_ number: UInt32) -> UnsafeRawBufferPointer? {
    number == 0 ? nil : UnsafeRawBufferPointer(rebasing: properties[batch.properties.range(of: number)])
  }
}

extension EventBatch {
  /// Returns ``RecordContents/appendCanonicalJSON(of:to:)``.
  public func canonicalJSON(of record: EventRecord) -> [UInt8] {
    var json: [UInt8] = []
    withRecordContents { $0.appendCanonicalJSON(of: record, to: &json) }
    return json
  }

  /// Calls `body` with the contents of the records, which are valid during the call only.
  public func withRecordContents<Result>(_ body: (RecordContents) throws -> Result) rethrows -> Result {
    try names.bytes.withUnsafeBytes { names in
      try text.withUnsafeBytes { texts in
        try properties.bytes.withUnsafeBytes { properties in
          try body(RecordContents(batch: self, names: names, texts: texts, properties: properties))
        }
      }
    }
  }
}

/// A record as the event that it is.
private struct RecordContent: EventContent {
  var contents: RecordContents
  var record: EventRecord
  var eventID: UnsafeRawBufferPointer
  var userID: UnsafeRawBufferPointer
  var client: ClientNames
  var context: ContextNames
  var terms: TermsNames

  func name(_ number: UInt32) -> UnsafeRawBufferPointer? { contents.name(number) }

  private func instant(_ milliseconds: Int64?) -> Instant? { milliseconds.map(Instant.init(millisecondsSince1970:)) }

  var kind: EventKind { record.kind }
  var ts: Instant { Instant(millisecondsSince1970: record.ts) }
  var app: UnsafeRawBufferPointer { name(client.app) ?? RecordContents.empty }
  var propertiesJSON: UnsafeRawBufferPointer? { contents.propertiesJSON(record.properties) }
  var subscriptionID: UnsafeRawBufferPointer? { contents.text(record.subscriptionID) }
  var transactionID: UnsafeRawBufferPointer? { contents.text(record.transactionID) }
  var expiresAt: Instant? { instant(record.expiresAt) }
  var trialEndsAt: Instant? { instant(record.trialEndsAt) }
  var graceEndsAt: Instant? { instant(record.graceEndsAt) }
  var subscriptionStartedAt: Instant? { instant(record.subscriptionStartedAt) }
  var previousUserID: UnsafeRawBufferPointer? { record.previousUser.map { contents.user($0) } }
}
