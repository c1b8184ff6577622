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

  struct Person: Sendable {
    /// The UTC day of the first event since 1970.
    var day: Int32
    /// Whole days from the first event to the as-of.
    var followed: Int32
    var flows: [Flow] = []

    func hasPaid(by age: Int) -> Bool { flows.contains { $0.isPaid && Int($0.age) <= age } }

    func proceeds(by age: Int) -> Int128 { flows.reduce(0) { $0 + (Int($1.age) <= age ? $1.amount : 0) } }
  }

  var persons: [Person] = []
  /// In ``ReportCurrency/parts`` of a micro-unit, as all amounts.
  private(set) var spend: Int128 = 0
  /// Installs that the spend's files report; `nil` if none does.
  private(set) var installs: Int?
  private var spendOfDay: [Int32: Int128] = [:]
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
