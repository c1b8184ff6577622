/// One event to write, without the fields of `Events.md` that belong to the user.
struct SampleEvent {
  /// The kinds of `Events.md`; the raw value is the name.
  enum Kind: String {
    case exposure
    case paywallImpression = "paywall_impression"
    case paywallDismissal = "paywall_dismissal"
    case purchaseStarted = "purchase_started"
    case gateHit = "gate_hit"
    case trialStart = "trial_start"
    case trialNudge = "trial_nudge"
    case conversion
    case renewal
    case planChange = "plan_change"
    case restore
    case offerRedemption = "offer_redemption"
    case cancellation
    case reactivation
    case billingIssue = "billing_issue"
    case expiration
    case refund
    case activity
    case identify

    var family: EventFamily {
      switch self {
      case .exposure, .paywallImpression, .paywallDismissal, .purchaseStarted, .gateHit: .paywallImpressions
      case .trialStart, .trialNudge: .trialStarts
      case .conversion, .renewal, .planChange, .restore, .offerRedemption: .conversions
      case .cancellation, .reactivation, .billingIssue, .expiration, .refund: .churn
      case .activity, .identify: .activity
      }
    }

    /// Whether the store's server reports the event, in whole seconds; the app reports the others.
    var isFromStore: Bool {
      switch self {
      case .conversion, .renewal, .planChange, .cancellation, .reactivation, .billingIssue, .expiration, .refund: true
      default: false
      }
    }
  }

  /// The part of the paywall context that an event carries.
  enum Context {
    case none
    /// Experiment and variant, for an exposure.
    case experiment
    /// The entry point only, as an older version of the app sends it.
    case entryPoint(String)
    /// Entry point, experiment and variant, without a paywall.
    case start(String)
    /// Entry point, experiment, variant and paywall.
    case full(String)
  }

  enum Offer: String {
    case offerCode = "offer_code"
    case winBack = "win_back"
  }

  var kind: Kind
  var instant: Milliseconds
  var context = Context.none
  /// Whether the event has the offering and the prices of the arm's tier.
  var showsPrices = false
  var product: Product?
  var previousProduct: Product?
  /// The amount in the user's currency.
  var minorUnits: Int?
  var subscription: Int?
  var transaction: Int?
  var expires: Milliseconds?
  var trialDays: Int?
  var trialEnds: Milliseconds?
  var isAppTrial = false
  var offer: Offer?
  var offerCode: String?
  var isFamilyShared = false
  var reason: String?
  var graceEnds: Milliseconds?
  var gate: EntryPointTruth.Gate?
  var used: Int?
  var previousUser: String?

  init(_ kind: Kind, at instant: Milliseconds) {
    self.kind = kind
    self.instant = kind.isFromStore ? instant - instant % .second : instant
  }
}
