/// The units of both sides of a comparison, such as viewers or payments, by their values of all dimensions (definitions
/// 10.1).
struct DriverCounts {
  /// How many units a side has, and what they add up to.
  struct Count: Equatable {
    var units = 0
    /// How many of the units meet the column, or their money in micro-units.
    var sum = 0
    /// Of money: the sum of the squares of its amounts.
    var squares = 0.0

    static func + (left: Count, right: Count) -> Count {
      Count(units: left.units + right.units, sum: left.sum + right.sum, squares: left.squares + right.squares)
    }
    static func += (left: inout Count, right: Count) { left = left + right }
    static func - (left: Count, right: Count) -> Count {
      Count(units: left.units - right.units, sum: left.sum - right.sum, squares: left.squares - right.squares)
    }

    var mean: Double? { units > 0 ? Double(sum) / Double(units) : nil }
  }

  /// The units of one side with the same values.
  struct Row {
    /// A value of each dimension.
    var values: [String]
    var count: Count
    /// Of money: how many units have each amount.
    var amounts: [Int: Int] = [:]
  }

  /// One side of a comparison.
  struct Side {
    var rows: [Row] = []
    /// Of money: the sum of each user, in micro-units.
    var users: [Int32: Int] = [:]
    /// Of money in one currency: the amounts in each currency of payments.
    var amounts: [String: DriverExchange.Amounts] = [:]

    var units: Int { rows.reduce(0) { $0 + $1.count.units } }
  }

  struct Stratum {
    /// A value of each dimension, as its place in ``DriverCounts/values``.
    var values: [Int]
    var before = Count()
    var now = Count()
    /// Of money: how many units of both sides have each amount.
    var amounts: [Int: Int] = [:]
    /// Of money: the units below 0 of each side.
    var refunds = (before: Count(), now: Count())

    /// The amounts of both sides' units, and how many have each, the largest first.
    func groups(ofMoney: Bool) -> [(amount: Int, units: Int)] {
      if ofMoney { return amounts.sorted { $0.key > $1.key }.map { ($0.key, $0.value) } }
      let met = before.sum + now.sum
      return [(1, met), (0, before.units + now.units - met)]
    }
  }

  /// The dimensions of the search, and the values of each in order of bytes.
  private(set) var dimensions: [Dimension]
  private(set) var values: [[String]]
  private(set) var strata: [Stratum] = []
  /// Whether units are payments with amounts, not users who meet the column or do not.
  let isOfMoney: Bool
  /// Whether the number is how many users meet the column, not their share.
  let isOfCount: Bool
  /// Whether units are of two periods, and subscriptions have more of them as they grow older.
  let isOfAges: Bool
  /// The factor of before's sums: days of now ÷ days of before.
  let scale: Double
  /// Whether the sides are periods, not groups of users.
  let isOfPeriods: Bool

  var before: Count { strata.reduce(Count()) { $0 + $1.before } }
  var now: Count { strata.reduce(Count()) { $0 + $1.now } }
  var hasRefunds: Bool { strata.contains { $0.refunds.before.units + $0.refunds.now.units > 0 } }

  init(
    _ dimensions: [Dimension], before: [Row], now: [Row], isOfMoney: Bool = false, isOfCount: Bool = false,
    isOfAges: Bool = false, scale: Double = 1, isOfPeriods: Bool = true
  ) {
    (self.isOfMoney, self.isOfCount, self.isOfAges, self.scale) = (isOfMoney, isOfCount, isOfAges, scale)
    self.isOfPeriods = isOfPeriods
    var found = [Set<String>](repeating: [], count: dimensions.count)
    for row in before + now {
      for (place, value) in row.values.enumerated() { found[place].insert(value) }
    }
    func known(_ rows: [Row], _ place: Int) -> Set<String> {
      Set(rows.filter { $0.count.units > 0 }.map { $0.values[place] })
    }
    // A dimension with one value splits nothing. One whose values no two groups share, such as the store of a platform,
    // only names the groups again.
    let kept = dimensions.indices.filter { place in
      found[place].count > 1 && (isOfPeriods || !known(before, place).isDisjoint(with: known(now, place)))
    }
    self.dimensions = kept.map { dimensions[$0] }
    values = kept.map { found[$0].sorted(by: precedesInBytes) }
    let codes = values.map { Dictionary(uniqueKeysWithValues: zip($0, $0.indices)) }
    var places: [[Int]: Int] = [:]
    for (rows, side) in [(before, \Stratum.before), (now, \Stratum.now)] {
      for row in rows where row.count.units > 0 {
        let key = kept.enumerated().map { codes[$0.offset][row.values[$0.element]] ?? 0 }
        let place = places[key] ?? strata.count
        if place == strata.count {
          places[key] = place
          strata.append(Stratum(values: key))
        }
        strata[place][keyPath: side] = strata[place][keyPath: side] + row.count
        strata[place].amounts.merge(row.amounts, uniquingKeysWith: +)
        let refunds = row.amounts.filter { $0.key < 0 }.reduce(Count()) {
          $0 + Count(units: $1.value, sum: $1.key * $1.value)
        }
        if side == \.before { strata[place].refunds.before += refunds } else { strata[place].refunds.now += refunds }
      }
    }
  }

