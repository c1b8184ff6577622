internal import EventModel

/// The prices paid by purchases, by variant.
struct PaidPrices {
  struct OfVariant {
    var monthly: [Int64: Tally] = [:]
    var yearly: [Int64: Tally] = [:]

    var monthlyCount: Int { monthly.values.reduce(0) { $0 + $1.count } }
    var yearlyCount: Int { yearly.values.reduce(0) { $0 + $1.count } }
  }

  /// Prices by the number of the variant's name.
  private var byVariant: [Int: (name: String, prices: OfVariant)] = [:]

  mutating func add(variant: Int, name: String, plan: Plan, price: Int64, tally: Tally) {
    var prices = byVariant[variant]?.prices ?? OfVariant()
    if plan == .monthly { prices.monthly.add(tally, to: price) } else { prices.yearly.add(tally, to: price) }
    byVariant[variant] = (name, prices)
  }

  /// The prices of all purchases, across variants.
  var ofAllVariants: OfVariant? {
    byVariant.values.reduce(nil) { all, variant in
      OfVariant(
        monthly: (all?.monthly ?? [:]).merging(variant.prices.monthly) { $0.merged(with: $1) },
        yearly: (all?.yearly ?? [:]).merging(variant.prices.yearly) { $0.merged(with: $1) })
    }
  }

  /// The prices of the variant with the most purchases; of equals the first in byte order.
  var leadingVariant: (number: Int, prices: OfVariant)? {
    byVariant.min { left, right in
      let leftCount = left.value.prices.monthlyCount + left.value.prices.yearlyCount
      let rightCount = right.value.prices.monthlyCount + right.value.prices.yearlyCount
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
