internal import EventModel
internal import Statistics

/// The age at which a row that has not paid back is expected to, with the renewals of its active subscriptions.
///
/// At age d, proceeds are those within d days of all users so far, plus the payments that come due within d days:
///
///     last payment · share that refunds leave · S(n) ÷ S(k), for payment n after the k made so far
///
/// The day is not before the age at which observed proceeds per user are highest: up to there, ``PaybackBreakEven`` has
/// shown that the spend is not reached. So more spend never gives an earlier day. The interval takes the resamples of
/// ``PaybackBreakEven``, and in those that do not reach the spend predicts with one resample of each plan's survival.
struct PaybackPrediction: Sendable {
  /// The last age: 24 months.
  static let days = 730

  enum Status: String, Sendable {
    case reached
    case predicted
    case notYet = "not_yet"
    case notKnown = "not_known"
  }

  private(set) var status: Status
  /// `nil` if it is not reached, or has no single estimate.
  private(set) var day: Int?
  private(set) var low: Int?
  private(set) var high: Int?
  /// The share of the spend that comes back within ``days``.
  private(set) var regained: Double?
  private(set) var regainedLow: Double?
  private(set) var regainedHigh: Double?
  /// The missing data, or why nothing is predicted.
  private(set) var note = ""

  /// Keeps what is observed.
  init(_ observed: PaybackBreakEven) {
    (day, low, high) = (observed.day, observed.low, observed.high)
    status = observed.day == nil ? .notYet : .reached
  }

  /// - Parameters:
  ///   - observed: A row with spend and users.
  ///   - plans: Of the active subscriptions.
  ///   - daysOfData: Of the app.
  init(
    _ cohort: PaybackCohort, _ observed: PaybackBreakEven, _ plans: [Plan: PaybackRenewals.OfPlan],
    daysOfData: Int
  ) {
    self.init(observed)
    guard observed.day == nil else { return }
    let subscriptions = cohort.persons.flatMap(\.subscriptions)
    if subscriptions.isEmpty {
      // The observed day stays as it is.
      note = "no subscription is active: no further payment is expected"
      return
    }
    (low, high) = (nil, nil)
    if cohort.persons.count(where: { $0.hasPaid(by: .max) }) < ValueEstimate.leastBuyers {
      status = .notKnown
      note = "fewer than \(ValueEstimate.leastBuyers) buyers: no interval"
      return
    }
    let limits = Limits(subscriptions, plans, daysOfData: daysOfData)
    let expected = ExpectedProceeds(cohort, plans)
    let own = expected.path(users: cohort.persons.indices) { plans[$0]?.survival.shares ?? [] }
    let spend = Double(cohort.spend)
    // A spend that is just reached is, whatever the last digits of a sum of doubles.
    func reached(_ path: [Double], from peak: Int) -> Int {
      path.dropFirst(max(0, peak - 1)).firstIndex { $0 >= spend * (1 - 1e-12) }.map { $0 + 1 } ?? .max
    }
    let point = reached(own, from: observed.found.peak)
    if point >= limits.unknownFrom, limits.unknownFrom <= Self.days {
      status = .notKnown
      note = limits.missing
      return
    }
    var draws = UserDraws(of: cohort.persons.count)
    var found: [Int] = []
    var shares: [Double] = []
    for (resample, search) in observed.resampled.enumerated() {
      let users = cohort.persons.map { _ in draws.next() }
      let path = expected.path(users: users) { plans[$0]?.resampled[resample] ?? [] }
      let day = reached(path, from: search.peak)
      found.append(search.day < .max ? search.day : day < limits.unknownFrom ? day : .max)
      shares.append((path.last ?? 0) / spend)
    }
    let bounds = PaybackBreakEven.bounds(found)
    low = bounds.low == .max ? nil : bounds.low
    high = bounds.high == .max ? nil : bounds.high
    let hasPoint = point < limits.boundaryFrom
    day = hasPoint && point != .max ? point : nil
    if point == .max {
      status = limits.boundaryFrom <= Self.days && low != nil ? .notKnown : .notYet
    } else {
      status = .predicted
    }
    if limits.unknownFrom > Self.days {
      let bounds = PaybackBreakEven.bounds(shares)
      (regainedLow, regainedHigh) = (bounds.low, bounds.high)
      regained = limits.boundaryFrom > Self.days ? (own.last ?? 0) / spend : nil
    }
    note = day == nil && limits.boundaryFrom <= Self.days ? limits.boundary : ""
    if status == .notYet, note.isEmpty { note = "not within 24 months of the first event" }
  }
}

