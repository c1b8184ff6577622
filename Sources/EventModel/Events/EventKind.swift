/// The kinds of event of `Events.md`, by the number under which stores keep them; a number never changes.
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
  case payment

  /// The place in the table of Events.md, which orders events at one instant.
  @inlinable
  public var order: UInt8 {
    if self == .payment { return EventKind.renewal.rawValue + 1 }
    return rawValue > EventKind.renewal.rawValue ? rawValue + 1 : rawValue
  }

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
    case .payment: "payment"
    }
  }

  /// Creates the kind with the given name; `nil` for an unknown name. Names are case-sensitive.
  public init?(name: String) {
    guard let kind = Self.byName[name] else { return nil }
    self = kind
  }

  /// The kinds in the order of the table of Events.md.
  public static let inOrder = allCases.sorted { $0.order < $1.order }

  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

  /// The usual file families, in the order of the table of Events.md.
  public static let families = ["paywall-impressions", "trial-starts", "conversions", "churn", "activity"]

  /// The index of the family in ``families``.
  public var familyNumber: Int {
    switch self {
    case .exposure, .paywallImpression, .paywallDismissal, .purchaseStarted, .gateHit: 0
    case .trialStart, .trialNudge: 1
    case .conversion, .renewal, .payment, .planChange, .restore, .offerRedemption: 2
    case .cancellation, .reactivation, .billingIssue, .expiration, .refund: 3
    case .activity, .identify: 4
    }
  }
}