  /// Returns the strata that a segment does not have.
  func without(_ segment: DriverSegment) -> DriverCounts {
    var others = self
    others.strata.removeAll { segment.contains($0.values) }
    return others
  }

  /// Returns the strata without their values of a dimension.
  func without(_ dimension: Dimension) -> DriverCounts {
    guard let place = dimensions.firstIndex(of: dimension) else { return self }
    var others = self
    others.dimensions.remove(at: place)
    others.values.remove(at: place)
    for stratum in others.strata.indices { others.strata[stratum].values.remove(at: place) }
    return others
  }

  /// Whether a value is searched. Units without a value are those that others leave, and subscriptions move on to later
  /// payments anyhow.
  func isSearched(_ value: String, of dimension: Dimension) -> Bool {
    if value == Dimension.absent || value == Dimension.unattributed { return false }
    return !(isOfPeriods && isOfMoney) || dimension != .stage || value == Self.firstStage
  }

  /// The kinds of change in a segment that older subscriptions alone explain.
  enum Aging {
    case nothing
    /// More units, or another share of them.
    case numbers
    /// The money of a unit, too.
    case amounts
  }

  /// Subscriptions of a plan or product, or of a paywall that sold some of them lately, have ever more later payments.
  /// Those of a paywall are also of other plans than its first ones.
  func aging(_ segment: DriverSegment) -> Aging {
    let cut = segment.cut.map { dimensions[$0] }
    let isOfContext = !Self.contexts.isDisjoint(with: cut)
    let isOfPlan = cut.contains(.plan) || cut.contains(.product)
    guard isOfAges, isOfContext || isOfPlan || cut.contains(.stage),
      !zip(cut, zip(segment.cut, segment.values)).contains(where: {
        $0 == .stage && values[$1.0][$1.1] == Self.firstStage
      })
    else { return .nothing }
    return isOfMoney && isOfContext && !isOfPlan ? .amounts : .numbers
  }

  /// The dimensions of the paywall that sold a subscription.
  private static let contexts: Set<Dimension> = [.variant, .entryPoint, .paywall, .experiment, .offerType]

  private static let firstStage = "1"

  func name(_ segment: DriverSegment) -> String {
    segment.cut.indices.map { name(segment, place: $0) }.joined(separator: ",")
  }

  /// Returns one of a segment's values with its dimension, such as `plan=yearly`.
  func name(_ segment: DriverSegment, place: Int) -> String {
    "\(dimensions[segment.cut[place]].name)=\(values[segment.cut[place]][segment.values[place]])"
  }

  func name(cut: [Int]) -> String { cut.map { dimensions[$0].name }.joined(separator: ",") }

  /// Every dimension, and every pair of them.
  var cuts: [[Int]] {
    dimensions.indices.map { [$0] }
      + dimensions.indices.flatMap { first in (first + 1..<dimensions.count).map { [first, $0] } }
  }
}

/// Units with given values of one or two dimensions.
struct DriverSegment: Hashable {
  /// Places of dimensions, ascending.
  var cut: [Int]
  /// A value of each, as its place among the dimension's.
  var values: [Int]

  func contains(_ stratum: [Int]) -> Bool { zip(cut, values).allSatisfy { stratum[$0] == $1 } }
}
