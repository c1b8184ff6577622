internal import EventModel

/// The prices paid for monthly and yearly plans, by variant.
struct PaidPrices {
  /// How often each price was paid, by plan.
  typealias OfPlans = [Plan: [Int64: Tally]]

  /// Prices by the number of the variant's name.
  private var byVariant: [Int: (name: String, prices: OfPlans)] = [:]

  mutating func add(variant: Int, name: String, plan: Plan, price: Int64, tally: Tally) {
    byVariant[variant, default: (name, [:])].prices[plan, default: [:]].add(tally, to: price)
  }

  /// The prices of all purchases, across variants.
  var ofAllVariants: OfPlans? {
    byVariant.values.reduce(nil) { all, variant in
      (all ?? [:]).merging(variant.prices) { $0.merging($1) { $0.merged(with: $1) } }
    }
  }

  /// The prices of the variant with the most purchases; of equals the first in byte order.
  var leadingVariant: (number: Int, prices: OfPlans)? {
    byVariant.min { left, right in
      func count(_ prices: OfPlans) -> Int { prices.values.reduce(0) { $0 + $1.total } }
      let (leftCount, rightCount) = (count(left.value.prices), count(right.value.prices))
      return leftCount != rightCount ? leftCount > rightCount : precedesInBytes(left.value.name, right.value.name)
    }.map { ($0.key, $0.value.prices) }
  }
}

/// A count of sightings and the instant of the last one.
struct Tally {
  var count: Int
  var newest: Int64
  /// The id of the newest event, looked up only if counts and instants tie.
  var newestID = ""

  /// Records the id of one of the events seen last.
  mutating func take(id: String) { if precedesInBytes(newestID, id) { newestID = id } }

  func merged(with other: Tally) -> Tally {
    Tally(count: count + other.count, newest: max(newest, other.newest), newestID: max(newestID, other.newestID))
  }
}

extension Dictionary where Value == Tally {
  var total: Int { values.reduce(0) { $0 + $1.count } }

  mutating func add(_ tally: Tally, to key: Key) { self[key] = self[key]?.merged(with: tally) ?? tally }

  /// Returns the key seen most often; of equally frequent ones, the newest in event order.
  ///
  /// - Parameter precedes: The order of keys whose ids were not looked up; the last one is taken.
  func mostOften(_ precedes: (Key, Key) -> Bool = { _, _ in false }) -> Key? {
    self.max { left, right in
      if left.value.count != right.value.count { return left.value.count < right.value.count }
      if left.value.newest != right.value.newest { return left.value.newest < right.value.newest }
      if left.value.newestID != right.value.newestID {
        return precedesInBytes(left.value.newestID, right.value.newestID)
      }
      return precedes(left.key, right.key)
    }?.key
  }

  /// Whether several keys were seen most often.
  var isTiedInCount: Bool {
    let most = values.map(\.count).max()
    return values.count { $0.count == most } > 1
  }

  /// The instant at which several of the keys seen most often were last seen.
  var tiedAt: Int64? {
    guard let most = mostOften().flatMap({ self[$0] }) else { return nil }
    return filter { $0.value.count == most.count && $0.value.newest == most.newest }.count > 1 ? most.newest : nil
  }
}
