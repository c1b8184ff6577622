/// The kinds of event of `Events.md`, in the order of its table.
///
/// The raw value is that order; it breaks ties between events at one instant (definitions 1.2).
public enum EventKind: UInt8, CaseIterable, Sendable {
  case exposure
  case paywallImpression
  case paywallDismissal
  case purchaseStarted
  case gateHit
  case trialStart
  case trialNudge
  case conversion
  case renewal
  case planChange
  case restore
  case offerRedemption
  case cancellation
  case reactivation
  case billingIssue
  case expiration
  case refund
  case activity
  case identify

  /// The name in event files, such as `paywall_impression`.
  public var name: String {
    switch self {
    case .exposure: "exposure"
    case .paywallImpression: "paywall_impression"
    case .paywallDismissal: "paywall_dismissal"
    case .purchaseStarted: "purchase_started"
    case .gateHit: "gate_hit"
    case .trialStart: "trial_start"
    case .trialNudge: "trial_nudge"
    case .conversion: "conversion"
    case .renewal: "renewal"
    case .planChange: "plan_change"
    case .restore: "restore"
    case .offerRedemption: "offer_redemption"
    case .cancellation: "cancellation"
    case .reactivation: "reactivation"
    case .billingIssue: "billing_issue"
    case .expiration: "expiration"
    case .refund: "refund"
    case .activity: "activity"
    case .identify: "identify"
    }
  }

  /// Creates the kind with the given name; `nil` for an unknown name. Names are case-sensitive.
  public init?(name: String) {
    guard let kind = Self.byName[name] else { return nil }
    self = kind
  }

  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
}
