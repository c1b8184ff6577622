internal import Statistics
internal import Store

/// The recurring revenue of one app at the ends of two periods, and what moved it in between, by segment (definitions 7.3,
/// 10.3).
struct DriverMovements {
  struct Stratum {
    /// A value of each dimension.
    var values: [String]
    var sum: MRR.Flow
  }

  struct Part {
    var segment: String
    var movement: SpellHistory.Movement
    /// The segment at the end of both sides.
    var before: DriverCounts.Count
    var now: DriverCounts.Count
    /// In the last printed decimal.
    var printed: Int
  }

  /// In order of bytes.
  private(set) var strata: [Stratum] = []
  private(set) var currencies: Set<String> = []

  var total: MRR.Flow {
    var total = MRR.Flow()
    for stratum in strata { total.add(stratum.sum) }
    return total
  }

  /// Returns the states and movements of each app.
  ///
  /// - Parameters:
  ///   - options: From the end of the earlier side to the end of the later one.
  ///   - dimensions: Of the strata; no period.
  static func read(
    _ snapshot: StoreSnapshot, _ options: ReportOptions, by dimensions: [Dimension]
  ) throws -> [String: DriverMovements] {
    let query = try ReportQuery(snapshot, options.split(by: dimensions), by: .mrr)
    var found: [(labels: [String], currency: String, sum: MRR.Flow)] = []
    for (key, flow) in try MRR.sumsOfRows(StateQuery(query)) {
      let currency = options.currency ?? query.facts.name(Int(key.codes[dimensions.count]))
      found.append((query.labels(key), currency, flow))
    }
    var apps: [String: DriverMovements] = [:]
    for (labels, currency, sum) in found.sorted(by: { precedesInBytes($0.labels, $1.labels) }) {
      apps[labels[0], default: DriverMovements()].currencies.insert(currency)
      apps[labels[0], default: DriverMovements()].strata.append(Stratum(values: Array(labels.dropFirst()), sum: sum))
    }
    return apps
  }

  /// Returns the amounts of each user at both ends, in order of users, so that sums have the same last digit every time.
  ///
  /// - Parameter options: Of one app and in one currency, as for ``read(_:_:by:)``.
  static func users(
    _ snapshot: StoreSnapshot, _ options: ReportOptions
  ) throws -> [(before: Double, now: Double)] {
    let flows = try MRR.sumsOfRows(StateQuery(ReportQuery(snapshot, options.split(by: [.person]), by: .mrr)))
    return flows.sorted { $0.key.codes[0] < $1.key.codes[0] }.map { _, flow in
      (Double(flow.before.sum), Double(flow.now.sum))
    }
  }

  /// The value of a dimension that moved most unlike as many days before.
  struct First {
    /// Its place.
    var dimension: Int
    var value: String
    /// In micro-units, as the earlier one.
    var change: Double
    var earlier: Double
    /// In standard errors.
    var z: Double
    /// Whether chance alone finds none in 19 of 20 searches (normal, Bonferroni).
    var isFound: Bool
  }

  /// A value's revenue and how it moved in one period.
  private struct Moved {
    /// The revenue at both ends, the number of subscriptions there, the change, and the size of all movements.
    var sums = SIMD4<Double>()

    var revenue: Double { sums[0] }
    private var active: Double { sums[1] }
    var change: Double { sums[2] }
    private var size: Double { sums[3] }
    /// Of the change: each subscription that moved is one observation.
    var variance: Double { size * (active > 0 ? revenue / active : size) }

    init() {}

    init(_ sum: MRR.Flow) {
      let (before, now) = (sum.before, sum.now)
      let size = sum.movements.all.reduce(0) { $0 + nearestDouble(Int128($1.magnitude)) } / Double(MRR.amountParts)
      sums = [
        Double(before.sum + now.sum), Double(before.units + now.units), Double(now.sum - before.sum), size,
      ]
    }
  }

  /// Both periods of a value.
  private struct Periods {
    var now = Moved()
    var past = Moved()

    var revenue: Double { now.revenue + past.revenue }
    func change(_ scale: Double) -> Double { now.change - scale * past.change }
    func variance(_ scale: Double) -> Double { now.variance + scale * scale * past.variance }
  }

