public import EventModel

/// A number in the store's dictionary of names; 0 is an absent value, printed `(none)`.
public typealias NameID = Int32

/// The four fields that identify the paywall and the experiment arm of an event; implements definitions 2.1.
public struct Context: Hashable, Sendable {
  public var experiment: NameID
  public var variant: NameID
  public var paywall: NameID
  public var entryPoint: NameID

  public init(experiment: NameID, variant: NameID, paywall: NameID, entryPoint: NameID) {
    self.experiment = experiment
    self.variant = variant
    self.paywall = paywall
    self.entryPoint = entryPoint
  }

  /// All four fields absent.
  public static let none = Context(experiment: 0, variant: 0, paywall: 0, entryPoint: 0)
  /// The context of a trial or purchase that no impression precedes (definitions 2.10).
  public static let unattributed = Context(experiment: 1, variant: 1, paywall: 1, entryPoint: 1)
}

/// The kind of a trial: at its end the store charges the user (introductory) or nothing is charged (app).
public enum TrialKind: UInt8, CaseIterable, Sendable {
  case none = 0
  case introductory = 1
  case app = 2
}

/// The reason why access ended, if an event states it.
public enum ChurnReason: UInt8, CaseIterable, Sendable {
  case unstated = 0
  case voluntary = 1
  case billing = 2
  case priceIncrease = 3
  case refund = 4
  /// Any other reason, including `product_unavailable` (definitions 2.8).
  case other = 5
}

/// The offer, product and money of an event, reduced to the fields that the lifecycle depends on.
public struct Terms: Sendable {
  /// The price in micro-units of `currency`; `nil` if absent.
  @CompactNumber public var price: Int64?
  public var product: NameID = 0
  public var currency: NameID = 0
  public var offering: NameID = 0
  public var offerType: NameID = 0
  public var offerCode: NameID = 0
  /// The length of a trial in whole days (1 to 366); 0 if absent.
  public var trialDays: Int16 = 0
  public var plan: Plan?
  /// From the lowest bit: family tier, family shared, two bits of the trial's kind, three of the reason. A store may have
  /// a million terms.
  @usableFromInline var packed: UInt8 = 0

  public init() {}

  public var isFamilyTier: Bool {
    get { packed & 1 != 0 }
    set { packed = packed & ~1 | (newValue ? 1 : 0) }
  }

  @inlinable public var isFamilyShared: Bool {
    get { packed & 2 != 0 }
    set { packed = packed & ~2 | (newValue ? 2 : 0) }
  }

  public var trialKind: TrialKind {
    get { TrialKind(rawValue: packed >> 2 & 3) ?? .none }
    set { packed = packed & ~0b1100 | newValue.rawValue << 2 }
  }

  public var reason: ChurnReason {
    get { ChurnReason(rawValue: packed >> 4) ?? .unstated }
    set { packed = packed & 0b1111 | newValue.rawValue << 4 }
  }

  public var hasOfferType: Bool { offerType != 0 }

  public var offer: Offer { Offer(product: product, offering: offering, type: offerType, code: offerCode) }
}

/// The dictionaries that a user's events refer to.
public struct EventDictionaries: Sendable {
  /// Contexts by number; number 0 is ``Context/none``.
  public var contexts: [Context] = [.none]
  /// Whether each client's events are from the sandbox, by client number.
  public var clientIsSandbox: [Bool] = [false]
  /// Each client's app, by client number.
  public var clientApp: [NameID] = [0]
  /// Terms by number.
  public var terms: [Terms] = [Terms()]
  /// The instant of each app's first payment (definitions 2.12).
  public var firstPayments: [NameID: Int64] = [:]

  public init() {}

  /// Returns whether events of a client and terms count (definitions 1.5).
  @inlinable @inline(__always)
  public func counts(client: Int32, terms: Int32) -> Bool {
    Self.counts(
      isSandbox: clientIsSandbox[Int(client)], isFamilyShared: self.terms[Int(terms)].isFamilyShared)
  }

  /// Returns whether an event counts; implements definitions 1.5.
  @inlinable @inline(__always)
  public static func counts(isSandbox: Bool, isFamilyShared: Bool) -> Bool { !isSandbox && !isFamilyShared }
}

/// One event of a user, as the fold reads it.
public struct PersonEvent: Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public var ts: Int64
  /// The end that the fold reads of an event of its kind.
  @CompactNumber private var end: Int64?
  public var context: Int32 = 0
  public var client: Int32 = 0
  public var terms: Int32 = 0
  public var properties: Int32 = 0
  /// A number that is equal for equal `subscription_id`s of this user; 0 if absent.
  public var subscription: Int32 = 0
  /// A number that is equal for equal `transaction_id`s of this user; 0 if absent.
  public var transaction: Int32 = 0
  public var kind: EventKind
  /// Whether a `payment` says that its subscription began less than a day before it.
  public private(set) var isOfNewSubscription = false

  public init(ts: Int64, kind: EventKind) {
    self.ts = ts
    self.kind = kind
  }

  /// Notes when the subscription of a `payment` began.
  public mutating func setStart(_ startedAt: Int64?) { isOfNewSubscription = startedAt.map { $0 > ts - day } ?? false }

  /// Of a `trial_start`; other events have none here.
  public var trialEndsAt: Int64? {
    get { kind == .trialStart ? end : nil }
    set { if kind == .trialStart { end = newValue } }
  }

  /// Of a `billing_issue`; other events have none here.
  public var graceEndsAt: Int64? {
    get { kind == .billingIssue ? end : nil }
    set { if kind == .billingIssue { end = newValue } }
  }

  /// Of any other event.
  public var expiresAt: Int64? {
    get { kind == .trialStart || kind == .billingIssue ? nil : end }
    set { if kind != .trialStart && kind != .billingIssue { end = newValue } }
  }

  /// Returns the end of grace after this event of a trial or spell, which a billing issue can move;
  /// implements definitions 1.7.
  ///
  /// - Parameter graceEnd: The end of grace so far.
  func graceEnd(movedFrom graceEnd: Int64) -> Int64 {
    guard ts < graceEnd, let moved = graceEndsAt else { return graceEnd }
    return max(graceEnd, moved)
  }
}
