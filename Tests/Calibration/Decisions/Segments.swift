import Foundation
import Statistics

/// An arm of a segment or cohort: its users and its expected outcome rate.
private struct Cell {
  var users: Int
  var rate: Double

  func draw(_ draws: inout Draws) -> Proportion {
    Proportion(
      successes: binomialDraw(trials: Double(users), probability: rate, uniform: draws.uniform()),
      trials: Double(users))
  }
}

/// Checks that differences between segments and between cohort weeks are found as often as they should be.
func segmentChecks(repetitions: Int) -> [Check] {
  [interactionSize([2_000, 1_000, 250], base: 0.08, lift: 0, repetitions)]
    + [interactionSize([2_000, 1_000, 250], base: 0.08, lift: 0.2, repetitions)]
    + [interactionSize([4_000, 2_000, 1_000, 500, 250, 250], base: 0.1, lift: 0.2, repetitions)]
    + [sameAtMargin(segments: 3, repetitions), sameAtMargin(segments: 6, repetitions)]
    + [[100, 400], [400, 400]].map { differenceBeyondLimit(outcomes: $0, repetitions) }
    + [reversed(1_000, repetitions), reversed(3_000, repetitions)]
    + [trendSize(weeks: 4, lift: 0, repetitions), trendSize(weeks: 8, lift: 0.2, repetitions)]
}

private func interactionSize(_ sizes: [Int], base: Double, lift: Double, _ repetitions: Int) -> Check {
  var (draws, hits) = (Draws(name: "interaction \(sizes) \(lift)"), 0)
  for _ in 0..<repetitions {
    let lifts = sizes.compactMap { size in
      LogLift(
        Cell(users: size, rate: base * (1 + lift)).draw(&draws), Cell(users: size, rate: base).draw(&draws))
    }
    if let found = SegmentInteraction(lifts), found.p < 0.05 { hits += 1 }
  }
  let least = Int((Double(sizes.min() ?? 0) * base).rounded())
  return Check.promise(
    "interaction p < 0.05 where segments do not differ",
    "\(sizes.count) segments, \(least) outcomes an arm at least, lift \(Int(100 * lift))%", hits: hits,
    of: repetitions, low: 0.045, high: 0.055, full: 20_000)
}

/// Segments whose true log lifts spread around their mean by exactly the margin.
private func sameAtMargin(segments: Int, _ repetitions: Int) -> Check {
  let margin = 0.1
  var (draws, hits) = (Draws(name: "same segments \(segments)"), 0)
  for _ in 0..<repetitions {
    let lifts = (0..<segments).compactMap { _ in
      let lift = 0.1 + margin * draws.normal()
      return LogLift(
        Cell(users: 4_000, rate: 0.1 * exp(lift)).draw(&draws), Cell(users: 4_000, rate: 0.1).draw(&draws))
    }
    if let found = SegmentInteraction(lifts), found.p >= 0.05, found.spreadHigh < margin,
      let largest = SegmentInteraction.largestDifference(lifts, margin: margin), largest.high < margin
    {
      hits += 1
    }
  }
  return Check(
    name: "told same where the spread is at the margin", setting: "\(segments) segments, 400 outcomes an arm",
    outcome: .atMost(hits: hits, of: repetitions, limit: 0.05))
}

/// Two segments of which one gains 30% more than the other.
private func differenceBeyondLimit(outcomes: [Int], _ repetitions: Int) -> Check {
  var (draws, hits) = (Draws(name: "largest difference \(outcomes)"), 0)
  for _ in 0..<repetitions {
    let lifts = zip(outcomes, [1.3, 1]).compactMap { outcomes, factor in
      LogLift(
        Cell(users: 10 * outcomes, rate: 0.1 * factor).draw(&draws), Cell(users: 10 * outcomes, rate: 0.1).draw(&draws))
    }
    if let largest = SegmentInteraction.largestDifference(lifts, margin: 0.1), largest.high < 0.3 { hits += 1 }
  }
  return Check(
    name: "largest difference between segments beyond its limit",
    setting: "30% between two segments, \(outcomes[0]) and \(outcomes[1]) outcomes an arm",
    outcome: .atMost(hits: hits, of: repetitions, limit: 0.05))
}

/// Three segments that gain 20% and one that loses 20%.
private func reversed(_ size: Int, _ repetitions: Int) -> Check {
  var (draws, hits) = (Draws(name: "reversed \(size)"), 0)
  for _ in 0..<repetitions {
    let lifts = [1.2, 1.2, 1.2, 0.8].compactMap { factor in
      LogLift(Cell(users: size, rate: 0.1 * factor).draw(&draws), Cell(users: size, rate: 0.1).draw(&draws))
    }
    if let found = SegmentInteraction(lifts), found.p < 0.05 { hits += 1 }
  }
  return Check.told(
    "interaction p < 0.05, one segment reversed",
    "3 segments +20%, one -20%, \(size / 10) outcomes an arm of each", hits: hits, of: repetitions)
}

private func trendSize(weeks: Int, lift: Double, _ repetitions: Int) -> Check {
  var (draws, hits) = (Draws(name: "trend \(weeks) \(lift)"), 0)
  for _ in 0..<repetitions {
    // Traffic doubles over the weeks.
    let found = (0..<weeks).compactMap { week in
      let users = 400 + 400 * week / (weeks - 1)
      return CohortTrend.Week(
        time: Double(week), Cell(users: users, rate: 0.05 * (1 + lift)).draw(&draws),
        Cell(users: users, rate: 0.05).draw(&draws))
    }
    if let trend = CohortTrend(found), trend.p < 0.05 { hits += 1 }
  }
  return Check.promise(
    "trend p < 0.05 where the effect stays", "\(weeks) weeks of 20 to 40 outcomes an arm, lift \(Int(100 * lift))%",
    hits: hits, of: repetitions, low: 0.045, high: 0.055, full: 20_000)
}
