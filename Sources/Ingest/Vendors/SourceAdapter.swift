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

/// The vendor formats, detected by the names in their payloads or headers.
enum VendorFormat: CaseIterable {
  case revenuecatWebhook
  case revenuecatExport
  case appstore
  case adaptyWebhook
  case adaptyEvents
  case adaptyVisits
  case superwall
  case googleplay
  case googleplayOrders
  case googleplaySubscriptions
  case stripe
  case paddle
  case qonversion
  case subscriptionEventReport
  case subscriberReport

  var source: EventSource {
    switch self {
    case .revenuecatWebhook, .revenuecatExport: .revenuecat
    case .appstore: .appstore
    case .adaptyWebhook, .adaptyEvents, .adaptyVisits: .adapty
    case .superwall: .superwall
    case .googleplay, .googleplayOrders, .googleplaySubscriptions: .googleplay
    case .stripe: .stripe
    case .paddle: .paddle
    case .qonversion: .qonversion
    case .subscriptionEventReport, .subscriberReport: .appstoreconnect
    }
  }

  /// Whether the format is CSV rather than JSON.
  var isCSV: Bool {
    switch self {
    case .revenuecatExport, .adaptyEvents, .adaptyVisits, .subscriptionEventReport, .subscriberReport: true
    case .revenuecatWebhook, .appstore, .adaptyWebhook, .superwall, .googleplay, .googleplayOrders,
      .googleplaySubscriptions, .stripe, .paddle, .qonversion:
      false
    }
  }

  /// Whether the format can bring payments.
  var hasPayments: Bool {
    switch self {
    case .revenuecatWebhook, .revenuecatExport, .appstore, .adaptyWebhook, .adaptyEvents, .adaptyVisits, .superwall,
      .googleplayOrders, .stripe, .paddle, .qonversion:
      true
    case .googleplay, .googleplaySubscriptions, .subscriptionEventReport, .subscriberReport: false
    }
  }

  /// Whether events have no app unless the settings name it.
  var needsApp: Bool {
    switch self {
    case .googleplayOrders, .googleplaySubscriptions, .stripe, .paddle, .qonversion: true
    case .revenuecatWebhook, .revenuecatExport, .appstore, .adaptyWebhook, .adaptyEvents, .adaptyVisits, .superwall,
      .googleplay, .subscriptionEventReport, .subscriberReport:
      false
    }
  }

  /// Whether events have the name of the source for their app unless the settings name it.
  var assumesApp: Bool {
    switch self {
    case .revenuecatExport, .adaptyWebhook, .adaptyEvents, .adaptyVisits: true
    case .revenuecatWebhook, .appstore, .superwall, .googleplay, .googleplayOrders, .googleplaySubscriptions, .stripe,
      .paddle, .qonversion, .subscriptionEventReport, .subscriberReport:
      false
    }
  }

  /// The sets of names that identify the format: a payload or header has all names of one set.
  var signatures: [Set<String>] {
    switch self {
    case .revenuecatWebhook: [["event", "api_version"], ["type", "event_timestamp_ms"]]
    case .revenuecatExport:
      [["rc_original_app_user_id", "store_transaction_id"], ["store_transaction_id", "renewal_number"]]
    case .appstore:
      [
        ["signedPayload"], ["notificationHistory"], ["signedTransactions"], ["notificationType", "notificationUUID"],
        ["originalTransactionId", "transactionId", "bundleId"], ["originalTransactionId", "autoRenewStatus"],
      ]
    case .adaptyWebhook:
      [["event_type", "profile_id", "event_properties"], ["event_type", "event_properties", "event_datetime"]]
    case .adaptyEvents: [["profile_id", "event_type", "event_datetime"]]
    case .adaptyVisits: [["profile_id", "paywall_showed_at"]]
    case .superwall: [["object", "type", "projectId", "data"], ["object", "type", "applicationId", "data"]]
    case .googleplay:
      [
        ["packageName", "eventTimeMillis"], ["message", "subscription"],
      ]
    case .googleplayOrders:
      [["orderId", "purchaseToken", "state"], ["orderId", "lineItems", "state"], ["orderId", "lineItems", "total"]]
    case .googleplaySubscriptions: [["subscriptionState", "lineItems"], ["subscriptionState", "startTime"]]
    case .stripe:
      [
        ["object", "type", "data", "livemode"], ["object", "data", "has_more"],
        ["object", "customer", "lines", "billing_reason"], ["object", "customer", "items", "cancel_at_period_end"],
      ]
    case .paddle: [["event_id", "event_type", "occurred_at", "data"]]
    case .qonversion:
      [["event_name", "user_id", "custom_user_id", "time"], ["event_name", "user_id", "product_id", "transaction"]]
    case .subscriptionEventReport: [["Event Date", "Event", "Subscription Name", "Quantity"]]
    case .subscriberReport: [["Event Date", "Subscriber ID", "Subscription Apple ID"]]
    }
  }

  /// Creates the format with these names; `nil` if there is none or they are native.
  init?(names: Set<String>, isCSV: Bool) {
    if Self.isNative(names) { return nil }
    let found = Self.allCases.first { format in
      format.isCSV == isCSV && format.signatures.contains { $0.isSubset(of: names) }
    }
    guard let found else { return nil }
    self = found
  }

  static func isNative(_ names: Set<String>) -> Bool { names.isSuperset(of: ["event_id", "event"]) }

  func adapter(_ settings: SourceSettings) -> any SourceAdapter {
    let context = VendorContext(settings)
    return switch self {
    case .revenuecatWebhook: RevenueCatWebhook(context: context)
    case .revenuecatExport: RevenueCatExport(context: context)
    case .appstore: AppStoreNotifications(settings)
    case .adaptyWebhook: AdaptyAdapter(format: .webhook, context: context)
    case .adaptyEvents: AdaptyAdapter(format: .exportedEvent, context: context)
    case .adaptyVisits: AdaptyAdapter(format: .exportedVisit, context: context)
    case .superwall: SuperwallWebhook(context: context)
    case .googleplay, .googleplayOrders, .googleplaySubscriptions: GooglePlayAdapter(context: context)
    case .stripe: StripeAdapter(context: context)
    case .paddle: PaddleAdapter(context: context)
    case .qonversion: QonversionWebhook(context: context)
    case .subscriptionEventReport: AppStoreConnectReports(report: .subscriptionEvent, context: context)
    case .subscriberReport: AppStoreConnectReports(report: .subscriber, context: context)
    }
  }
}
