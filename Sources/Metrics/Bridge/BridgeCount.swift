internal import EventModel
internal import Lifecycle

/// A metric under some settings: each unit's part of numerator and denominator.
struct BridgeCount {
  /// A trial, a payment, a subscription's spell or a user, by its user and its own instant.
  struct Unit: Hashable {
    var person: Int32
    /// The start of the trial or spell, or the payment, in ms; the least value for a user.
    var at: Int64
    /// Tells units of one user and instant apart.
    var number: Int
  }

  struct Part: Equatable {
    /// In the numerator: units, or for money ``BridgeCount/scale`` of a micro-unit.
    var met: Int128 = 0
    var of: Int128 = 0
  }

  /// The parts of a micro-unit of money: those of MRR, so that sums are exact, and 23 for a week of 0.23 months.
  static let scale = MRR.parts * 23 * ReportCurrency.parts

  private(set) var parts: [Unit: Part] = [:]
  private(set) var total = Part()
  let metric: VendorMetric

  /// The number in millionths of 1, or of the currency; `nil` where it has no denominator or is not known.
  var millionths: Int128? {
    switch metric.unit {
    case .count: return total.met * 1_000_000
    case .share:
      guard total.of > 0 else { return nil }
      return Int128((Double(total.met) / Double(total.of) * 1e6).rounded(.toNearestOrEven))
    case .money:
      let of = metric == .realizedLTV ? total.of : 1
      return of > 0 ? roundedToOdd(total.met, dividedBy: Self.scale * of) : nil
    }
  }

  private mutating func add(_ unit: Unit, _ part: Part) {
    parts[unit, default: Part()].met += part.met
    parts[unit, default: Part()].of += part.of
    total.met += part.met
    total.of += part.of
  }

  /// The days that are counted, in one zone.
  struct Days {
    let time: LocalTime
    private let days: LocalDays
    /// The instants of the ends; `end` is at most the as-of.
    let begin: Int64
    let end: Int64
    let asOf: Int64

    init(_ time: LocalTime, from: CivilDate?, to: CivilDate?, asOf: Int64) {
      self.time = time
      self.asOf = asOf
      days = LocalDays(from: from, to: to)
      begin = from.map(time.start(of:)) ?? .min
      end = min(asOf, to.map(time.start(of:)) ?? asOf)
    }

    func contains(_ instant: Int64) -> Bool { days.range.contains(time.day(of: instant)) }

    /// Returns whether the time from `start` to `stop` covers the end of the days.
    func covers(_ start: Int64, _ stop: Int64) -> Bool {
      start < end && (end == asOf ? stop > end : stop >= end)
    }

    /// Whether a change of state at an instant is past at the end of the days.
    func isPast(_ instant: Int64) -> Bool { instant < end || instant == end && end == asOf }

    /// Whether a change of state at an instant is one of these days.
    func hasChange(at instant: Int64) -> Bool { instant >= begin && isPast(instant) }
  }

  /// - Parameters:
  ///   - settings: Those that differ from ours.
  ///   - off: See ``BridgePersons/renewalsOff(_:before:)``; empty if the settings do not ask.
  init(
    _ metric: VendorMetric, _ persons: BridgePersons, _ days: Days, settings: Set<VendorSetting>,
    window: Int, off: Set<BridgePersons.SpellKey>
  ) {
    self.metric = metric
    let rules = BridgeRules(days: days, settings: settings, window: window, off: off)
    for person in persons.all {
      switch metric {
      case .trialConversion: addTrials(person, rules)
      case .newTrials: addNewTrials(person, rules)
      case .activeTrials:
        for (number, trial) in person.trials.enumerated()
        where person.keepsTrial(number) && days.covers(trial.start, rules.end(of: trial)) {
          add(Unit(person: person.number, at: trial.start, number: number), Part(met: 1))
        }
      case .activeSubscriptions, .mrr: addActive(person, rules)
      case .churnRate where settings.contains(.baseDue): addDue(person, rules)
      case .churnRate: addChurn(person, rules)
      case .churnedSubscriptions: addChurned(person, rules)
      case .revenue, .refundRate: addPayments(person, rules)
      case .realizedLTV, .conversionToPaying, .initialConversion: addFirstSeen(person, rules)
      }
    }
  }

  // MARK: - Metrics

  private mutating func addNewTrials(_ person: BridgePersons.Person, _ rules: BridgeRules) {
    for (number, trial) in person.trials.enumerated() where person.keepsTrial(number) {
      let starts = [trial.start] + (rules.settings.contains(.unitEvent) ? trial.repeats : [])
      for (place, start) in starts.enumerated() where rules.days.contains(start) {
        // Of several trials that start at one instant, each event is a unit of its own.
        let unit = Unit(person: person.number, at: start, number: place * person.trials.count + number)
        add(unit, Part(met: 1))
      }
    }
  }

