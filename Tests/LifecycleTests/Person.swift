import EventModel
import Lifecycle

/// Builds a user's events in days since an origin, so that tests read like the rules they check.
struct Person {
  /// 2026-03-02T00:00:00Z.
  static let origin: Int64 = 1_772_409_600_000

  var events: [PersonEvent] = []
  var dictionaries = EventDictionaries()
  private var names: [String: Int32] = ["(unattributed)": 1]
  private var ids: [String: Int32] = [:]

  init() {
    dictionaries.clientIsSandbox.append(false)
    dictionaries.clientApp.append(0)
  }

  /// Returns the instant `days` days after the origin.
  static func at(_ days: Double) -> Int64 { origin + Int64((days * 86_400_000).rounded()) }

  /// Returns the number of a name.
  mutating func name(_ text: String?) -> Int32 {
    guard let text else { return 0 }
    if let known = names[text] { return known }
    names[text] = Int32(names.count + 1)
    return names[text] ?? 0
  }

  private mutating func id(_ text: String?) -> Int32 {
    guard let text else { return 0 }
    if let known = ids[text] { return known }
    ids[text] = Int32(ids.count + 1)
    return ids[text] ?? 0
  }

  /// Adds an event after the existing ones with its instant and kind.
  ///
  /// - Parameter days: Days since the origin; `plus` adds milliseconds.
  mutating func add(
    _ kind: EventKind, _ days: Double, plus milliseconds: Int64 = 0, entryPoint: String? = nil,
    experiment: String? = nil, variant: String? = nil, paywall: String? = nil, product: String? = nil,
    plan: Plan? = nil, price: Int64? = nil, currency: String? = "USD", offer: Bool = false,
    subscription: String? = nil, transaction: String? = nil, expires: Double? = nil, trialEnds: Double? = nil,
    trialDays: Int64? = nil, trialKind: TrialKind = .none, graceEnds: Double? = nil, started: Double? = nil,
    reason: ChurnReason = .unstated, familyShared: Bool = false, offering: String? = nil
  ) {
    var event = PersonEvent(ts: Self.at(days) + milliseconds, kind: kind)
    dictionaries.contexts.append(
      Context(
        experiment: name(experiment), variant: name(variant), paywall: name(paywall), entryPoint: name(entryPoint)))
    event.context = Int32(dictionaries.contexts.count - 1)
    var terms = Terms()
    terms.product = name(product)
    terms.plan = plan
    terms.price = price.map { $0 * 10_000 }
    terms.currency = price == nil ? 0 : name(currency)
    terms.offerType = offer ? name("promotional") : 0
    terms.offering = name(offering)
    terms.isFamilyShared = familyShared
    terms.trialDays = Int16(trialDays ?? 0)
    terms.trialKind = trialKind
    terms.reason = reason
    dictionaries.terms.append(terms)
    event.terms = Int32(dictionaries.terms.count - 1)
    event.client = 1
    event.subscription = id(subscription)
    event.transaction = id(transaction)
    event.expiresAt = expires.map(Self.at)
    event.trialEndsAt = trialEnds.map(Self.at)
    event.graceEndsAt = graceEnds.map(Self.at)
    event.setStart(started.map(Self.at))
    let place = events.firstIndex { ($0.ts, $0.kind.order) > (event.ts, event.kind.order) } ?? events.endIndex
    events.insert(event, at: place)
  }

  /// Adds a payment, by default a monthly one for `monthly` at 6.99 USD; prices are in cents.
  mutating func pay(
    _ kind: EventKind = .conversion, _ days: Double, plus milliseconds: Int64 = 0, product: String = "monthly",
    plan: Plan = .monthly, price: Int64 = 699, currency: String? = "USD", offer: Bool = false,
    subscription: String? = "S", transaction: String? = nil, expires: Double? = nil, entryPoint: String? = nil,
    started: Double? = nil
  ) {
    add(
      kind, days, plus: milliseconds, entryPoint: entryPoint, product: product, plan: plan, price: price,
      currency: currency, offer: offer, subscription: subscription, transaction: transaction, expires: expires,
      started: started)
  }

  func facts(
    asOf: Double? = nil, graceDays: Int64 = 3, attribution: Attribution = .last
  ) -> PersonFacts {
    var fold = PersonFold(
      options: FoldOptions(
        asOf: asOf.map(Self.at) ?? .max, grace: graceDays * 86_400_000, attribution: attribution))
    var source = events
    fold.fold(taking: &source, dictionaries: dictionaries, most: .max) { _ in }
    return fold.facts
  }
}
