public import EventModel

/// One valid event with all its fields and with defaults filled in, for tests: the program reads ``EventBatch`` or the
/// store.
///
/// Not `Equatable`, because Swift strings with different bytes can be equal; compare ``canonicalJSONBytes``.
public struct Event: Sendable {
  public var eventID: String
  public var kind: EventKind
  public var ts: Instant
  public var app: String
  public var userID: String
  public var receivedAt: Instant?
  public var platform: String?
  public var store: String?
  /// In upper case.
  public var country: String?
  public var appVersion: String?
  /// Whether `environment` is `sandbox`; the default is `production`.
  public var isSandbox = false
  public var properties = EventProperties.none

  public var entryPoint: String?
  public var experiment: String?
  public var variant: String?
  public var paywall: String?
  public var offering: String?
  /// Displayed prices, in micro-units of `currency`.
  public var priceWeekly: Int64?
  public var priceMonthly: Int64?
  public var priceYearly: Int64?
  public var priceLifetime: Int64?
  /// Whether `tier` is `family`; the default is `individual`.
  public var isFamilyTier = false

  public var productID: String?
  public var plan: Plan?
  /// In micro-units of `currency`.
  public var price: Int64?
  /// In upper case.
  public var currency: String?
  /// `price` in US dollars, in micro-units.
  public var priceUSD: Int64?
  /// Shares in `0...1`.
  public var taxPercentage: Double?
  public var commissionPercentage: Double?
  public var subscriptionID: String?
  public var transactionID: String?
  public var expiresAt: Instant?
  /// Whether `ownership` is `family_shared`; the default is `purchased`.
  public var isFamilyShared = false
  public var offerType: String?
  public var offerCode: String?

  public var limitName: String?
  public var limit: Double?
  public var used: Double?
  public var trialDays: Int64?
  public var trialEndsAt: Instant?
  /// `introductory` or `app`; a `trial_start` defaults to `introductory`.
  public var trialKind: String?
  public var previousProductID: String?
  /// The reason; a `cancellation` defaults to `voluntary`.
  public var reason: String?
  public var graceEndsAt: Instant?
  /// When the subscription of a `payment` began.
  public var subscriptionStartedAt: Instant?
  /// The previous id, on `identify` events only.
  public var previousUserID: String?

  /// Creates an event with the required fields only and the defaults of its kind.
  public init(kind: EventKind, eventID: String, ts: Instant, app: String, userID: String) {
    self.kind = kind
    self.eventID = eventID
    self.ts = ts
    self.app = app
    self.userID = userID
    if kind == .trialStart { trialKind = "introductory" }
    if kind == .cancellation { reason = "voluntary" }
  }

  /// The content as ``RecordContents/appendCanonicalJSON(of:to:)`` describes it.
  public var canonicalJSONBytes: [UInt8] {
    var json: [UInt8] = []
    SingleContent(self).appendCanonicalJSON(to: &json)
    return json
  }

  /// ``canonicalJSONBytes`` as a string.
  public func canonicalJSON() -> String {
    String(decoding: canonicalJSONBytes, as: UTF8.self)
  }
}
