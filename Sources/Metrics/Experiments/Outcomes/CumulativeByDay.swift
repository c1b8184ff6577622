internal import Statistics

/// A value that merges with others of its type in any order.
protocol Mergeable {
  init()
  mutating func merge(_ other: Self)
}

/// A sum over users, with their number.
protocol PersonTally: Mergeable {
  var persons: Int { get set }
}

/// Sufficient statistics of one arm's analysed users by the number of whole days before the as-of at which their
/// outcome became known. The sum over all days from d on gives the look d days before the as-of.
struct CumulativeByDay<Value: Mergeable> {
  private(set) var days: [Int: Value] = [:]

  mutating func add(daysBefore day: Int, _ change: (inout Value) -> Void) {
    change(&days[day, default: Value()])
  }

  mutating func merge(_ other: CumulativeByDay) {
    for (day, value) in other.days { days[day, default: Value()].merge(value) }
  }

  /// Returns a copy with each day's statistics changed.
  func mapped(_ change: (Value) -> Value) -> CumulativeByDay {
    var copy = self
    copy.days = days.mapValues(change)
    return copy
  }

  /// The statistics known now.
  var total: Value {
    // In order, so that rounding is the same on every run.
    days.keys.sorted(by: >).reduce(into: Value()) { $0.merge(days[$1]!) }
  }

  /// Returns the data of each look at two arms, oldest first, one look for every day on which either arm's data grew.
  static func looks(_ first: CumulativeByDay, _ second: CumulativeByDay) -> [(
    daysBefore: Int, first: Value, second: Value
  )] {
    var (one, other) = (Value(), Value())
    return Set(first.days.keys).union(second.days.keys).sorted(by: >).map { day in
      if let value = first.days[day] { one.merge(value) }
      if let value = second.days[day] { other.merge(value) }
      return (day, one, other)
    }
  }
}

/// Users, and the number of them with the outcome.
struct OutcomeTally: PersonTally, Equatable {
  var persons = 0
  var events = 0
  /// The counts among users who were active before the exposure.
  var active = 0
  var activeEvents = 0

  mutating func merge(_ other: OutcomeTally) {
    persons += other.persons
    events += other.events
    active += other.active
    activeEvents += other.activeEvents
  }

  var proportion: Proportion { Proportion(successes: Double(events), trials: Double(persons)) }
}

/// Users by value; users not listed have 0.
struct Distribution: PersonTally, Equatable {
  var persons = 0
  /// The number of users by value other than 0.
  var values: [Double: Int] = [:]

  mutating func add(_ value: Double, count: Int = 1) {
    if value != 0 { values[value, default: 0] += count }
  }

  mutating func merge(_ other: Distribution) {
    persons += other.persons
    values.merge(other.values, uniquingKeysWith: +)
  }

  /// Users with a value other than 0.
  var nonzero: Int { values.values.reduce(0, +) }

  /// Values with counts, ascending, zeros included.
  var sorted: [(value: Double, count: Int)] {
    var all = values.map { (value: $0.key, count: $0.value) }
    if persons > nonzero { all.append((0, persons - nonzero)) }
    return all.sorted { $0.value < $1.value }
  }

  var moments: Moments {
    sorted.reduce(into: Moments()) { $0.merge(Moments(repeating: $1.value, count: $1.count)) }
  }

  /// Returns the type-7 quantile, zeros included; `nil` without users.
  func quantile(_ p: Double) -> Double? {
    guard persons > 0 else { return nil }
    let rank = Double(persons - 1) * p
    let index = Int(rank.rounded(.down))
    /// Returns the value at a place of the sorted users.
    func value(at place: Int) -> Double {
      var below = 0
      for (value, count) in sorted {
        below += count
        if place < below { return value }
      }
      return sorted.last?.value ?? 0
    }
    let low = value(at: index)
    let high = value(at: min(index + 1, persons - 1))
    return sampleQuantile(ofSorted: [low, high], rank - rank.rounded(.down))
  }

  /// Returns a copy in which values above `cap` are `cap`.
  func capped(at cap: Double) -> Distribution {
    var capped = Distribution(persons: persons)
    for (value, count) in values { capped.add(min(value, cap), count: count) }
    return capped
  }
}

extension Moments {
  /// Creates the moments of a repeated value.
  init(repeating value: Double, count: Int) {
    self.init()
    // Doubling needs as many steps as the count has bits.
    var power = Moments([value])
    var rest = count
    while rest > 0 {
      if rest & 1 == 1 { merge(power) }
      let copy = power
      power.merge(copy)
      rest >>= 1
    }
  }
}

/// Users with two sums each, whose quotient is a ratio metric.
struct RatioTally: PersonTally, Equatable {
  var persons = 0
  /// Users with a denominator other than 0.
  var bases = 0
  /// The least and the greatest numerator of those.
  private var least = Double.infinity
  private var greatest = -Double.infinity
  /// Without the number of users.
  private var added = RatioSums()

  mutating func add(numerator m: Double, denominator d: Double, count: Int = 1) {
    if d != 0 {
      bases += count
      least = min(least, m)
      greatest = max(greatest, m)
    }
    added.add(numerator: m, denominator: d, times: Double(count))
  }

  mutating func merge(_ other: RatioTally) {
    persons += other.persons
    bases += other.bases
    least = min(least, other.least)
    greatest = max(greatest, other.greatest)
    added.merge(other.added)
  }

  var sums: RatioSums {
    var sums = added
    sums.count = Double(persons)
    return sums
  }

  var sum: Double { added.numerator }

  /// Whether those with a denominator differ in their numerators.
  var hasSpread: Bool { least < greatest }
}
