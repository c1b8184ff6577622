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
private struct RecordContent: EventContent {
  var contents: RecordContents
  var record: EventRecord
  var client: ClientNames
  var context: ContextNames
  var terms: TermsNames

  private static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  private func instant(_ milliseconds: Int64?) -> Instant? { milliseconds.map(Instant.init(millisecondsSince1970:)) }

  var kind: EventKind { record.kind }
  var eventID: UnsafeRawBufferPointer { contents.text(record.eventID) ?? Self.empty }
  var ts: Instant { Instant(millisecondsSince1970: record.ts) }
  var app: UnsafeRawBufferPointer { contents.name(client.app) ?? Self.empty }
  var userID: UnsafeRawBufferPointer { contents.user(record.user) }
  var platform: UnsafeRawBufferPointer? { contents.name(client.platform) }
  var store: UnsafeRawBufferPointer? { contents.name(client.store) }
  var country: UnsafeRawBufferPointer? { contents.name(client.country) }
  var appVersion: UnsafeRawBufferPointer? { contents.name(client.appVersion) }
  var isSandbox: Bool { client.isSandbox }
  var propertiesJSON: UnsafeRawBufferPointer? { contents.propertiesJSON(record.properties) }
  var entryPoint: UnsafeRawBufferPointer? { contents.name(context.entryPoint) }
  var experiment: UnsafeRawBufferPointer? { contents.name(context.experiment) }
  var variant: UnsafeRawBufferPointer? { contents.name(context.variant) }
  var paywall: UnsafeRawBufferPointer? { contents.name(context.paywall) }
  var offering: UnsafeRawBufferPointer? { contents.name(terms.offering) }
  var priceWeekly: Int64? { terms.priceWeekly }
  var priceMonthly: Int64? { terms.priceMonthly }
  var priceYearly: Int64? { terms.priceYearly }
  var priceLifetime: Int64? { terms.priceLifetime }
  var isFamilyTier: Bool { terms.isFamilyTier }
  var productID: UnsafeRawBufferPointer? { contents.name(terms.product) }
  var plan: Plan? { terms.plan }
  var price: Int64? { terms.price }
  var currency: UnsafeRawBufferPointer? { contents.name(terms.currency) }
  var priceUSD: Int64? { terms.priceUSD }
  var taxPercentage: Double? { terms.taxPercentage }
  var commissionPercentage: Double? { terms.commissionPercentage }
  var subscriptionID: UnsafeRawBufferPointer? { contents.text(record.subscriptionID) }
  var transactionID: UnsafeRawBufferPointer? { contents.text(record.transactionID) }
  var expiresAt: Instant? { instant(record.expiresAt) }
  var isFamilyShared: Bool { terms.isFamilyShared }
  var offerType: UnsafeRawBufferPointer? { contents.name(terms.offerType) }
  var offerCode: UnsafeRawBufferPointer? { contents.name(terms.offerCode) }
  var limitName: UnsafeRawBufferPointer? { contents.name(terms.limitName) }
  var limit: Double? { terms.limit }
  var used: Double? { terms.used }
  var trialDays: Int64? { terms.trialDays }
  var trialEndsAt: Instant? { instant(record.trialEndsAt) }
  var trialKind: UnsafeRawBufferPointer? { contents.name(terms.trialKind) }
  var previousProductID: UnsafeRawBufferPointer? { contents.name(terms.previousProduct) }
  var reason: UnsafeRawBufferPointer? { contents.name(terms.reason) }
  var graceEndsAt: Instant? { instant(record.graceEndsAt) }
  var subscriptionStartedAt: Instant? { instant(record.subscriptionStartedAt) }
  var previousUserID: UnsafeRawBufferPointer? { record.previousUser.map { contents.user($0) } }
}
