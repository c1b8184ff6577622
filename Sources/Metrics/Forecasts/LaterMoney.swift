internal import EventModel
internal import Lifecycle
internal import Store

/// A purchase that was active at an origin, identified by what later events do not change.
struct OriginMember {
  /// A person as known at the origin.
  var person: Int32
  /// Of the first payment.
  var terms: Int32
  var start: Int64
  /// Of the last payment.
  var plan: Plan
  /// Payments for that plan since the last change of plan.
  var payments: Int
  /// The next renewal in ms; `nil` if there is none.
  var due: Int64?
  var state: RenewalState

  /// - Parameter origin: An instant that the spell covers, in ms; `nil` if it has no payment.
  init?(_ spell: PersonMoney.Spell, of money: borrowing PersonMoney, after origin: Int64) {
    guard let first = money.payments[spell.payments].first, let run = money.runs(of: spell).last else { return nil }
    (person, terms, start) = (money.person, first.terms, first.ts)
    (plan, payments) = (money.payments[run.lowerBound].plan, run.count)
    due = DueTable.firstDue(spell, of: money, after: origin)
    let soon = due.flatMap { due in DueTable.horizons.firstIndex { due < origin + Int64($0) * day } }
    state = RenewalState(isOff: spell.isOff, soon: soon ?? DueTable.horizons.count)
  }

  func age(at origin: Int64) -> AgeBand { AgeBand(age: origin - start) }
}

/// The payments and refunds of all spells, to add up what purchases brought in a time (definitions 7.1).
struct LaterMoney {
  private struct Entry {
    var ts: Int64
    /// Micro-units, not negative.
    var amount: Int64
    var currency: NameID
    /// Of the payment.
    var terms: Int32
    var plan: Plan
    var isRefund: Bool
  }

  private var entries: [Entry] = []
  private var spells: [Range<Int>] = []
  /// Ranges of ``spells``.
  private var ofPerson: [Int32: Range<Int>] = [:]
  private var conversions: [TrialID: Int64] = [:]
  private let person: (Int32) -> Int32
  private let reader: PurchaseReader

  init(_ query: ReportQuery, _ reader: PurchaseReader) throws {
    person = try query.facts.persons()
    self.reader = reader
  }

  mutating func add(_ money: borrowing PersonMoney) {
    let first = spells.count
    for spell in money.spells {
      let start = entries.count
      for payment in money.payments[spell.payments] {
        entries.append(
          Entry(
            ts: payment.ts, amount: payment.price, currency: payment.currency, terms: payment.terms,
            plan: payment.plan, isRefund: false))
        if reader.mode == .gross { continue }
        for refund in money.refunds[payment.refunds] {
          entries.append(
            Entry(
              ts: refund.ts, amount: refund.amount, currency: refund.currency, terms: payment.terms,
              plan: payment.plan, isRefund: true))
        }
      }
      spells.append(start..<entries.count)
    }
    if first < spells.count { ofPerson[money.person] = first..<spells.count }
  }

  mutating func add(_ trial: TrialID, convertedAt: Int64?) { conversions[trial] = convertedAt }

  /// Returns the revenue of purchases and trials by their age, in ``ReportCurrency/parts``, at the rates of the day before the
  /// origin: a refund counts when it happens. Purchases that turned out to be one count once, at the age of the oldest.
  ///
  /// - Parameters:
  ///   - code: ``ReportCurrency/code(_:)`` of the purchases; money of another currency does not count.
  ///   - target: Says of which time the money counts.
  func sums(
    _ members: [OriginMember], _ trials: [OpenTrial], code: Int64, of target: ForecastTarget, at origin: Int64
  ) throws -> [AgeBand: Int128] {
    var counted: [Int: OriginMember] = [:]
    for member in members {
      guard let place = place(of: member) else { continue }
      if counted[place].map({ member.start < $0.start }) ?? true { counted[place] = member }
    }
    var times = counted.mapValues { (age: $0.age(at: origin), time: target.time(of: $0, at: origin)) }
    for trial in trials {
      guard let place = place(of: trial.id), times[place] == nil else { continue }
      times[place] = (.trial, origin..<origin + target.reach)
    }
    var sums: [AgeBand: Int128] = [:]
    for (place, (age, time)) in times {
      var sum: Int128 = 0
      for entry in entries[spells[place]] where time.contains(entry.ts) {
        guard reader.currency.code(entry.currency) == code else { continue }
        let amount = try reader.amount(of: entry.amount, entry.currency, terms: entry.terms, rateAt: origin - 1)
        sum += entry.isRefund ? -amount : amount
      }
      sums[age, default: 0] += sum
    }
    return sums
  }

  /// Returns whether the purchase next paid for its plan again after an origin; `nil` if it is not known any more.
  func isRenewed(_ member: OriginMember, after origin: Int64) -> Bool? {
    guard let place = place(of: member) else { return nil }
    return entries[spells[place]].first { !$0.isRefund && $0.ts >= origin }?.plan == member.plan
  }

  /// Returns the plan and currency of the payment that a spell began with; `nil` if none did.
  func firstPayment(of person: Int32, at instant: Int64) -> (plan: Plan, currency: NameID)? {
    spell(of: person, from: instant).flatMap { entries[spells[$0]].first }.map { ($0.plan, $0.currency) }
  }

  private func spell(of person: Int32, from start: Int64) -> Int? {
    ofPerson[person]?.first { entries[spells[$0]].first?.ts == start }
  }

  /// Returns the spell that a trial became; `nil` if it has not converted, or is not known any more.
  private func place(of trial: TrialID) -> Int? {
    let person = person(trial.person)
    let known = conversions[TrialID(person: person, start: trial.start, product: trial.product)]
    return known.flatMap { spell(of: person, from: $0) }
  }

  /// Returns the spell of the purchase; `nil` if there is none any more, because later events changed the person's
  /// facts.
  private func place(of member: OriginMember) -> Int? {
    guard let range = ofPerson[person(member.person)] else { return nil }
    return range.first { place in
      entries[spells[place]].contains { $0.ts == member.start && $0.terms == member.terms && !$0.isRefund }
    }
  }
}
