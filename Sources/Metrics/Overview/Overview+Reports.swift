internal import EventModel
internal import Lifecycle
internal import Statistics
public import Store

extension Overview {
  /// - Parameter options: Dimensions and days have no effect.
  public init(
    _ snapshot: StoreSnapshot, _ options: ReportOptions, days asked: Days = .last(28),
    comparison: Comparison = .before
  ) throws {
    var options = options
    (options.by, options.from, options.to, options.unit, options.showsMovement) = ([], nil, nil, .user, false)
    let query = try ReportQuery(snapshot, options, defaultBy: [])
    timeZone = options.timeZone
    asOf = query.asOfs.values.max()
    let first = query.apps.map { Int(query.localTime.local($0.firstDay) / day) }.min() ?? 0
    let end = asOf.map { Int(query.localTime.local($0 - 1) / day) + 1 } ?? first
    data = first..<max(first, end)
    covered = CoveredDays(data, until: query.localTime.local(asOf ?? 0))
    days = asked.range(in: data)
    before = comparison.range(for: days, in: data, asked: asked)
    mondays = data.isEmpty ? [] : Array(stride(from: CivilDate.monday(ofDay: first), to: end, by: 7))
    let now = days
    let tallies = try Tallies(
      snapshot, options, days: now, before: before.map { Self.sameParts(of: $0, as: now, query) }, query: query)
    currency = tallies.currency
    otherCurrencies = tallies.otherCurrencies
    all = Self.empty(days)
    var ended: [[UInt8]: (app: String, lastDay: Int)] = [:]
    for app in query.apps {
      let lastDay = Int(query.localTime.local(query.asOf(of: app) - 1) / day)
      if EndedData.hasEnded(lastDay, before: days.upperBound - 1) { ended[Array(app.name.utf8)] = (app.name, lastDay) }
    }
    apps = query.apps.map { part([$0.name], named: $0.name, ended, tallies) }
    all = part(query.apps.map(\.name), named: nil, ended, tallies)
  }

  /// Returns the days before with the instant of each app up to which they are the same part as the days now.
  private static func sameParts(of before: Range<Int>, as days: Range<Int>, _ query: ReportQuery) -> Tallies.Before {
    let (first, later) = (CivilDate(daysSince1970: before.lowerBound), CivilDate(daysSince1970: days.lowerBound))
    return Tallies.Before(
      days: before,
      ends: Dictionary(
        query.apps.map { app in
          (app.name, query.localTime.instant(query.asOf(of: app), after: later, shiftedTo: first))
        }, uniquingKeysWith: min))
  }

  private func part(
    _ apps: [String], named name: String?, _ ended: [[UInt8]: (app: String, lastDay: Int)],
    _ tallies: Tallies
  ) -> Part {
    var part = Self.empty(days)
    part.app = name
    let names = apps.map { Array($0.utf8) }
    part.ended = names.compactMap { ended[$0] }
    let known = names.filter { ended[$0] == nil }
    part.revenue = sum(tallies.revenue, before: tallies.revenueBefore, names, known: known, scale: 1e6)
    part.newPayers = sum(tallies.new, before: tallies.newBefore, names, known: known, scale: 1)
    part.sellsLifetime = names.contains { tallies.lifetimeSellers.contains($0) }
    part.viewersWhoPay = share(tallies.viewers, names)
    part.isOfStoreTrials = names.isEmpty || names.contains { tallies.storeTrials[$0] != nil }
    part.trialsThatPay = share(part.isOfStoreTrials ? tallies.storeTrials : tallies.trials, names)
    part.churn = share(tallies.churn, names)
    part.undecided = names.reduce(0) { sum, name in
      sum + (tallies.viewers[name] ?? [:]).values.reduce(0) { $0 + $1.open }
    }
    if known.isEmpty && !part.ended.isEmpty {
      part.subscribers = nil
      if part.ended.allSatisfy({ $0.lastDay < days.lowerBound }) {
        (part.revenue.value, part.newPayers.value) = (nil, nil)
      }
      return part
    }
    let flows = known.compactMap { tallies.flows[$0] }
    func total(_ path: KeyPath<Tallies.Flow, Int128>) -> Double {
      Double(flows.reduce(Int128(0)) { $0 + $1[keyPath: path] }) / 1e6
    }
    part.recurring.value = total(\.closing)
    part.recurring.before = total(\.opening)
    (part.gained, part.lost) = (total(\.gained), total(\.lost))
    part.recurring.weeks = mondays.map { monday in
      Week(monday: monday, value: known.reduce(0) { $0 + Double(tallies.recurring[$1]?[monday] ?? 0) } / 1e6)
    }
    part.subscribers = known.reduce(0) { $0 + (tallies.subscribers[$1] ?? 0) }
    return part
  }

