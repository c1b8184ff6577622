internal import Basics
internal import EventModel

/// Converts a vendor's payloads into events of the native format.
///
/// An adapter throws for payloads that it cannot map and never guesses: missing information gives no event.
protocol SourceAdapter {
  /// The name of the source in `--source` and `health`.
  var source: String { get }
  /// Whether the adapter needs no more payloads, so that reading may end.
  var isSatisfied: Bool { get }
  /// Returns the payloads of a document or line: its items if it is a list, else itself.
  func payloads(in document: JSONNode) -> [JSONNode]
  /// Returns the events of a payload; if one is invalid, none counts.
  func events(of payload: JSONNode) throws(PayloadRejection) -> [NativeEvent]
  /// Returns the count of a row in an aggregated report; `nil` if payloads are events.
  func count(of payload: JSONNode) throws(PayloadRejection) -> (of: ReportedCount, quantity: Int)?
}

extension SourceAdapter {
  var isSatisfied: Bool { false }
  func payloads(in document: JSONNode) -> [JSONNode] { [document] }
  func count(of payload: JSONNode) throws(PayloadRejection) -> (of: ReportedCount, quantity: Int)? { nil }
}

/// An adapter of one vendor, whose name is that of the source.
protocol VendorAdapter: SourceAdapter {
  static var vendor: String { get }
}

extension VendorAdapter {
  var source: String { Self.vendor }
}

/// The reason why a payload is quarantined.
struct PayloadRejection: Error {
  var reason: String
  var field: String?
  /// The app and kind of the event that the payload would be, if they are known.
  var app: String?
  var event: String?

  /// Returns the rejection of a type without mapped events, under the vendor's name for it.
  static func notMapped(_ type: String) -> PayloadRejection { PayloadRejection(reason: "not mapped", field: type) }
  /// Returns the rejection of a payload that is not the vendor's.
  static func notOf(_ vendor: String) -> PayloadRejection { PayloadRejection(reason: "not_of_source:\(vendor)") }
  static func missing(_ field: String) -> PayloadRejection {
    PayloadRejection(reason: "missing:\(field)", field: field)
  }
  static func invalid(_ field: String) -> PayloadRejection {
    PayloadRejection(reason: "invalid:\(field)", field: field)
  }
  /// - Parameter why: The problem, in a few words.
  static func badSignature(_ why: String) -> PayloadRejection {
    PayloadRejection(reason: "bad_signature", field: why)
  }
}

extension PayloadRejection {
  init(_ rejection: Rejection) { self.init(reason: rejection.reason, field: rejection.field?.name) }

  /// Returns the rejection with the app and kind of the event that it concerns.
  func of(app: JSONNode?, event: JSONNode?) -> PayloadRejection {
    var rejection = self
    (rejection.app, rejection.event) = (app?.text, event?.text)
    return rejection
  }

  func rejectedLine(_ raw: [UInt8], line: Int) -> RejectedLine {
    var rejected = RejectedLine(line: line, reason: reason, field: field, raw: raw)
    (rejected.app, rejected.event) = (app, event)
    return rejected
  }
}

/// A vendor's format, detected by the names in its payloads or headers.
struct VendorFormat: Equatable, Sendable {
  let source: EventSource
  /// Whether the format is CSV rather than JSON.
  var isCSV = false
  /// Whether the format can bring payments.
  var hasPayments = true
  /// Whether events have no app unless the settings name it.
  var needsApp = false
  /// Whether events have the name of the source for their app unless the settings name it.
  var assumesApp = false
  /// The sets of names that identify the format: a payload or header has all names of one set.
  let signatures: [Set<String>]
  let adapter: @Sendable (SourceSettings) -> any SourceAdapter

