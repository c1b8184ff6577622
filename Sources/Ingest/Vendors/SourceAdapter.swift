internal import EventModel

/// Turns a vendor's payloads into events of the native format.
///
/// An adapter throws for what it cannot map and never guesses: what a payload does not say becomes no event.
protocol SourceAdapter {
  /// Whose payloads these are, as `--source` and `health` say it.
  var source: String { get }
  /// The payloads that one document or line holds; itself, unless it is a list of others.
  func payloads(in document: PayloadValue) -> [PayloadValue]
  /// The events that a payload stands for; none of them counts when one is not valid.
  func events(of payload: PayloadValue) throws(PayloadRejection) -> [NativeEvent]
  /// What a row of an aggregated report counts; `nil` where payloads are events.
  func count(of payload: PayloadValue) throws(PayloadRejection) -> (of: ReportedCount, quantity: Int)?
}

extension SourceAdapter {
  func payloads(in document: PayloadValue) -> [PayloadValue] { [document] }
  func count(of payload: PayloadValue) throws(PayloadRejection) -> (of: ReportedCount, quantity: Int)? { nil }
}

/// Why a payload is in quarantine.
struct PayloadRejection: Error {
  var reason: String
  var field: String?

  /// A type that the adapter knows no events for, as the vendor calls it.
  static func notMapped(_ type: String) -> PayloadRejection { PayloadRejection(reason: "not mapped", field: type) }
  /// No payload of the adapter's vendor.
  static func notOf(_ vendor: String) -> PayloadRejection { PayloadRejection(reason: "not_of_source:\(vendor)") }
  static func missing(_ field: String) -> PayloadRejection {
    PayloadRejection(reason: "missing:\(field)", field: field)
  }
  static func invalid(_ field: String) -> PayloadRejection {
    PayloadRejection(reason: "invalid:\(field)", field: field)
  }
  /// - Parameter why: What is wrong with it, in a few words.
  static func badSignature(_ why: String) -> PayloadRejection {
    PayloadRejection(reason: "bad_signature", field: why)
  }
}

extension PayloadRejection {
  init(_ rejection: Rejection) { self.init(reason: rejection.reason, field: rejection.field?.name) }

  func rejectedLine(_ raw: [UInt8], line: Int) -> RejectedLine {
    RejectedLine(line: line, reason: reason, field: field, raw: raw)
  }
}

/// The formats of vendors, each found by what its payloads or its header name.
enum VendorFormat: CaseIterable {
  case revenuecatWebhook
  case revenuecatExport
  case appstore
  case adaptyWebhook
  case adaptyEvents
  case adaptyVisits
  case superwall
  case googleplay
  case subscriptionEventReport
  case subscriberReport

  var source: EventSource {
    switch self {
    case .revenuecatWebhook, .revenuecatExport: .revenuecat
    case .appstore: .appstore
    case .adaptyWebhook, .adaptyEvents, .adaptyVisits: .adapty
    case .superwall: .superwall
    case .googleplay: .googleplay
    case .subscriptionEventReport, .subscriberReport: .appstoreconnect
    }
  }

  /// Whether the format has a header and records rather than JSON.
  var isCSV: Bool {
    switch self {
    case .revenuecatExport, .adaptyEvents, .adaptyVisits, .subscriptionEventReport, .subscriberReport: true
    default: false
    }
  }

  /// Sets of names of which a payload or a header has all of one.
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
    case .subscriptionEventReport: [["Event Date", "Event", "Subscription Name", "Quantity"]]
    case .subscriberReport: [["Event Date", "Subscriber ID", "Subscription Name"]]
    }
  }

  /// The format that has these names; `nil` when none or the native one has.
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
    switch self {
    case .revenuecatWebhook: RevenueCatWebhook(settings)
    case .revenuecatExport: RevenueCatExport(settings)
    case .appstore: AppStoreNotifications(settings)
    case .adaptyWebhook: AdaptyAdapter(.webhook, settings)
    case .adaptyEvents: AdaptyAdapter(.exportedEvent, settings)
    case .adaptyVisits: AdaptyAdapter(.exportedVisit, settings)
    case .superwall: SuperwallWebhook(settings)
    case .googleplay: GooglePlayNotifications(settings)
    case .subscriptionEventReport: AppStoreConnectReports(.subscriptionEvent, settings)
    case .subscriberReport: AppStoreConnectReports(.subscriber, settings)
    }
  }
}
