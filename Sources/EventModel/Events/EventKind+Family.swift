extension EventKind {
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