  /// The numbers that add up over days.
  ///
  /// - Parameters:
  ///   - earlier: The days before, up to the same part as the days now.
  ///   - known: The apps that have data to the end of the days: without the others, the days before compare with what is
  ///     missing.
  private func sum(
    _ byApp: Tallies.Daily, before earlier: Tallies.Daily, _ names: [[UInt8]], known: [[UInt8]], scale: Double
  ) -> Number {
    let zero = byApp.values.lazy.flatMap(\.values).first.map(\.zero) ?? .count(0)
    func sum(_ byApp: Tallies.Daily, _ days: Range<Int>, of apps: [[UInt8]]) -> WeeklySeries.Value {
      apps.compactMap { byApp[$0] }.flatMap { own in own.lazy.filter { days.contains($0.key) }.map(\.value) }
        .reduce(zero, +)
    }
    func total(_ days: Range<Int>) -> WeeklySeries.Value { sum(byApp, days, of: names) }
    var number = Number(days: days)
    number.value = total(days).amount / scale
    number.weeks = mondays.map { Week(monday: $0, value: total($0..<$0 + 7).amount / scale) }
    if let before, !known.isEmpty || names.isEmpty {
      let (earlier, now) = (sum(earlier, before, of: known), sum(byApp, days, of: known))
      number.before = earlier.amount / scale
      number.isOfFew = WeeklySeries.Value.areFew(earlier, now)
      number.change = number.isOfFew ? nil : WeeklyChange(from: earlier, to: now).map { Change($0, scale: scale) }
    }
    return number
  }

  /// A share by weeks: the newest settled weeks, as many as the days have, against as many before, if there are any.
  private func share(_ byApp: [[UInt8]: [Int: Tallies.Share]], _ names: [[UInt8]]) -> Number {
    let weeks = mondays.map { monday -> Week in
      let own = names.compactMap { byApp[$0]?[monday] }
      let (events, of) = (own.reduce(0) { $0 + $1.events }, own.reduce(0) { $0 + $1.of })
      let interval = wilsonInterval(successes: Double(events), trials: Double(of))
      return Week(
        monday: monday, value: of > 0 ? Double(events) / Double(of) : nil, low: interval?.low, high: interval?.high,
        events: events, of: of, open: own.reduce(0) { $0 + $1.open }, isSettled: own.allSatisfy(\.isSettled))
    }
    var number = Number(days: days, weeks: weeks)
    let wanted = max(1, (days.count + 3) / 7)
    let settled = weeks.filter { $0.isSettled && $0.of > 0 && $0.monday + 6 < days.upperBound }
    let newest = settled.suffix(wanted)
    guard let first = newest.first, let last = newest.last else { return number }
    func total(_ weeks: some Sequence<Week>) -> (events: Int, of: Int) {
      weeks.reduce((0, 0)) { ($0.0 + $1.events, $0.1 + $1.of) }
    }
    let now = total(newest)
    (number.events, number.of) = now
    number.days = first.monday..<last.monday + 7
    number.value = Double(now.events) / Double(now.of)
    let earlier = total(settled.dropLast(newest.count).suffix(wanted))
    guard before != nil, earlier.of > 0 else { return number }
    number.before = Double(earlier.events) / Double(earlier.of)
    let sides = (
      before: WeeklySeries.Value.share(events: earlier.events, of: earlier.of),
      now: WeeklySeries.Value.share(events: now.events, of: now.of)
    )
    number.isOfFew = WeeklySeries.Value.areFew(sides.before, sides.now)
    number.change =
      number.isOfFew ? nil : WeeklyChange(from: sides.before, to: sides.now).map { Change($0, scale: 1) }
    return number
  }

