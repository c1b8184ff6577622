internal import EventModel
import Foundation
internal import Store

/// Days on which almost none of the users of a country or platform are counted, such as of an outage of a payment provider
/// (definitions 10.10).
extension DriverReport {
  /// Days in a row on which a value has almost no counted users, or payments.
  private struct Outage {
    var days: Range<Int>
    /// How many are counted on these days, and how many were expected.
    var cases: Int
    var expected: Double
    var logP: Double
  }

  /// The least factor by which the cases of an outage are fewer than expected.
  private static let factorOfOutage = 4.0

  /// - Parameter days: Those of both sides.
  mutating func outages(_ app: String, _ sides: ComparedSides, _ days: [Range<Int>]) throws -> [Row] {
    let dimensions = [Dimension.country, .platform].filter { self.dimensions.contains($0) }
    // Few cancellations or refunds are no fault.
    let isCounted = [.funnel, .paths, .trials, .revenue].contains(kind) && measure.ofMoney != .refunded
    if dimensions.isEmpty || !isCounted || question.column.contains("cancel") { return [] }
    var before = sides.before
    if sides.now.isComplete { before.options.asOf = sides.now.asOf }
    let rows = try [before, sides.now].flatMap { try units($0.options, by: dimensions + [.day])[app]?.rows ?? [] }
    // By day: the cases of each value of each dimension.
    var cases: [[String: [Int: Int]]] = dimensions.map { _ in [:] }
    for row in rows {
      guard let day = CivilDate(row.values[dimensions.count])?.daysSince1970 else { continue }
      for place in dimensions.indices where row.values[place] != Dimension.absent {
        cases[place][row.values[place], default: [:]][day, default: 0] += money == nil ? row.count.sum : row.count.units
      }
    }
    var found: [(dimension: Dimension, value: String, outage: Outage)] = []
    for (dimension, values) in zip(dimensions, cases) where values.count > 1 {
      for value in values.keys.sorted(by: precedesInBytes) {
        let own = values[value] ?? [:]
        // A country whose users come for the first time says nothing of the usual share.
        let others = values.filter { $0.key != value && $0.value.keys.contains(where: days[0].contains) }.values
          .reduce([:]) { $0.merging($1, uniquingKeysWith: +) }
        let runs = days.flatMap { Self.runs(own, others, in: $0, since: days[0].lowerBound) }
        guard let least = runs.min(by: { $0.logP < $1.logP }),
          least.logP + log(Double(runs.count * values.count)) < log(0.05)
        else { continue }
        found.append((dimension, value, least))
      }
    }
    return found.sorted { $0.outage.logP < $1.outage.logP }.prefix(3).map { dimension, value, outage in
      var row = finding(
        app, dimension.name, "\(dimension.name)=\(value)",
        (days[0].contains(outage.days.lowerBound) ? outage.cases : 0, 0),
        (days[1].contains(outage.days.lowerBound) ? outage.cases : 0, 0))
      let (first, last) = (outage.days.lowerBound, outage.days.upperBound - 1)
      row.part = (first == last ? [first] : [first, last]).map { CivilDate(daysSince1970: $0).description }
        .joined(separator: "..")
      row.part += ": \(outage.cases), \(Int(outage.expected.rounded())) expected"
      row.p = min(1, exp(outage.logP))
      return row
    }
  }

  /// Returns the days in a row on which a value has too few cases, judged by those of the other values and by the earlier
  /// days.
  private static func runs(_ own: [Int: Int], _ others: [Int: Int], in days: Range<Int>, since first: Int) -> [Outage] {
    /// The cases before each day.
    func sums(_ counts: [Int: Int]) -> [Double] {
      (first..<days.upperBound).reduce(into: [0]) { $0.append($0[$0.count - 1] + Double(counts[$1] ?? 0)) }
    }
    let (ofOwn, ofOthers) = (sums(own), sums(others))
    var found: [Outage] = []
    for length in 1...max(1, days.count / 2) {
      for start in days where start + length <= days.upperBound {
        let (from, to) = (start - first, start - first + length)
        let (known, rest) = (ofOwn[from], ofOthers[from])
        let expected = rest > 0 ? known / rest * (ofOthers[to] - ofOthers[from]) : 0
        let cases = ofOwn[to] - ofOwn[from]
        guard known >= expected else { continue }
        found.append(
          Outage(
            days: start..<start + length, cases: Int(cases), expected: expected,
            logP: cases * factorOfOutage <= expected
              ? tail(cases, known, ofOthers[to] - ofOthers[from], rest) : 0))
      }
    }
    return found
  }

  /// The logarithm of the probability of so few cases or fewer beside the earlier ones and those of others: the
  /// hypergeometric tail of Fisher's exact test (1935), as both counts vary.
  static func tail(_ cases: Double, _ known: Double, _ others: Double, _ rest: Double) -> Double {
    func choose(_ all: Double, _ some: Double) -> Double { lgamma(all + 1) - lgamma(some + 1) - lgamma(all - some + 1) }
    let (own, ofRun) = (known + cases, cases + others)
    return log(
      stride(from: max(0, ofRun - others - rest), through: cases, by: 1).reduce(0) {
        $0 + exp(choose(own, $1) + choose(others + rest, ofRun - $1) - choose(own + others + rest, ofRun))
      })
  }
}
