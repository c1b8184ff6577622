internal import EventModel
internal import Lifecycle
internal import Store

/// Collects users by row for ``Payback``, with their proceeds.
struct PaybackUsers {
  /// By app and labels of the row.
  private(set) var cohorts: [[String]: PaybackCohort] = [:]
  private let query: ReportQuery
  private let first: FirstEvents
  private let clients: [FactSource.Client]
  /// The values of each property of ``ReportQuery/by``, by user; 0 for none.
  private var properties: [Dimension: [NameID]] = [:]
  private var keys: [RowKey: [String]] = [:]

  /// - Parameter predicts: Whether to read what predictions need.
  init(_ query: ReportQuery, _ currency: ReportCurrency, predicts: Bool) throws {
    self.query = query
    let usesClient = query.by.contains(where: \.isOfClient)
    first = try query.facts.firstEvents(withDimensions: usesClient)
    clients = usesClient ? try query.facts.clients() : []
    try readProperties()
    let kept = try query.proceedsShares()
    var flows: [Int32: [PaybackCohort.Flow]] = [:]
    var subscriptions: [Int32: [PaybackCohort.Subscription]] = [:]
    var dates: [Int32: [(plan: Plan, dates: DueDates)]] = [:]
    let (instants, apps) = (first.instants, first.apps)
    try PaymentHistoryReader(query.facts).forEachPerson { money in
      let start = instants[Int(money.person)]
      func add(_ amount: Int128, at ts: Int64, isPaid: Bool) {
        let age = Int32(truncatingIfNeeded: max(0, ts - start) / day + 1)
        flows[money.person, default: []].append(PaybackCohort.Flow(age: age, amount: amount, isPaid: isPaid))
      }
      for payment in money.payments {
        add(kept(try currency.parts(of: payment), Int64(payment.terms)), at: payment.ts, isPaid: payment.price > 0)
        for refund in money.refunds[payment.refunds] {
          add(
            -kept(try currency.parts(of: refund, of: payment), Int64(payment.terms)), at: refund.ts, isPaid: false)
        }
      }
      guard predicts, let asOf = query.asOfs[apps[Int(money.person)]] else { return }
      for spell in money.spells {
        let payments = money.payments[spell.payments]
        guard let plan = payments.first?.plan, let last = payments.last, plan != .lifetime else { continue }
        if spell.isPurchase {
          dates[money.person, default: []].append(
            (plan, DueDates(spell, of: money, grace: query.options.grace, asOf: asOf)))
        }
        guard spell.coverEnd > asOf, last.plan != .lifetime else { continue }
        var ages: [Int] = []
        let end = start + Int64(PaybackPrediction.days) * day
        DueTable.forEachDue(spell, of: money, after: asOf, before: end) { ages.append(Int(($0 - start) / day) + 1) }
        subscriptions[money.person, default: []].append(
          PaybackCohort.Subscription(
            plan: plan, payments: payments.count, amount: kept(try currency.parts(of: last), Int64(last.terms)),
            ages: ages))
      }
    }
    let (from, to) = (query.options.from?.daysSince1970, query.options.to?.daysSince1970)
    for person in instants.indices where instants[person] < .max {
      let (start, app) = (instants[person], first.apps[person])
      let firstDay = floorDays(start)
      guard let asOf = query.asOfs[app], firstDay >= from ?? .min, firstDay < to ?? .max else { continue }
      let key = labels(of: person, app, on: firstDay)
      // Changes the row's own value, as its users are many.
      cohorts[key, default: PaybackCohort(asOfDay: floorDays(asOf))].persons.append(
        PaybackCohort.Person(
          day: Int32(firstDay), followed: Int32(max(0, asOf - start) / day), flows: flows[Int32(person)] ?? [],
          subscriptions: subscriptions[Int32(person)] ?? []))
      for (plan, dates) in dates[Int32(person)] ?? [] {
        cohorts[key]?.renewals[plan, default: PeriodCounts()].add(dates)
      }
    }
  }

  /// Reads the first value of each property that rows are by.
  private mutating func readProperties() throws {
    for case .property(let part) in query.by {
      let name = part == "campaign" ? query.options.campaignProperty : part
      let values = try query.facts.values(ofProperty: name)
      var found = [NameID](repeating: 0, count: first.instants.count)
      var since = [Int64](repeating: .max, count: first.instants.count)
      let facts = query.facts
      try facts.forEachEvent { event in
        let person = Int(event.person)
        guard event.ts <= since[person], let value = values[event.properties] else { return }
        // Of two values at one instant, takes the first in byte order: their order in the store has no meaning.
        if event.ts == since[person],
          !precedesInBytes(facts.name(Int(value)), facts.name(Int(found[person])))
        {
          return
        }
        (since[person], found[person]) = (event.ts, value)
      }
      properties[.property(part)] = found
    }
  }

  private mutating func labels(of person: Int, _ app: NameID, on firstDay: Int64) -> [String] {
    let codes = query.by.map { dimension -> Int64 in
      switch dimension {
      case .country: Int64(clients[Int(first.clients[person])].country)
      case .platform: Int64(clients[Int(first.clients[person])].platform)
      case .property: Int64(properties[dimension]?[person] ?? 0)
      default: dimension.code(ofDay: firstDay)
      }
    }
    let key = RowKey(app: app, codes: codes)
    if let labels = keys[key] { return labels }
    let labels =
      [query.facts.name(Int(app))]
      + zip(query.by, codes).map { dimension, code in
        dimension.isProperty && code == 0 ? "(organic)" : query.label(dimension, code)
      }
    keys[key] = labels
    return labels
  }
}
