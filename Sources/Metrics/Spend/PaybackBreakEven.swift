internal import Basics

/// The age in days at which the proceeds of a cohort reach its spend, with a percentile bootstrap interval.
///
/// At age d, proceeds are those within d days of the users who were followed for d days, per user, times all users.
struct PaybackBreakEven: Sendable {
  static let resamples = 1_000
  /// One search, in all users or in a resample.
  struct Search: Sendable {
    /// The greatest value if it is not reached.
    var day = Int.max
    /// The first age of the highest proceeds per user; 0 if nobody was followed for a day.
    var peak = 0
  }

  /// `nil` if it is not reached.
  private(set) var day: Int?
  private(set) var found = Search()
  /// The searches in the resamples; empty unless they are kept.
  private(set) var resampled: [Search] = []
  private(set) var low: Int?
  /// `nil` if more than 2.5% of the resamples do not reach it.
  private(set) var high: Int?

  /// - Parameter keepsResamples: Whether predictions need them.
  init(_ cohort: PaybackCohort, keepsResamples: Bool = false) {
    let count = cohort.persons.count
    guard cohort.spend > 0, count > 0 else { return }
    let days = Int(cohort.persons.lazy.map(\.followed).max() ?? 0)
    found = Self.search(cohort, days)
    day = found.day == .max ? nil : found.day
    // Weights of a resample change only how often each user counts.
    let spend = Double(cohort.spend)
    let flows = cohort.persons.map { $0.flows.map { (age: Int($0.age), amount: Double($0.amount)) } }
    let followed = cohort.persons.map { Int($0.followed) }
    var draws = UserDraws(of: count)
    var users = [Int](repeating: 0, count: days + 2)
    var change = [Double](repeating: 0, count: days + 2)
    for _ in 0..<Self.resamples {
      for place in users.indices { (users[place], change[place]) = (0, 0) }
      for _ in 0..<count {
        let person = draws.next()
        users[followed[person]] += 1
        for flow in flows[person] where flow.age <= followed[person] {
          change[flow.age] += flow.amount
          change[followed[person] + 1] -= flow.amount
        }
      }
      var remaining = count - users[0]
      var sum = change[0]
      var (found, best) = (Search(), -Double.infinity)
      for day in stride(from: 1, through: days, by: 1) where remaining > 0 {
        sum += change[day]
        if sum * Double(count) >= spend * Double(remaining) {
          found.day = day
          break
        }
        if sum / Double(remaining) > best { (found.peak, best) = (day, sum / Double(remaining)) }
        remaining -= users[day]
      }
      resampled.append(found)
    }
    let bounds = Self.bounds(resampled.map(\.day))
    low = bounds.low == .max ? nil : bounds.low
    high = bounds.high == .max ? nil : bounds.high
    if !keepsResamples || day != nil { resampled = [] }
  }

  /// Returns the ends of the middle 95% of the resamples.
  static func bounds<Value: Comparable>(_ found: [Value]) -> (low: Value, high: Value) {
    let sorted = found.sorted()
    let tail = found.count / 40
    return (sorted[tail], sorted[found.count - 1 - tail])
  }

  /// Searches with exact sums.
  private static func search(_ cohort: PaybackCohort, _ days: Int) -> Search {
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
    var found = Search()
    var best: (sum: Int128, users: Int128)?
    for day in stride(from: 1, through: days, by: 1) where remaining > 0 {
      sum += change[day]
      if sum * Int128(cohort.persons.count) >= cohort.spend * Int128(remaining) {
        found.day = day
        break
      }
      if best.map({ sum * $0.users > $0.sum * Int128(remaining) }) ?? true {
        (found.peak, best) = (day, (sum, Int128(remaining)))
      }
      remaining -= users[day]
    }
    return found
  }
}

/// Draws users with replacement; the numbers are the same for every row and for what is predicted.
struct UserDraws {
  private var random = SplitMix64(seed: 1)
  private let count: UInt64

  /// - Parameter count: Above 0.
  init(of count: Int) { self.count = UInt64(count) }

  mutating func next() -> Int { Int(random.next().multipliedFullWidth(by: count).high) }
}
