internal import Lifecycle
internal import Statistics
internal import Store

/// One analysed user of control or of a treatment, with the user's value of a metric.
struct UserOutcome {
  var client: Int32
  var exposedAt: Int64
  /// 0 for control, 1 for the treatment.
  var side: Int
  var amount: Double
  /// The denominator of a ratio; 1 for other metrics.
  var base = 1.0
}

/// The outcomes of single users of control and of one treatment by one metric (D8).
struct UserOutcomes {
  let exposed: ExposedPersons
  let plan: ExperimentPlan
  let metric: ExperimentMetric
  /// The treatment's place among the arms.
  let arm: Int

  private static let week = 7 * day

  /// Calls `body` with each user whose outcome is known; for a metric of some users, only with those.
  func forEach(_ body: (UserOutcome) -> Void) throws {
    if let own = plan.metrics.first(where: { $0.name == metric.name }) {
      try forEachOwn(own, body)
    } else if case .money(let currency) = metric.unit {
      try forEachSum(currency, body)
    } else if metric.name == ExperimentMetric.trialToPaidName {
      try forEachTrial(body)
    } else if let flag = ExperimentMetric.flag(of: metric.name) {
      let analysed: ExposureOutcome.Flags = metric.conditionalOn == nil ? [] : .hasTrial
      var finder = exposed.armFinder
      try exposed.source.forEachExposure { variant, unit, _ in
        guard !unit.isCrossed, let place = finder.arm(variant), place == 0 || place == arm,
          unit.ts + metric.horizon <= exposed.asOf, unit.flags.isSuperset(of: analysed)
        else { return }
        body(
          UserOutcome(
            client: unit.client, exposedAt: unit.ts, side: place == 0 ? 0 : 1,
            amount: unit.flags.contains(flag) ? 1 : 0))
      }
    }
  }

  /// Returns the users of the two arms.
  private func users() throws -> [ExposedUser] { try exposed.userFinder().users.filter(isAsked) }

  private func isAsked(_ user: ExposedUser) -> Bool { exposed.side(of: user, against: arm) != nil }

  private func outcome(_ user: ExposedUser, _ amount: Double, base: Double = 1) -> UserOutcome {
    UserOutcome(
      client: user.client, exposedAt: user.exposedAt, side: exposed.arm(user.variant) == 0 ? 0 : 1, amount: amount,
      base: base)
  }

  private func forEachOwn(_ own: OwnMetric, _ body: (UserOutcome) -> Void) throws {
    let users = try users()
    let scan = try OwnMetricScan.read([own], of: users, exposed)[0]
    for (place, user) in users.enumerated() where user.exposedAt + metric.horizon <= exposed.asOf {
      guard let found = scan.outcome(of: place, exposedAt: user.exposedAt, asOf: exposed.asOf) else { continue }
      body(outcome(user, found.amount, base: found.of))
    }
  }

  private func forEachSum(_ currency: String, _ body: (UserOutcome) -> Void) throws {
    let sums = try money(currency)
    for user in try users() where user.exposedAt + metric.horizon <= exposed.asOf {
      let after = sums[user.person]?.after
      body(
        outcome(user, after?.part.amount ?? 0, base: metric.kind == .ratio ? (after?.isPayer == true ? 1 : 0) : 1))
    }
  }

  /// Returns money by user; none for users without money, and for users not analysed yet.
  private func money(_ currency: String) throws -> [Int32: ConvertedMoney] {
    var sums: [Int32: ConvertedMoney] = [:]
    try UserMoney(exposed: exposed, currency: currency, isNative: metric.name.contains(":")).forEach { user, sum in
      if isAsked(user) { sums[user.person] = sum }
    }
    return sums
  }

  /// Calls `body` with each trial that was followed to the horizon.
  private func forEachTrial(_ body: (UserOutcome) -> Void) throws {
    for person in try exposed.people() {
      guard isAsked(person.user), let trial = person.trial,
        trial.start + metric.horizon <= exposed.asOf
      else { continue }
      let isPaid = trial.convertedAt.map { $0 - trial.start <= metric.horizon } ?? false
      body(outcome(person.user, isPaid ? 1 : 0))
    }
  }

  // MARK: Weeks since the exposure

  /// Two weeks of the same users.
  struct Weeks {
    /// The weeks since the exposure; 1 is the first 7 days.
    var first: Int
    var last: Int
    /// By side, the moments of each user's last week less the first, and of each of the two.
    var contrasts = [Moments(), Moments()]
    var firsts = [Moments(), Moments()]
    var lasts = [Moments(), Moments()]
    /// Users with an outcome in either week, by side.
    var outcomes = [0, 0]

    mutating func add(side: Int, first: Double, last: Double) {
      contrasts[side].add(last - first)
      firsts[side].add(first)
      lasts[side].add(last)
      if first != 0 || last != 0 { outcomes[side] += 1 }
    }
  }

  /// Returns the first and the last week of a recurring metric, over users with both.
  ///
  /// For `retained` these are the second and the fourth week, for revenue the first and the fourth, for an own mean the
  /// first and the last whole week of its window.
  ///
  /// - Returns: `nil` for a metric that happens once, and for a window below two weeks.
  func weeks() throws -> Weeks? {
    if metric == .retained {
      return try ownWeeks(
        OwnMetric(
          name: metric.name, kind: .proportion, source: .events(OwnMetric.Selection(kind: .activity)),
          window: Self.week..<4 * Self.week, cap: nil, direction: .up))
    }
    if let own = plan.metrics.first(where: { $0.name == metric.name }) {
      return own.kind == .mean ? try ownWeeks(own) : nil
    }
    guard metric.isRevenue, case .money(let currency) = metric.unit else { return nil }
    let sums = try money(currency)
    var weeks = Weeks(first: 1, last: ConvertedMoney.lastWeek)
    for user in try users() where user.exposedAt + metric.horizon <= exposed.asOf {
      let sum = sums[user.person]
      weeks.add(
        side: exposed.arm(user.variant) == 0 ? 0 : 1, first: sum?.first.part.amount ?? 0,
        last: sum?.last.part.amount ?? 0)
    }
    return weeks
  }

  private func ownWeeks(_ own: OwnMetric) throws -> Weeks? {
    let start = own.window.lowerBound
    let count = (own.window.upperBound - start) / Self.week
    guard count >= 2 else { return nil }
    var pair = [own, own]
    pair[0].window = start..<start + Self.week
    pair[1].window = start + (count - 1) * Self.week..<start + count * Self.week
    let users = try users()
    let scans = try OwnMetricScan.read(pair, of: users, exposed)
    let number = Int(start / Self.week) + 1
    var weeks = Weeks(first: number, last: number + Int(count) - 1)
    for (place, user) in users.enumerated() {
      let found = scans.map { $0.outcome(of: place, exposedAt: user.exposedAt, asOf: exposed.asOf)?.amount }
      guard let first = found[0], let last = found[1] else { continue }
      weeks.add(side: exposed.arm(user.variant) == 0 ? 0 : 1, first: first, last: last)
    }
    return weeks
  }
}
