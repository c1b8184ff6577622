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
  public var name: String { Self.names[self] }

  private static let names = CaseNames<EventKind>()

  /// Creates the kind with the given name; `nil` for an unknown name. Names are case-sensitive.
  public init?(name: String) {
    guard let kind = Self.names.of(name) else { return nil }
    self = kind
  }

  /// The kinds in the order of the table of Events.md.
  public static let inOrder = allCases.sorted { $0.order < $1.order }

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
