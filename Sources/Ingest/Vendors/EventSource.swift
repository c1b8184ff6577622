/// The source format of a file.
public enum EventSource: String, CaseIterable, Sendable {
  /// Detected from the content of each file.
  case auto
  /// The format of Events.md.
  case native
  case revenuecat
  case appstore
  case adapty
  case superwall
  case googleplay
  case stripe
  case paddle
  case qonversion
  /// Aggregated reports, which give counts rather than events.
  case appstoreconnect

  /// The name as the service writes it, its files for the help of `ingest`, and their formats. An asterisk marks files
  /// that do not name the app.
  private var service: (title: String, files: String, formats: [VendorFormat]) {
    switch self {
    case .auto, .native: (rawValue, "", [])
    case .revenuecat: ("RevenueCat", "webhooks, scheduled exports*", [.revenuecatWebhook, .revenuecatExport])
    case .appstore: ("App Store", "Server Notifications V2, transactions", [.appstore])
    case .adapty: ("Adapty", "webhooks*, events*, paywall visits*", [.adaptyWebhook, .adaptyEvents, .adaptyVisits])
    case .superwall: ("Superwall", "webhooks", [.superwall])
    case .googleplay:
      (
        "Google Play", "real-time notifications, orders*, subscription states*",
        [.googleplay, .googleplayOrders, .googleplaySubscriptions]
      )
    case .stripe: ("Stripe", "events*, lists of subscriptions* and invoices*", [.stripe])
    case .paddle: ("Paddle", "notifications of Paddle Billing*", [.paddle])
    case .qonversion: ("Qonversion", "webhooks*", [.qonversion])
    case .appstoreconnect:
      (
        "App Store Connect", "report counts, for `tollgate reconcile` only",
        [.subscriptionEventReport, .subscriberReport]
      )
    }
  }

  public var title: String { service.title }
  public var files: String { service.files }
  var formats: [VendorFormat] { service.formats }
}

/// The settings for reading vendor files; the native format needs none of them.
public struct SourceSettings: Sendable {
  /// The prefix of event ids of facts from rows that can change: the version received last counts.
  public static let mutableRowPrefix = "revenuecat-export:"

  /// The source of files that a mapping reads.
  public static let mappingSource = "mapping"
  /// The prefix of event ids of the `identify` events that a mapping's `joins` give.
  public static let joinPrefix = "join:"

  public var source: EventSource
  /// The app of all vendor events; by default the payload's own.
  public var app: String?
  /// Plans by product id, for products whose names and periods do not show the plan.
  public var plans: [String: String]
  /// Further names under which a payload's metadata have the app's own id of a user.
  public var userKeys: [String] = []
  /// Verifies the App Store's signatures; `nil` accepts all.
  public var verifier: SignatureVerifier?
  /// The mapping of events in other formats; if set, all files of the run are read by it.
  public var mapping: MappingFile?
  /// The folder for copies of Parquet that cannot be read where it is, such as a pipe's; `nil` for that of temporary
  /// files.
  public var copyFolder: String?
  /// Notes which values of the mapping records have.
  public var paths: PathTally?
  /// Collects the columns of the records instead of mapping them.
  var profile: ProfileCollector?

  public init(
    source: EventSource = .auto, app: String? = nil, plans: [String: String] = [:], verifier: SignatureVerifier? = nil,
    mapping: MappingFile? = nil
  ) {
    self.source = source
    self.app = app
    self.plans = plans
    self.verifier = verifier
    self.mapping = mapping
  }

  /// Returns a text that is equal for equal readings of a file.
  ///
  /// - Parameter found: The source that the file was found to be of, when it was read before.
  public func reading(of found: String) -> String {
    let native = EventSource.native.rawValue
    if mapping == nil && found == native && (source == .auto || source == .native) { return native }
    var parts = [mapping.map { "mapping:\($0.digest)" } ?? (source == .auto ? found : source.rawValue)]
    if mapping == nil, source == .auto, found == "mapping" { parts = [source.rawValue] }
    if let app { parts.append("app=\(app)") }
    parts += userKeys.map { "user-key:\($0)" }
    parts += plans.sorted { $0.key < $1.key }.map { "plan:\($0.key)=\($0.value)" }
    return parts.joined(separator: " ")
  }
}
