/// Whose format a file has.
public enum EventSource: String, CaseIterable, Sendable {
  /// Told by the content of each file.
  case auto
  /// The format of Events.md.
  case native
  case revenuecat
  case appstore
  case adapty
  case superwall
  case googleplay
  /// Aggregated reports: counts, and no events.
  case appstoreconnect
}

/// How files of vendors are read; the native format needs none of it.
public struct SourceSettings: Sendable {
  /// Begins the event ids of facts that a mutable row states: of their versions the one received last counts.
  public static let mutableRowPrefix = "revenuecat-export:"

  public var source: EventSource
  /// The app that all events of vendors belong to; by default what the payload says.
  public var app: String?
  /// Product ids whose plan their names and periods do not tell.
  public var plans: [String: String]
  /// Checks the signatures of the App Store; `nil` takes them as they are.
  public var verifier: SignatureVerifier?
  /// What events of other formats mean; all files of the run are read by it.
  public var mapping: MappingFile?

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
}