  /// Returns the value that changed most unlike the days before, by itself and beyond its share of the whole.
  ///
  /// - Parameters:
  ///   - past: The movements of the days before.
  ///   - scale: Days of now ÷ days of before.
  ///   - dimensions: The places of the dimensions to look at.
  func first(_ past: DriverMovements, scale: Double, among dimensions: [Int]) -> First? {
    var all = Periods()
    var moved = [[String: Periods]](repeating: [:], count: dimensions.count)
    for (side, period) in [(self, \Periods.now), (past, \Periods.past)] {
      for stratum in side.strata {
        let own = Moved(stratum.sum)
        all[keyPath: period].sums += own.sums
        for (place, dimension) in dimensions.enumerated() {
          moved[place][stratum.values[dimension], default: Periods()][keyPath: period].sums += own.sums
        }
      }
    }
    let searched = moved.filter { $0.count > 1 }.reduce(0) { $0 + $1.count }
    var first: First?
    for (place, values) in moved.enumerated() where values.count > 1 {
      for (value, own) in values.sorted(by: { precedesInBytes($0.key, $1.key) }) {
        let share = all.revenue > 0 ? own.revenue / all.revenue : 0
        var rest = all
        rest.now.sums -= own.now.sums
        rest.past.sums -= own.past.sums
        let (change, variance) = (own.change(scale), own.variance(scale))
        let ofBoth = variance * (1 - share) * (1 - share) + rest.variance(scale) * share * share
        let z = DriverScore.nearer(
          variance > 0 ? change / variance.squareRoot() : 0,
          ofBoth > 0 ? (change - share * all.change(scale)) / ofBoth.squareRoot() : 0)
        if abs(z) > abs(first?.z ?? 0) + 1e-9 {
          first = First(
            dimension: dimensions[place], value: value, change: own.now.change, earlier: scale * own.past.change, z: z,
            isFound: NormalDistribution.twoSidedP(z) * Double(searched) < 0.05)
        }
      }
    }
    return first
  }

  /// Returns the movements of each segment of a cut, without those that did not occur. ``DriverParts`` rounds them, so
  /// that the printed ones add up to the change.
  ///
  /// - Parameters:
  ///   - dimensions: One or two, each with its place among the values of strata.
  ///   - decimals: Of printed amounts.
  func parts(cut dimensions: [(name: String, place: Int)], decimals: Int) -> [Part] {
    var sums: [String: MRR.Flow] = [:]
    for stratum in strata {
      let name = dimensions.map { "\($0.name)=\(stratum.values[$0.place])" }.joined(separator: ",")
      sums[name, default: MRR.Flow()].add(stratum.sum)
    }
    let segments = sums.sorted { precedesInBytes($0.key, $1.key) }
    // Of equal remainders an earlier movement comes first.
    let parts = SpellHistory.Movement.allCases.flatMap { movement in
      segments.filter { $0.value.movements[movement] != 0 }.map { (name: $0.key, sum: $0.value, movement: movement) }
    }
    let printed = DriverParts.printed(
      parts.map { Self.inPrintedUnits($0.sum.movements[$0.movement], decimals: decimals) },
      sum: Self.printed(total.change, decimals: decimals))
    let rows = zip(parts, printed).map { part, printed in
      Part(
        segment: part.name, movement: part.movement, before: part.sum.before, now: part.sum.now, printed: printed)
    }
    return rows.sorted { left, right in
      left.segment.utf8.elementsEqual(right.segment.utf8)
        ? left.movement.rawValue < right.movement.rawValue : precedesInBytes(left.segment, right.segment)
    }
  }

  /// The parts of a printed unit.
  private static func divisor(_ decimals: Int) -> Int128 { MRR.amountParts * powerOfTen(6 - decimals) }

  private static func inPrintedUnits(_ amount: Int128, decimals: Int) -> Double {
    let (whole, rest) = amount.quotientAndRemainder(dividingBy: divisor(decimals))
    return Double(whole) + Double(rest) / Double(divisor(decimals))
  }

  /// An amount in printed units, half to even.
  static func printed(_ amount: Int128, decimals: Int) -> Int {
    Int(wideQuotient(amount, times: 1, over: divisor(decimals)) ?? 0)
  }
}

extension MRR.Flow {
  var change: Int128 { movements.all.reduce(0, +) }

  /// The subscriptions at both ends, with what they bring in.
  var before: DriverCounts.Count { Self.count(activeBefore, opening) }
  var now: DriverCounts.Count { Self.count(active, closing) }

  private static func count(_ units: Int, _ amount: Int128) -> DriverCounts.Count {
    DriverCounts.Count(units: units, sum: Int(roundedToOdd(amount, dividedBy: MRR.amountParts)))
  }
}