  static let revenuecatWebhook = VendorFormat(
    source: .revenuecat, signatures: [["event", "api_version"], ["type", "event_timestamp_ms"]]
  ) { RevenueCatWebhook(context: VendorContext($0)) }
  static let revenuecatExport = VendorFormat(
    source: .revenuecat, isCSV: true, assumesApp: true,
    signatures: [["rc_original_app_user_id", "store_transaction_id"], ["store_transaction_id", "renewal_number"]]
  ) { RevenueCatExport(context: VendorContext($0)) }
  static let appstore = VendorFormat(
    source: .appstore,
    signatures: [
      ["signedPayload"], ["notificationHistory"], ["signedTransactions"], ["notificationType", "notificationUUID"],
      ["originalTransactionId", "transactionId", "bundleId"], ["originalTransactionId", "autoRenewStatus"],
    ]
  ) { AppStoreNotifications($0) }
  static let adaptyWebhook = VendorFormat(
    source: .adapty, assumesApp: true,
    signatures: [
      ["event_type", "profile_id", "event_properties"], ["event_type", "event_properties", "event_datetime"],
    ]
  ) { AdaptyAdapter(format: .webhook, context: VendorContext($0)) }
  static let adaptyEvents = VendorFormat(
    source: .adapty, isCSV: true, assumesApp: true, signatures: [["profile_id", "event_type", "event_datetime"]]
  ) { AdaptyAdapter(format: .exportedEvent, context: VendorContext($0)) }
  static let adaptyVisits = VendorFormat(
    source: .adapty, isCSV: true, assumesApp: true, signatures: [["profile_id", "paywall_showed_at"]]
  ) { AdaptyAdapter(format: .exportedVisit, context: VendorContext($0)) }
  static let superwall = VendorFormat(
    source: .superwall,
    signatures: [["object", "type", "projectId", "data"], ["object", "type", "applicationId", "data"]]
  ) { SuperwallWebhook(context: VendorContext($0)) }
  static let googleplay = VendorFormat(
    source: .googleplay, hasPayments: false,
    signatures: [["packageName", "eventTimeMillis"], ["message", "subscription"]]
  ) { GooglePlayAdapter(context: VendorContext($0)) }
  static let googleplayOrders = VendorFormat(
    source: .googleplay, needsApp: true,
    signatures: [
      ["orderId", "purchaseToken", "state"], ["orderId", "lineItems", "state"], ["orderId", "lineItems", "total"],
    ]
  ) { GooglePlayAdapter(context: VendorContext($0)) }
  static let googleplaySubscriptions = VendorFormat(
    source: .googleplay, hasPayments: false, needsApp: true,
    signatures: [["subscriptionState", "lineItems"], ["subscriptionState", "startTime"]]
  ) { GooglePlayAdapter(context: VendorContext($0)) }
  static let stripe = VendorFormat(
    source: .stripe, needsApp: true,
    signatures: [
      ["object", "type", "data", "livemode"], ["object", "data", "has_more"],
      ["object", "customer", "lines", "billing_reason"], ["object", "customer", "items", "cancel_at_period_end"],
    ]
  ) { StripeAdapter(context: VendorContext($0)) }
  static let paddle = VendorFormat(
    source: .paddle, needsApp: true, signatures: [["event_id", "event_type", "occurred_at", "data"]]
  ) { PaddleAdapter(context: VendorContext($0)) }
  static let qonversion = VendorFormat(
    source: .qonversion, needsApp: true,
    signatures: [
      ["event_name", "user_id", "custom_user_id", "time"], ["event_name", "user_id", "product_id", "transaction"],
    ]
  ) { QonversionWebhook(context: VendorContext($0)) }
  static let subscriptionEventReport = VendorFormat(
    source: .appstoreconnect, isCSV: true, hasPayments: false,
    signatures: [["Event Date", "Event", "Subscription Name", "Quantity"]]
  ) { AppStoreConnectReports(report: .subscriptionEvent, context: VendorContext($0)) }
  static let subscriberReport = VendorFormat(
    source: .appstoreconnect, isCSV: true, hasPayments: false,
    signatures: [["Event Date", "Subscriber ID", "Subscription Apple ID"]]
  ) { AppStoreConnectReports(report: .subscriber, context: VendorContext($0)) }

  static let allCases = EventSource.allCases.flatMap(\.formats)

  static func == (left: Self, right: Self) -> Bool { left.signatures == right.signatures }

  /// Returns the format with these names; `nil` if there is none or they are native.
  static func of(_ names: Set<String>, isCSV: Bool) -> VendorFormat? {
    if isNative(names) { return nil }
    return allCases.first { $0.isCSV == isCSV && $0.signatures.contains { $0.isSubset(of: names) } }
  }

  static func isNative(_ names: Set<String>) -> Bool { names.isSuperset(of: ["event_id", "event"]) }
}
