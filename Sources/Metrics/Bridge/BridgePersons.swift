internal import Lifecycle
internal import Store

/// An app's users with the facts of a bridge, read once for all its steps.
struct BridgePersons {
  struct Person {
    var number: Int32
    /// The instant of the first event, in ms.
    var firstSeen: Int64
    var trials: [TrialFact] = []
    var spells: [SpellFact] = []
    var payments: [Payment] = []
    /// `nil` if all units count.
    var kept: BridgeFilter.Kept?

    func keepsTrial(_ place: Int) -> Bool { kept?.trials[place] ?? true }

    /// Whether the spell at a place counts, with its payments.
    func keepsSpell(_ place: Int) -> Bool { kept?.spells[place] ?? true }

    var isKept: Bool { kept?.user ?? true }

    fileprivate func counts(_ payment: PaymentFact, _ metric: VendorMetric) -> Bool {
      metric.isOfFirstSeen ? isKept : keepsSpell(payment.spell)
    }
  }

  struct Payment {
    var fact: PaymentFact
    /// By `--mode`, in ``ReportCurrency/parts`` of a micro-unit; 0 for metrics without money.
    var amount: Int128 = 0
    var refunds: [(ts: Int64, amount: Int128)] = []
  }

  struct SpellKey: Hashable {
    var person: Int32
    var subscription: Int32
    var product: NameID
    var ordinal: Int
  }

  private(set) var all: [Person] = []
  let asOf: Int64
  /// `nil` for metrics without money.
  private(set) var currency: String?
  /// Whether payments that were given back in full never were.
  private let erasesRefunded: Bool

  /// - Throws: ``ReportError/missingRates(_:missing:)``, ``OptionError`` for amounts in several currencies.
  init(_ query: ReportQuery, app: StoreSnapshot.App, _ metric: VendorMetric, erasesRefunded: Bool = false) throws {
    self.erasesRefunded = erasesRefunded
    asOf = query.asOf(of: app)
    let first = try query.facts.firstEvents(withDimensions: BridgeFilter.asksForFirstEvents(query, metric))
    let filter = try BridgeFilter(query, app: app, metric, first)
    var instants: [Int32: Int64] = [:]
    for (person, instant) in first.instants.enumerated() where instant != .max && first.apps[person] == app.id {
      instants[Int32(person)] = asOf
    }
    let money = ReportCurrency(query)
    let kept = query.options.mode == .proceeds ? try query.proceedsShares() : { amount, _ in amount }
    var currencies: Set<NameID> = []
    try query.facts.fold(
      instants, grace: query.options.grace, exposuresSince: .max, erasesRefunded: erasesRefunded,
      takesEventTimes: true
    ) { number, facts in
      var person = Person(number: number, firstSeen: first.instants[Int(number)])
      person.kept = filter?.kept(number, facts)
      person.trials = facts.trials
      person.spells = facts.spells
      person.payments = facts.payments.map { Payment(fact: $0) }
      for refund in facts.refunds { person.payments[refund.payment].refunds.append((refund.ts, 0)) }
      if metric.unit == .money {
        var places = [Int](repeating: 0, count: facts.payments.count)
        for (place, payment) in facts.payments.enumerated() where person.counts(payment, metric) {
          if payment.price > 0 { currencies.insert(payment.currency) }
          let amount = try money.parts(of: payment.price, payment.currency, terms: payment.terms, at: payment.ts)
          person.payments[place].amount = metric == .mrr ? amount : kept(amount, Int64(payment.terms))
        }
        for refund in facts.refunds where metric != .mrr {
          let payment = facts.payments[refund.payment]
          guard person.counts(payment, metric) else { continue }
          currencies.insert(refund.currency)
          let amount = try money.parts(
            ofRefund: refund.amount, refund.currency, of: (payment.currency, payment.terms, payment.ts))
          person.payments[refund.payment].refunds[places[refund.payment]].amount =
            query.options.mode == .gross ? 0 : kept(amount, Int64(payment.terms))
          places[refund.payment] += 1
        }
      }
      all.append(person)
    }
    guard metric.unit == .money else { return }
    try money.check()
    if money.target == nil, currencies.count > 1 {
      let names = currencies.map { query.facts.name(Int($0)) }.sorted(by: precedesInBytes)
      throw ReportError.severalCurrencies(names, "a bridge has one currency, so name it with --currency")
    }
    currency = money.target ?? currencies.first.map { query.facts.name(Int($0)) } ?? "USD"
  }

  /// Returns the spells whose auto-renew is off just before an instant.
  func renewalsOff(_ query: ReportQuery, before instant: Int64) throws -> Set<SpellKey> {
    var off: Set<SpellKey> = []
    func add(_ person: Int32, _ spells: [SpellFact]) {
      for spell in spells where spell.isOff {
        off.insert(
          SpellKey(
            person: person, subscription: spell.subscription, product: spell.product, ordinal: spell.ordinal))
      }
    }
    if instant >= asOf {
      for person in all { add(person.number, person.spells) }
    } else {
      let instants = Dictionary(
        uniqueKeysWithValues: all.filter { !$0.spells.isEmpty }.map { ($0.number, asOf) })
      try query.facts.fold(
        instants, grace: query.options.grace, exposuresSince: .max, erasesRefunded: erasesRefunded,
        renewalAt: instant
      ) { add($0, $1.spells) }
    }
    return off
  }
}
