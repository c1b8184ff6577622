/// The exact split of a change by the segments of one cut: of a share what comes from their shares of units, and of money
/// from the number of their payments, and what from their own rates (E. M. Kitagawa, JASA 50, 1955, symmetric); of a count
/// the change of each segment (implements definitions 10.2, 10.3 and 10.4).
struct DriverParts {
  enum Part: String {
    /// The segment has more or fewer payments, or users who are counted.
    case volume
    case mix
    case rate
  }

  struct Row {
    var segment: DriverSegment
    var before: DriverCounts.Count
    var now: DriverCounts.Count
    var part: Part
    /// In the printed units.
    var printed: Int
  }

  private(set) var rows: [Row] = []

  /// - Parameter unit: How many printed units a unit of the number has.
  init(_ table: DriverCounts, cut: [Int], unit: Double) {
    let all = (before: table.before, now: table.now)
    let scale = table.scale
    guard let earlier = all.before.mean, let later = all.now.mean else { return }
    var counts: [DriverSegment: (before: DriverCounts.Count, now: DriverCounts.Count)] = [:]
    for stratum in table.strata {
      let segment = DriverSegment(cut: cut, values: cut.map { stratum.values[$0] })
      let known = counts[segment] ?? (DriverCounts.Count(), DriverCounts.Count())
      counts[segment] = (known.before + stratum.before, known.now + stratum.now)
    }
    let middle = (earlier + later) / 2
    var parts: [(row: Row, value: Double)] = []
    let named = counts.map { (name: table.name($0.key), segment: $0.key, count: $0.value) }
    for (_, segment, count) in named.sorted(by: { precedesInBytes($0.name, $1.name) }) {
      let (a, b) = (count.before.mean ?? count.now.mean ?? 0, count.now.mean ?? count.before.mean ?? 0)
      let (m, n) = (Double(count.before.units), Double(count.now.units))
      let (w, v) = (m / Double(all.before.units), n / Double(all.now.units))
      let values: [(Part, Double)] =
        if table.isOfCount {
          [(.volume, Double(count.now.sum) - Double(count.before.sum) * scale)]
        } else if table.isOfMoney {
          [(.volume, (n - m * scale) * (a + b) / 2), (.rate, (b - a) * (m * scale + n) / 2)]
        } else {
          [(.mix, (v - w) * ((a + b) / 2 - middle)), (.rate, (w + v) / 2 * (b - a))]
        }
      for (part, value) in values {
        parts.append((Row(segment: segment, before: count.before, now: count.now, part: part, printed: 0), value))
      }
    }
    let isOfSum = table.isOfMoney || table.isOfCount
    let change = isOfSum ? Double(all.now.sum) - Double(all.before.sum) * scale : later - earlier
    // Of equal remainders volume comes first, then mix, then rate, each by segments in order of bytes.
    let kinds: [Part] = [.volume, .mix, .rate]
    let order = kinds.flatMap { kind in parts.indices.filter { parts[$0].row.part == kind } }
    let printed = Self.printed(
      order.map { parts[$0].value * unit }, sum: Int((change * unit).rounded(.toNearestOrEven)))
    for (place, printed) in zip(order, printed) { parts[place].row.printed = printed }
    rows = parts.map(\.row)
  }

  /// Returns whole numbers that add up to a sum: each value rounded down, and one more for those with the largest
  /// remainders.
  ///
  /// - Parameter values: They add up to about the sum; of equal remainders an earlier one comes first.
  static func printed(_ values: [Double], sum: Int) -> [Int] {
    var printed = values.map { Int($0.rounded(.down)) }
    let missing = sum - printed.reduce(0, +)
    // To a millionth of the last printed unit, so that equal remainders are equal.
    let remainders = zip(values, printed).map { (($0 - Double($1)) * 1e6).rounded() }
    let order = values.indices.sorted { left, right in
      remainders[left] != remainders[right] ? remainders[left] > remainders[right] : left < right
    }
    for place in order.prefix(max(0, missing)) { printed[place] += 1 }
    for place in order.reversed().prefix(max(0, -missing)) { printed[place] -= 1 }
    return printed
  }
}
