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

  /// The units of the days of both sides by values of some dimensions, of which the last is the day.
  struct Daily {
    var dimensions: [Dimension] = []
    var rows: [DriverCounts.Row] = []
    /// Those of both sides.
    var days: [Range<Int>] = []

    /// Returns the cases of each day by a name of its rows; those without a name are left out.
    func cases(_ name: ([String]) -> String?, _ count: (DriverCounts.Count) -> Int) -> [String: [Int: Int]] {
      var cases: [String: [Int: Int]] = [:]
      for row in rows {
        guard let name = name(row.values), let day = CivilDate(row.values.last ?? "")?.daysSince1970 else { continue }
        cases[name, default: [:]][day, default: 0] += count(row.count)
      }
      return cases
    }
  }

  /// Returns the units of each day by country, platform and the dimensions of a segment; empty where few of them are no
  /// fault.
  mutating func daily(_ app: String, _ sides: ComparedSides, of found: FoundDriver?) throws -> Daily {
    guard let days = sides.wholeDays, [.funnel, .paths, .trials, .revenue].contains(kind), measure.ofMoney != .refunded,
      !question.column.contains("cancel")
    else { return Daily() }
    var own = [Dimension.country, .platform].filter { dimensions.contains($0) }
    if let (table, driver) = found {
      own += driver.segment.cut.map { table.dimensions[$0] }.filter { !own.contains($0) }
    }
    if own.isEmpty { return Daily() }
    var before = sides.before
    if sides.now.isComplete { before.options.asOf = sides.now.asOf }
    let rows = try [before, sides.now].flatMap { try units($0.options, by: own + [.day])[app]?.rows ?? [] }
    return Daily(dimensions: own, rows: rows, days: days)
  }

  /// The cases of a row: users who meet the column, or payments.
  private func cases(_ count: DriverCounts.Count) -> Int { money == nil ? count.sum : count.units }

  /// Returns the day from which a segment has fewer or more cases to the end of a side than on the side's days before,
  /// beside those of all others; `nil` if chance alone finds such a day (Fisher's exact test, Bonferroni over the days).
  func onset(of found: FoundDriver, _ daily: Daily) -> Int? {
    let (segment, score) = (found.driver.segment, found.driver.score)
    let values = zip(segment.cut, segment.values).map { place, value in
      (daily.dimensions.firstIndex(of: found.table.dimensions[place]), found.table.values[place][value])
    }
    // Of its own money per payment, days are not compared.
    guard !daily.rows.isEmpty, money == nil || score.part == .volume, values.allSatisfy({ $0.0 != nil }) else {
      return nil
    }
    let counts = daily.cases(
      { row in values.allSatisfy { place, value in place.map { row[$0] } == value } ? "own" : "others" },
      { score.part == .mix ? $0.units : cases($0) })
    let (own, others) = (counts["own"] ?? [:], counts["others"] ?? [:])
    let before = found.driver.before, now = found.driver.now
    let isRising =
      switch score.part {
      case .rate: now.mean ?? 0 > before.mean ?? 0
      case .mix: score.tie > 0
      case .volume: score.z > 0
      }
    return isRising
      ? Counts(others, among: own, isAmong: false, daily.days).onset
      : Counts(own, among: others, isAmong: false, daily.days).onset
  }

  mutating func outages(_ app: String, _ daily: Daily) -> [Row] {
    let days = daily.days
    // By day: the cases of each value of each dimension.
    let dimensions = [Dimension.country, .platform].filter { daily.dimensions.contains($0) }
    let cases = dimensions.map { dimension in
      let place = daily.dimensions.firstIndex(of: dimension) ?? 0
      return daily.cases({ $0[place] == Dimension.absent ? nil : $0[place] }, self.cases)
    }
    var found: [(dimension: Dimension, value: String, outage: Outage)] = []
    for (dimension, values) in zip(dimensions, cases) where values.count > 1 {
      // A country whose users come for the first time says nothing of the usual share.
      let usual = values.filter { $0.value.keys.contains(where: days[0].contains) }
      let all = usual.values.reduce([:]) { $0.merging($1, uniquingKeysWith: +) }
      for value in values.keys.sorted(by: precedesInBytes) {
        let counts = Counts(values[value] ?? [:], among: all, isAmong: usual[value] != nil, days)
        let runs = days.flatMap(counts.runs)
        // Half of the level is for single days, a quarter for two days in a row, and so on.
        let lengths = Dictionary(runs.map { ($0.days.count, 1) }, uniquingKeysWith: +)
        func adjusted(_ run: Outage) -> Double {
          run.logP + log(Double(lengths[run.days.count, default: 1] * values.count)) + Double(run.days.count) * log(2)
        }
        guard let least = runs.min(by: { adjusted($0) < adjusted($1) }), adjusted(least) < log(0.05) else { continue }
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

    /// The first day of the least likely run to the end of a side; `nil` if chance alone finds one as unlikely, or if the
    /// later side's days before it had few cases already.
    var onset: Int? {
      let starts = sides.flatMap { side in side.dropFirst().map { (day: $0, side: side) } }
      let judged = starts.map { day, side in
        let (early, late) = (side.lowerBound..<day, day..<side.upperBound)
        return (day: day, logP: tail(sum(own, late), sum(own, early), sum(others, late), sum(others, early)))
      }
      guard let least = judged.min(by: { $0.logP < $1.logP }), least.logP + log(Double(starts.count)) < log(0.05) else {
        return nil
      }
      let (before, early) = (sides[0], sides[1].lowerBound..<max(sides[1].lowerBound, least.day))
      let p = exp(tail(sum(own, early), sum(own, before), sum(others, early), sum(others, before)))
      return early.isEmpty || p >= 0.05 ? least.day : nil
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
    let all = choose(own + others + rest, ofRun)
    var sum = 0.0
    // From the largest term of the tail on.
    for some in stride(from: cases, through: max(0, ofRun - others - rest), by: -1) {
      let term = exp(choose(own, some) + choose(others + rest, ofRun - some) - all)
      sum += term
      if term < sum * 1e-16, some < own * ofRun / (own + others + rest) { break }
    }
    return log(sum)
  }
}