  /// The reports' numbers by app, in byte order of its name, and by day or the Monday of the week.
  fileprivate struct Tallies {
    typealias Daily = [[UInt8]: [Int: WeeklySeries.Value]]

    /// The days before, and up to where each app's count.
    struct Before {
      var days: Range<Int>
      var ends: [String: Int64]

      /// Returns the options of a report of these days.
      func options(_ options: ReportOptions) -> ReportOptions {
        var options = options
        (options.from, options.to) = (
          CivilDate(daysSince1970: days.lowerBound), CivilDate(daysSince1970: days.upperBound)
        )
        options.ends = ends
        return options
      }
    }

    struct Share {
      var events = 0
      var of = 0
      var open = 0
      var isSettled = true
    }

    struct Flow {
      var opening: Int128 = 0
      var closing: Int128 = 0
      var gained: Int128 = 0
      var lost: Int128 = 0
    }

    var currency = ""
    var otherCurrencies: [(currency: String, amount: Double)] = []
    var revenue: Daily = [:]
    var revenueBefore: Daily = [:]
    var new: Daily = [:]
    var newBefore: Daily = [:]
    var viewers: [[UInt8]: [Int: Share]] = [:]
    var trials: [[UInt8]: [Int: Share]] = [:]
    var storeTrials: [[UInt8]: [Int: Share]] = [:]
    /// Apps that sold lifetime plans in these days.
    var lifetimeSellers: Set<[UInt8]> = []
    var churn: [[UInt8]: [Int: Share]] = [:]
    var recurring: [[UInt8]: [Int: Int128]] = [:]
    var flows: [[UInt8]: Flow] = [:]
    var subscribers: [[UInt8]: Int] = [:]

    init(
      _ snapshot: StoreSnapshot, _ options: ReportOptions, days: Range<Int>, before: Before?, query: ReportQuery
    ) throws {
      try addRevenue(snapshot, options, days, before)
      try addRecurring(snapshot, options, days)
      try addSubscriptions(snapshot, options, days, before, query)
      try addRates(snapshot, options)
    }

    private mutating func addRevenue(
      _ snapshot: StoreSnapshot, _ options: ReportOptions, _ days: Range<Int>, _ before: Before?
    ) throws {
      var byPlan = options
      (byPlan.by, byPlan.mode) = ([.day, .plan], .net)
      let (query, sums) = try byPlan.inOneCurrency(snapshot) { options in
        let query = try ReportQuery(snapshot, options, by: .revenue)
        return (query, try PaymentSums(query))
      }
      var payments: [Int64: Int] = [:]
      for (key, sum) in sums.sums { payments[key.currency, default: 0] += sum.payments }
      var names: [Int64: String] = [:]
      for code in payments.keys { names[code] = query.options.currency ?? query.facts.name(Int(code)) }
      let order = payments.keys.sorted { left, right in
        func size(_ code: Int64) -> (name: String, payments: Int) { (names[code] ?? "", payments[code] ?? 0) }
        return MainCurrency.precedes(size(left), size(right))
      }
      currency = order.first.flatMap { names[$0] } ?? ""
      var others: [Int64: Int128] = [:]
      for (key, sum) in sums.sums where key.currency != order.first && days.contains(key.day) {
        others[key.currency, default: 0] += sum.net
      }
      func daily(_ sums: PaymentSums) -> Daily {
        var daily: Daily = [:]
        for (key, sum) in sums.sums where key.currency == order.first {
          daily[Array(query.facts.name(Int(key.app)).utf8), default: [:]][key.day] = .money(
            roundedToOdd(sum.net, dividedBy: ReportCurrency.parts),
            // Sorted, so that the sum does not depend on the order of the users.
            variance: sum.squares.sorted().reduce(0, +), payments: sum.squares.count)
        }
        return daily
      }
      revenue = daily(sums)
      if let before { revenueBefore = daily(try PaymentSums(query.with(before.options(query.options)))) }
      otherCurrencies = order.dropFirst().compactMap { code in
        guard let name = names[code], let amount = others[code] else { return nil }
        return (name, Double(roundedToOdd(amount, dividedBy: ReportCurrency.parts)) / 1e6)
      }
    }

    private mutating func addRecurring(
      _ snapshot: StoreSnapshot, _ options: ReportOptions, _ days: Range<Int>
    ) throws {
      let states = ReportRows(try MRR.report(snapshot, options.split(by: [.week])))
      for row in states.rows where states.text("currency", row) == currency {
        recurring[states.key(row), default: [:]][states.week(row)] = states.amount("mrr", row)
      }
      guard !days.isEmpty else { return }
      var movement = options
      movement.showsMovement = true
      movement.from = CivilDate(daysSince1970: days.lowerBound)
      movement.to = CivilDate(daysSince1970: days.upperBound)
      let rows = ReportRows(try MRR.report(snapshot, movement))
      for row in rows.rows where rows.text("currency", row) == currency {
        var flow = Flow()
        (flow.opening, flow.closing) = (rows.amount("opening", row), rows.amount("closing", row))
        (flow.gained, flow.lost) = (rows.amount("new", row), rows.amount("churned", row))
        flows[rows.key(row)] = flow
      }
    }

    private mutating func addSubscriptions(
      _ snapshot: StoreSnapshot, _ options: ReportOptions, _ days: Range<Int>, _ before: Before?, _ query: ReportQuery
    ) throws {
      let daily = options.split(by: [.day, .plan])
      let byDay = ReportRows(try Subscriptions.report(snapshot, daily))
      // The data of an app may end before the days do.
      let ends = Dictionary(
        query.apps.map { app in
          (Array(app.name.utf8), min(days.upperBound - 1, Int(query.localTime.local(query.asOf(of: app) - 1) / day)))
        }, uniquingKeysWith: max)
      for row in byDay.rows {
        let (app, at) = (byDay.key(row), byDay.day("day", row))
        if byDay.text("plan", row) == Plan.lifetime.name, days.contains(at), byDay["new", row] > 0 {
          lifetimeSellers.insert(app)
        }
        if at == ends[app] { subscribers[app, default: 0] += byDay["active", row] }
      }
      new = try Self.new(byDay, snapshot, options)
      if let before {
        var known = before.options(daily)
        (known.asOfs, known.ends) = (known.ends, [:])
        // Few sell lifetime plans, and facts as of another instant take long.
        let hasLifetime = byDay.rows.contains { row in
          byDay.text("plan", row) == Plan.lifetime.name && before.days.contains(byDay.day("day", row))
        }
        known.needed = hasLifetime ? try Self.lifetimeBuyers(query.facts) : nil
        let lifetime = hasLifetime ? ReportRows(try Subscriptions.report(snapshot, known)) : nil
        newBefore = try Self.new(lifetime, snapshot, before.options(options))
      }
      var weekly = options
      (weekly.by, weekly.showsBasis) = ([.week], true)
      let known = Dictionary(
        query.apps.map { app in
          // An end is churn once its grace is over, which rows of a week do not say.
          (Array(app.name.utf8), query.localTime.local(query.asOf(of: app)) - options.grace + CoveredDays.slack)
        }, uniquingKeysWith: max)
      let byWeek = ReportRows(try Subscriptions.report(snapshot, weekly))
      for row in byWeek.rows {
        let (app, week) = (byWeek.key(row), byWeek.week(row))
        churn[app, default: [:]][week] = Share(
          events: byWeek["churned_of_opening", row], of: byWeek["opening", row],
          isSettled: Int64(week + 7) * day <= known[app] ?? .min)
      }
    }

    private static func lifetimeBuyers(_ facts: FactSource) throws -> UserSet {
      var buyers = UserSet()
      try facts.forEachRow(
        "SELECT person FROM \(facts.table(.payment)) AS p WHERE plan = \(Plan.lifetime.rawValue)"
      ) { buyers.insert(try $0.person(0)) }
      return try facts.users(ofStored: buyers)
    }

    /// Returns the new payers of each day.
    ///
    /// - Parameter byDay: Subscriptions by day and plan.
    private static func new(
      _ byDay: ReportRows?, _ snapshot: StoreSnapshot, _ options: ReportOptions
    ) throws -> Daily {
      var new: Daily = [:]
      func add(_ count: Int, _ app: [UInt8], _ day: Int) {
        let value = WeeklySeries.Value.count(count)
        new[app, default: [:]][day] = new[app]?[day].map { $0 + value } ?? value
      }
      // Plans that never renew have no cohorts.
      if let byDay {
        for row in byDay.rows where byDay.text("plan", row) == Plan.lifetime.name {
          add(byDay["new", row], byDay.key(row), byDay.day("day", row))
        }
      }
      // Cohorts leave out subscriptions that began before the data, because their first payment is not known.
      let cohorts = ReportRows(try Retention.report(snapshot, options.split(by: [.day])))
      for row in cohorts.rows { add(cohorts["subscriptions", row], cohorts.key(row), cohorts.day("day", row)) }
      return new
    }

    private mutating func addRates(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws {
      var weekly = options.split(by: [.week])
      let funnel = ReportRows(try Funnel.report(snapshot, weekly))
      for row in funnel.rows {
        let open = funnel["immature", row]
        viewers[funnel.key(row), default: [:]][funnel.week(row)] = Share(
          events: funnel["paid_users", row], of: funnel["users", row], open: open, isSettled: open == 0)
      }
      trials = try Self.trials(snapshot, weekly)
      // Trials that the store runs turn into payments by themselves; those of an app do not, and would hide them.
      weekly.filters.append(try ReportOptions.Filter("trial_kind", values: ["introductory"]))
      storeTrials = try Self.trials(snapshot, weekly)
    }

    private static func trials(
      _ snapshot: StoreSnapshot, _ weekly: ReportOptions
    ) throws -> [[UInt8]: [Int: Share]] {
      let started = ReportRows(try Trials.report(snapshot, weekly))
      return started.rows.reduce(into: [:]) { trials, row in
        let open = started["pending_renewing", row] + started["pending_cancelled", row]
        trials[started.key(row), default: [:]][started.week(row)] = Share(
          events: started["matured_converted", row], of: started["matured", row],
          open: max(open, started["trials", row] - started["matured", row]), isSettled: open == 0)
      }
    }
  }
}

extension Overview.Change {
  fileprivate init(_ change: WeeklyChange, scale: Double) {
    self.init(
      difference: (change.last - change.before) / scale, low: change.low / scale, high: change.high / scale, p: change.p
    )
  }
}