  private mutating func addTrials(_ person: BridgePersons.Person, _ rules: BridgeRules) {
    let isByPerson = rules.settings.contains(.unitPerson)
    var ofPerson = Part()
    for (number, trial) in person.trials.enumerated() where person.keepsTrial(number) {
      let day = rules.settings.contains(.firstSeen) ? person.firstSeen : trial.start
      guard rules.days.contains(day), rules.settings.contains(.baseAll) || trial.deadline <= rules.days.asOf else {
        continue
      }
      let part = Part(met: rules.isConverted(trial, of: person) ? 1 : 0, of: 1)
      if isByPerson {
        ofPerson = Part(met: max(ofPerson.met, part.met), of: 1)
      } else {
        add(Unit(person: person.number, at: trial.start, number: number), part)
      }
    }
    if ofPerson.of > 0 { add(Unit(person: person.number, at: .min, number: 0), ofPerson) }
  }

  private mutating func addActive(_ person: BridgePersons.Person, _ rules: BridgeRules) {
    for (number, spell) in person.spells.enumerated()
    where person.keepsSpell(number) && !rules.isOff(spell, of: person) {
      let changes = rules.changes(of: number, person, metric).filter { rules.days.isPast($0.ts) }
      guard changes.reduce(0, { $0 + $1.active }) > 0 else { continue }
      let worth = changes.reduce(0) { $0 + $1.amount }
      add(Unit(person: person.number, at: spell.start, number: number), Part(met: worth))
    }
  }

  private mutating func addChurn(_ person: BridgePersons.Person, _ rules: BridgeRules) {
    for (number, spell) in person.spells.enumerated() where person.keepsSpell(number) {
      var part = Part()
      let changes = rules.changes(of: number, person, metric)
      if changes.reduce(0, { $1.ts < rules.days.begin ? $0 + $1.active : $0 }) > 0 {
        part.of = 1
        let isChurned = changes.contains { $0.movement == .churned && rules.days.hasChange(at: $0.ts) }
        if isChurned || rules.isReplaced(number, of: person) { part.met = 1 }
      }
      if rules.settings.contains(.netted), spell.ordinal > 1, rules.days.hasChange(at: spell.start) { part.met -= 1 }
      if part != Part() { add(Unit(person: person.number, at: spell.start, number: number), part) }
    }
  }

  private mutating func addChurned(_ person: BridgePersons.Person, _ rules: BridgeRules) {
    for (number, spell) in person.spells.enumerated() where person.keepsSpell(number) {
      let changes = rules.changes(of: number, person, metric)
      if changes.contains(where: { $0.movement == .churned && rules.days.hasChange(at: $0.ts) }) {
        add(Unit(person: person.number, at: spell.start, number: number), Part(met: 1))
      }
    }
  }

  /// Adds the payments whose time ends on the days, and those of them that no other payment of the spell follows.
  private mutating func addDue(_ person: BridgePersons.Person, _ rules: BridgeRules) {
    for (number, payment) in person.payments.enumerated() where person.keepsSpell(payment.fact.spell) {
      let fact = payment.fact
      guard fact.coverEnd > fact.ts, fact.coverEnd < .max, rules.days.hasChange(at: fact.coverEnd) else { continue }
      let isRenewed = number + 1 < person.payments.count && person.payments[number + 1].fact.spell == fact.spell
      add(Unit(person: person.number, at: fact.ts, number: number), Part(met: isRenewed ? 0 : 1, of: 1))
    }
  }

  private mutating func addPayments(_ person: BridgePersons.Person, _ rules: BridgeRules) {
    for (number, payment) in person.payments.enumerated() where person.keepsSpell(payment.fact.spell) {
      let unit = Unit(person: person.number, at: payment.fact.ts, number: number)
      let isOnDays = rules.days.contains(payment.fact.ts)
      if metric == .refundRate {
        let part = rules.refundPart(of: number, person, isOnDays: isOnDays)
        if part != Part() { add(unit, part) }
        continue
      }
      var amount = isOnDays ? payment.amount : 0
      for refund in payment.refunds
      where rules.settings.contains(.refundOnPaymentDay) ? isOnDays : rules.days.contains(refund.ts) {
        amount -= refund.amount
      }
      if amount != 0 { add(unit, Part(met: amount * (Self.scale / ReportCurrency.parts))) }
    }
  }

  private mutating func addFirstSeen(_ person: BridgePersons.Person, _ rules: BridgeRules) {
    guard person.isKept, rules.days.contains(person.firstSeen),
      rules.settings.contains(.baseAll)
        || person.firstSeen + Int64(rules.window) * day <= rules.days.asOf
    else { return }
    var part = Part(of: 1)
    func isIn(_ ts: Int64) -> Bool { rules.isInWindow(ts, from: person.firstSeen) }
    let paid = person.payments.filter { $0.fact.price > 0 && isIn($0.fact.ts) }
    switch metric {
    case .realizedLTV:
      for payment in person.payments {
        if isIn(payment.fact.ts) { part.met += payment.amount }
        for refund in payment.refunds where isIn(refund.ts) { part.met -= refund.amount }
      }
      part.met *= Self.scale / ReportCurrency.parts
      if rules.settings.contains(.unitPayer), paid.isEmpty { part.of = 0 }
    case .initialConversion:
      part.met = paid.isEmpty && !person.trials.contains { isIn($0.start) } ? 0 : 1
    default:
      part.met = paid.contains { rules.isKept($0.fact, firstSeen: person.firstSeen) } ? 1 : 0
    }
    if part != Part() { add(Unit(person: person.number, at: .min, number: 0), part) }
  }
}
