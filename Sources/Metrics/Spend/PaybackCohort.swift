internal import EventModel

/// The users of a row of ``Payback`` with their proceeds by age, and the spend of its days.
struct PaybackCohort: Sendable {
  /// An amount that a user brings, or takes back, by an age.
  struct Flow: Sendable {
    /// Days since the first event, from 1: the amount counts within this many days.
    var age: Int32
    /// In ``ReportCurrency/parts`` of a micro-unit.
    var amount: Int128
    /// Whether it is a payment above 0.
    var isPaid: Bool
  }

  /// A subscription that is active at the as-of, and the payments that it comes to.
  struct Subscription: Sendable {
    /// The plan of its first payment, whose survival it has.
    var plan: Plan
    /// Payments made so far.
    var payments: Int
    /// Its last payment after tax and commission, in ``ReportCurrency/parts`` of a micro-unit.
    var amount: Int128
    /// The ages of the next payments, from 1, as in ``Flow/age``; they ascend.
    var ages: [Int]
  }

  struct Person: Sendable {
    /// The UTC day of the first event since 1970.
    var day: Int32
    /// Whole days from the first event to the as-of.
    var followed: Int32
    var flows: [Flow] = []
    /// Empty unless payments are predicted.
    var subscriptions: [Subscription] = []

    func hasPaid(by age: Int) -> Bool { flows.contains { $0.isPaid && Int($0.age) <= age } }

    func proceeds(by age: Int) -> Int128 { flows.reduce(0) { $0 + (Int($1.age) <= age ? $1.amount : 0) } }
  }

  var persons: [Person] = []
  /// The renewals of the users' purchases; empty unless payments are predicted.
  var renewals: [Plan: PeriodCounts] = [:]
  /// In ``ReportCurrency/parts`` of a micro-unit, as all amounts.
  private(set) var spend: Int128 = 0
  /// Installs that the spend's files report; `nil` if none does.
  private(set) var installs: Int?
  private var spendOfDay: [Int32: Int128] = [:]
  /// In UTC, since 1970.
  var spendDays: [Int32] { spendOfDay.filter { $0.value > 0 }.map(\.key) }
  /// The UTC day of the as-of; only days before it have ended.
  let asOfDay: Int64

  init(asOfDay: Int64) { self.asOfDay = asOfDay }

  mutating func add(_ amount: Int128, on day: Int32, installs more: Int64?) {
    spend += amount
    spendOfDay[day, default: 0] += amount
    if let more { installs = (installs ?? 0) + Int(more) }
  }

  /// Returns whether all users of a day have been followed for an age.
  private func isMature(_ day: Int32, by age: Int) -> Bool { Int64(day) + 1 + Int64(age) <= asOfDay }

  private func matureSpend(by age: Int) -> Int128 {
    spendOfDay.reduce(0) { $0 + (isMature($1.key, by: age) ? $1.value : 0) }
  }

  /// Returns users and payers within an age, with the spend, of the days that are old enough.
  func cost(by age: Int) -> (persons: Int, payers: Int, spend: Int128) {
    let mature = persons.lazy.filter { isMature($0.day, by: age) }
    return (mature.count { _ in true }, mature.count { $0.hasPaid(by: age) }, matureSpend(by: age))
  }

  /// Returns the proceeds within an age and the spend of the days that are old enough.
  func returns(by age: Int) -> (proceeds: Int128, spend: Int128) {
    let proceeds = persons.lazy.filter { isMature($0.day, by: age) }.reduce(0) { $0 + $1.proceeds(by: age) }
    return (proceeds, matureSpend(by: age))
  }

  /// The proceeds until now.
  var proceeds: Int128 { persons.reduce(0) { $0 + $1.proceeds(by: .max) } }
}

/// The sums of one or more rows of ``Payback`` that its amounts and shares come from.
struct PaybackSums {
  private(set) var spend: Int128 = 0
  private(set) var persons = 0
  private(set) var payers = 0
  private(set) var proceeds: Int128 = 0
  /// `nil` if no file reports any.
  private(set) var installs: Int?
  /// Of days that are old enough for the age by which payers count.
  private(set) var cost = (persons: 0, payers: 0, spend: Int128(0))
  /// By age of the report.
  private(set) var returns: [(proceeds: Int128, spend: Int128)] = []

  init(_ cohort: PaybackCohort, _ ages: [Int]) {
    (spend, persons, proceeds, installs) = (cohort.spend, cohort.persons.count, cohort.proceeds, cohort.installs)
    payers = cohort.persons.count { $0.hasPaid(by: .max) }
    cost = cohort.cost(by: Payback.payerAge)
    returns = ages.map(cohort.returns)
  }

  mutating func add(_ other: PaybackSums) {
    spend += other.spend
    persons += other.persons
    payers += other.payers
    proceeds += other.proceeds
    if let more = other.installs { installs = (installs ?? 0) + more }
    cost.persons += other.cost.persons
    cost.payers += other.cost.payers
    cost.spend += other.cost.spend
    for (place, more) in other.returns.enumerated() {
      returns[place].proceeds += more.proceeds
      returns[place].spend += more.spend
    }
  }
}
