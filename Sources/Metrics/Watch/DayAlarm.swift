internal import Foundation
internal import Statistics

/// Whether a day stands out from the same weekdays before it; implements definitions 16.2.
public struct DayAlarm: Sendable, Equatable {
  public let day: Int
  public let isShare: Bool
  /// The share, or the number, of the day.
  public let value: Double
  /// The value that the days before lead to expect.
  public let expected: Double
  /// Two-sided.
  public let p: Double

  /// The fewest payments a day with which an amount is judged by itself. Of fewer, their number must stand out as well: a
  /// day without any may come by chance.
  private static let fewestPayments = 30.0
  /// The number of weekdays before that a day is compared with, and the fewest that do.
  private static let weeks = 8
  public static let fewest = 5

  /// Returns the same weekdays before a day that it is compared with.
  ///
  /// - Parameters:
  ///   - days: In order; those before `place` are what is known.
  ///   - excluded: Days since 1970 that are left out.
  public static func reference(
    _ days: [WatchedNumber.DayValue], at place: Int, without excluded: Set<Int> = []
  ) -> [WatchedNumber.DayValue] {
    days[..<place].filter { day in
      let age = days[place].day - day.day
      return age % 7 == 0 && age <= 7 * weeks && (day.of.map { $0 > 0 } ?? true) && !excluded.contains(day.day)
    }
  }

  /// Returns the first day after those known that can be tested if every day from now on has users; `nil` if no day is
  /// known.
  public static func firstTested(after days: [WatchedNumber.DayValue], without excluded: Set<Int> = []) -> Int? {
    guard let last = days.last else { return nil }
    var days = days
    for day in last.day + 1...last.day + 7 * weeks {
      days.append(WatchedNumber.DayValue(day: day, met: 1, of: last.of.map { _ in 1 }, events: last.events))
      if DayAlarm(days, at: days.count - 1, without: excluded) != nil { return day }
    }
    return nil
  }

  /// Tests one day of a series.
  ///
  /// - Parameters:
  ///   - days: In order; those before `place` are what is known.
  ///   - excluded: Days since 1970 that no day is compared with.
  /// - Returns: `nil` where fewer than 5 of the 8 same weekdays before are known.
  ///
  /// Source: shares by the pooled z of two proportions over the root of the reference's χ² per degree of freedom where
  /// that is above 1 (P. McCullagh, J. Nelder, Generalized Linear Models, 1989, 4.5); others by the prediction of one
  /// new value of ln(1 + x), with at least the spread of Poisson counts, of an amount of few payments by the larger p of both.
  public init?(_ days: [WatchedNumber.DayValue], at place: Int, without excluded: Set<Int> = []) {
    let today = days[place]
    let before = Self.reference(days, at: place, without: excluded)
    guard before.count >= Self.fewest else { return nil }
    (day, isShare) = (today.day, today.of != nil)
    let degrees = Double(before.count - 1)
    if let units = today.of {
      guard units > 0 else { return nil }
      let (met, of) = (before.map(\.met).reduce(0, +), before.compactMap(\.of).reduce(0, +))
      let reference = met / of
      (value, expected) = (today.met / units, reference)
      let pooled = (met + today.met) / (of + units)
      let error = (pooled * (1 - pooled) * (1 / units + 1 / of)).squareRoot()
      guard error > 0, reference > 0, reference < 1 else {
        p = 1
        return
      }
      let spread = before.reduce(0.0) { sum, day in
        let expected = (day.of ?? 0) * reference
        return sum + (day.met - expected) * (day.met - expected) / (expected * (1 - reference))
      }
      p = Self.p((value - reference) / error, spread: spread / degrees, degrees: degrees)
    } else {
      let count = Double(before.count)
      let events = before.map { $0.events ?? $0.met }.reduce(0, +) / count
      // The logarithm of a Poisson count of mean m has a spread of about 1 ÷ √m.
      let least = 1 / max(1, events).squareRoot()
      func test(_ amount: (WatchedNumber.DayValue) -> Double) -> (mean: Double, p: Double) {
        let logs = before.map { log1p(max(0, amount($0))) }
        let mean = logs.reduce(0, +) / count
        let variance = logs.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / degrees
        let z = (log1p(max(0, amount(today))) - mean) / (least * (1 + 1 / count).squareRoot())
        return (mean, Self.p(z, spread: variance / (least * least), degrees: degrees))
      }
      let own = test(\.met)
      (value, expected) = (today.met, expm1(own.mean))
      let isOfFew = today.events != nil && events < Self.fewestPayments
      p = isOfFew ? max(own.p, test { $0.events ?? 0 }.p) : own.p
    }
  }

  /// - Parameters:
  ///   - z: By the spread that chance alone gives.
  ///   - spread: The reference's variance over that of chance. Above 1 it widens, and has degrees of freedom; else that of
  ///     chance is known, and z is normal.
  private static func p(_ z: Double, spread: Double, degrees: Double) -> Double {
    spread > 1
      ? StudentDistribution.twoSidedP(z / spread.squareRoot(), degrees: degrees) : NormalDistribution.twoSidedP(z)
  }

  /// The level of one night for an expected number of nights with a false alarm in a month; implements definitions 16.3.
  public static func level(perMonth: Double) -> Double { min(1, perMonth * 12 / 365.2425) }

  /// Returns the p-values of one night by Holm over all of them; one of at most ``level(perMonth:)`` is an alarm.
  public static func adjusted(_ p: [Double]) -> [Double] { Adjustment.holm.adjusted(p).map { $0 ?? 1 } }
}
