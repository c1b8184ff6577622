internal import Basics

/// The age in days at which the proceeds of a cohort reach its spend, with a percentile bootstrap interval.
///
/// At age d, proceeds are those within d days of the users who were followed for d days, per user, times all users.
struct PaybackBreakEven: Sendable {
  static let resamples = 1_000
  private static let seed: UInt64 = 1

  /// `nil` if it is not reached.
  private(set) var day: Int?
  private(set) var low: Int?
  /// `nil` if more than 2.5% of the resamples do not reach it.
  private(set) var high: Int?

  init(_ cohort: PaybackCohort) {
    let count = cohort.persons.count
    guard cohort.spend > 0, count > 0 else { return }
    let days = Int(cohort.persons.lazy.map(\.followed).max() ?? 0)
    day = Self.day(cohort, days)
    // Weights of a resample change only how often each user counts.
    let spend = Double(cohort.spend)
    let flows = cohort.persons.map { $0.flows.map { (age: Int($0.age), amount: Double($0.amount)) } }
    let followed = cohort.persons.map { Int($0.followed) }
    var random = SplitMix64(seed: Self.seed)
    var found: [Int] = []
    var users = [Int](repeating: 0, count: days + 2)
    var change = [Double](repeating: 0, count: days + 2)
    for _ in 0..<Self.resamples {
      for place in users.indices { (users[place], change[place]) = (0, 0) }
      for _ in 0..<count {
        let person = Int(random.next().multipliedFullWidth(by: UInt64(count)).high)
        users[followed[person]] += 1
        for flow in flows[person] where flow.age <= followed[person] {
          change[flow.age] += flow.amount
          change[followed[person] + 1] -= flow.amount
        }
      }
      var remaining = count - users[0]
      var sum = change[0]
      var reached = Int.max
      for day in stride(from: 1, through: days, by: 1) where remaining > 0 {
        sum += change[day]
        if sum * Double(count) >= spend * Double(remaining) {
          reached = day
          break
        }
        remaining -= users[day]
      }
      found.append(reached)
    }
    found.sort()
    let tail = Self.resamples / 40
    low = found[tail] == .max ? nil : found[tail]
    high = found[Self.resamples - 1 - tail] == .max ? nil : found[Self.resamples - 1 - tail]
  }

  /// Returns the day, with exact sums.
  private static func day(_ cohort: PaybackCohort, _ days: Int) -> Int? {
    var users = [Int](repeating: 0, count: days + 2)
    var change = [Int128](repeating: 0, count: days + 2)
    for person in cohort.persons {
      users[Int(person.followed)] += 1
      for flow in person.flows where flow.age <= person.followed {
        change[Int(flow.age)] += flow.amount
        change[Int(person.followed) + 1] -= flow.amount
      }
    }
    var remaining = cohort.persons.count - users[0]
    var sum: Int128 = 0
    for day in stride(from: 1, through: days, by: 1) where remaining > 0 {
      sum += change[day]
      if sum * Int128(cohort.persons.count) >= cohort.spend * Int128(remaining) { return day }
      remaining -= users[day]
    }
    return nil
  }
}
