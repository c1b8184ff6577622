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

    /// Whether the cases are a quarter of those expected or fewer.
    var isLow: Bool { Double(cases) * 4 <= expected }
  }

  /// The first word of days without an end.
  static let since = "since"

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
      // A country whose users come for the first time says nothing of the usual share.
      let usual = values.filter { $0.value.keys.contains(where: days[0].contains) }
      let all = usual.values.reduce([:]) { $0.merging($1, uniquingKeysWith: +) }
      for value in values.keys.sorted(by: precedesInBytes) {
        let counts = Counts(values[value] ?? [:], among: all, isAmong: usual[value] != nil, days)
        let runs = days.flatMap(counts.runs)
        guard let least = runs.min(by: { $0.logP < $1.logP }),
          least.logP + log(Double(runs.count * values.count)) < log(0.05)
        else { continue }
        found.append((dimension, value, counts.lasting(from: least) ?? least))
      }
    }
    return found.sorted { $0.outage.logP < $1.outage.logP }.prefix(3).map { dimension, value, outage in
      var row = finding(
        app, dimension.name, "\(dimension.name)=\(value)",
        (days[0].contains(outage.days.lowerBound) ? outage.cases : 0, 0),
        (days[1].contains(outage.days.lowerBound) ? outage.cases : 0, 0))
      let (first, last) = (outage.days.lowerBound, outage.days.upperBound - 1)
      row.part =
        last == days[1].upperBound - 1 && first < last
        ? "\(Self.since) \(CivilDate(daysSince1970: first))"
        : (first == last ? [first] : [first, last]).map { CivilDate(daysSince1970: $0).description }
          .joined(separator: "..")
      row.part += ": \(outage.cases), \(Int(outage.expected.rounded())) expected"
      row.p = min(1, exp(outage.logP))
      return row
    }
  }

  /// The cases of a value and those of all others on the days of both sides.
  private struct Counts {
    private let sides: [Range<Int>]
    /// Up to each day.
    private let own: [Double]
    private let others: [Double]

    /// - Parameter isAmong: Whether the value's own cases are among all.
    init(_ own: [Int: Int], among all: [Int: Int], isAmong: Bool, _ sides: [Range<Int>]) {
      func sums(_ cases: (Int) -> Int) -> [Double] {
        (sides[0].lowerBound..<sides[1].upperBound).reduce(into: [0]) {
          $0.append($0[$0.count - 1] + Double(cases($1)))
        }
      }
      self.sides = sides
      self.own = sums { own[$0] ?? 0 }
      others = sums { (all[$0] ?? 0) - (isAmong ? own[$0] ?? 0 : 0) }
    }

    /// Returns the runs of days of a side, at most half of it.
    func runs(in days: Range<Int>) -> [Outage] {
      (1...max(1, days.count / 2)).flatMap { length in
        days.filter { $0 + length <= days.upperBound }.map { outage(on: $0..<$0 + length) }
      }
    }

    /// Returns an outage with all days to the end of both sides, and those just before; `nil` if it ended.
    func lasting(from outage: Outage) -> Outage? {
      let first = sides[1].contains(outage.days.lowerBound) ? sides[1].lowerBound : sides[0].lowerBound
      var start = outage.days.lowerBound
      while start > first, self.outage(on: start - 1..<start).isLow { start -= 1 }
      var lasting = self.outage(on: start..<sides[1].upperBound)
      lasting.logP = outage.logP
      return lasting.isLow ? lasting : nil
    }

    /// Judges a run of days by the other days of each side, and takes the one by which it is less unusual: a whole side
    /// with fewer cases is no outage, nor are the days after a campaign.
    func outage(on run: Range<Int>) -> Outage {
      let (cases, ofOthers) = (sum(own, run), sum(others, run))
      let judged = sides.compactMap { side -> Outage? in
        let common = side.clamped(to: run)
        guard common != side else { return nil }
        let (known, rest) = (sum(own, side) - sum(own, common), sum(others, side) - sum(others, common))
        var outage = Outage(days: run, cases: Int(cases), expected: rest > 0 ? known / rest * ofOthers : 0, logP: 0)
        if known >= outage.expected, outage.isLow { outage.logP = tail(cases, known, ofOthers, rest) }
        return outage
      }
      return judged.max { ($0.logP, $1.expected) < ($1.logP, $0.expected) }
        ?? Outage(days: run, cases: Int(cases), expected: 0, logP: 0)
    }

    private func sum(_ sums: [Double], _ days: Range<Int>) -> Double {
      sums[days.upperBound - sides[0].lowerBound] - sums[days.lowerBound - sides[0].lowerBound]
    }
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
