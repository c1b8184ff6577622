internal import EventModel

/// One event to write, without the fields of `Events.md` that belong to the user.
struct SampleEvent {
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

  var kind: EventKind
  var instant: Milliseconds
  var context: Context
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

  init(_ kind: EventKind, at instant: Milliseconds, in context: Context = .none) {
    (self.kind, self.context) = (kind, context)
    self.instant = kind.isFromStore ? instant - instant % .second : instant
  }
}

extension EventKind {
  /// Whether the store's server reports the event, in whole seconds; the app reports the others.
  var isFromStore: Bool {
    switch self {
    case .conversion, .renewal, .planChange, .cancellation, .reactivation, .billingIssue, .expiration, .refund: true
    default: false
    }
  }
}