/// The ages from which expected payments have no support (D6.9, definitions 7.6).
private struct Limits {
  /// The age of the first payment that is unknown.
  private(set) var unknownFrom = Int.max
  /// The age of the first payment that has no single estimate.
  private(set) var boundaryFrom = Int.max
  /// The data that would settle it.
  private(set) var missing = ""
  private(set) var boundary = ""

  init(
    _ subscriptions: [PaybackCohort.Subscription], _ plans: [Plan: PaybackRenewals.OfPlan], daysOfData: Int
  ) {
    var (unknown, boundaries): ([String], [String]) = ([], [])
    for (plan, own) in Dictionary(grouping: subscriptions, by: \.plan).sorted(by: { $0.key.rawValue < $1.key.rawValue })
    {
      guard let renewals = plans[plan] else { continue }
      let matters = RenewalSupport.counts(own.count, of: subscriptions.count)
      let last = renewals.survival.knownPayments(matters: matters)
      func firstAge(_ isMeant: (Int) -> Bool) -> Int? {
        own.compactMap { subscription in
          subscription.ages.indices.first { isMeant(subscription.payments + 1 + $0) }.map { subscription.ages[$0] }
        }.min()
      }
      if let age = firstAge({ $0 > last }) {
        unknownFrom = min(unknownFrom, age)
        unknown.append(Self.missing(renewals, from: "day \(age)", daysOfData: daysOfData))
      }
      if matters, let age = firstAge(renewals.survival.isAtBoundary) {
        boundaryFrom = min(boundaryFrom, age)
        boundaries.append(RenewalSupport.boundary(renewals.name, renewals.survival.fit ?? .notIdentified) ?? "")
      }
    }
    (missing, boundary) = (unknown.joined(separator: "; "), boundaries.joined(separator: "; "))
  }

  private static func missing(
    _ plan: PaybackRenewals.OfPlan, from age: String, daysOfData: Int
  ) -> String {
    if plan.survival.known >= RenewalSupport.leastKnown {
      return "\(plan.name) not estimable from \(age) on: \(RenewalSupport.notIdentified(plan.counts)). "
        + "Its next renewals will tell"
    }
    return RenewalSupport.notKnown(plan.name, from: age, days: daysOfData)
      + ": it needs \(Int(RenewalSupport.leastKnown)) renewals made or missed and has \(Int(plan.survival.known))"
  }
}

/// Adds up proceeds so far and expected ones by age.
private struct ExpectedProceeds {
  private let flows: [[(place: Int, amount: Double)]]
  private let subscriptions: [[PaybackCohort.Subscription]]
  /// The shares that refunds leave, by plan.
  private let left: [Double]

  init(_ cohort: PaybackCohort, _ plans: [Plan: PaybackRenewals.OfPlan]) {
    flows = cohort.persons.map { person in
      person.flows.filter { $0.age <= PaybackPrediction.days }.map { (Int($0.age) - 1, Double($0.amount)) }
    }
    subscriptions = cohort.persons.map(\.subscriptions)
    left = Plan.allCases.map { plans[$0]?.shareLeft ?? 0 }
  }

  /// Returns the proceeds of some users within 1, 2, … days, in ``ReportCurrency/parts`` of a micro-unit.
  ///
  /// - Parameter shares: Returns the shares of a plan that make payment 1, 2, …; nothing is added beyond them.
  func path(users: some Sequence<Int>, _ shares: (Plan) -> [Double]) -> [Double] {
    let curves = Plan.allCases.map(shares)
    var path = [Double](repeating: 0, count: PaybackPrediction.days)
    for user in users {
      for flow in flows[user] { path[flow.place] += flow.amount }
      for subscription in subscriptions[user] {
        let plan = Int(subscription.plan.rawValue)
        guard subscription.payments <= curves[plan].count, curves[plan][subscription.payments - 1] > 0 else { continue }
        let factor = Double(subscription.amount) * left[plan] / curves[plan][subscription.payments - 1]
        for (age, share) in zip(subscription.ages, curves[plan][subscription.payments...]) {
          path[age - 1] += factor * share
        }
      }
    }
    var sum = 0.0
    for place in path.indices {
      sum += path[place]
      path[place] = sum
    }
    return path
  }
}
