import Basics
import Foundation
import Testing

@testable import Metrics

/// Definitions 16.2 and 16.3; expected values from SciPy 1.17 (`scipy.stats.t`), with the formulas in the comments.
struct DayAlarmTests {
  private static func share(_ day: Int, _ met: Double, _ of: Double) -> WatchedNumber.DayValue {
    .init(day: day, met: met, of: of, events: nil)
  }

  /// Which tests of one night are an alarm.
  private static func alarms(_ p: [Double], perMonth: Double) -> [Bool] {
    DayAlarm.adjusted(p).map { $0 <= DayAlarm.level(perMonth: perMonth) }
  }

  private static func count(_ day: Int, _ met: Double) -> WatchedNumber.DayValue {
    .init(day: day, met: met, of: nil, events: nil)
  }

  /// 20 of 100 on eight weekdays, then 8 of 100: z = −0.12 ÷ √(168/900 × 732/900 × (1/100 + 1/800)) = −2.9036, χ² is 0,
  /// p = 2 norm.sf(2.9036) = 0.003689.
  @Test func aShareIsComparedWithTheSameWeekdays() throws {
    let days = (0..<8).map { Self.share($0 * 7, 20, 100) } + [Self.share(50, 0, 100), Self.share(56, 8, 100)]
    let alarm = try #require(DayAlarm(days, at: 9))
    #expect(alarm.value == 0.08 && alarm.expected == 0.2 && alarm.isShare)
    let z = 0.12 / (168.0 / 900 * 732 / 900 * (1.0 / 100 + 1.0 / 800)).squareRoot()
    #expect(abs(z - 2.9036) < 1e-4 && abs(alarm.p - 0.00368895) < 1e-8, "\(alarm.p)")
  }

  /// Counts of 99 on eight weekdays have no spread of their own, so that of Poisson counts is used: 1 ÷ √99 = 0.100504.
  /// ln 50 − ln 100 = −0.693147; t = −0.693147 ÷ (0.100504 × √1.125) = −6.5023; p = 2 norm.sf(6.5023) = 7.91e-11.
  @Test func aCountIsComparedOnTheLogScale() throws {
    let days = (0..<8).map { Self.count($0 * 7, 99) } + [Self.count(56, 49)]
    let alarm = try #require(DayAlarm(days, at: 8))
    #expect(abs(alarm.expected - 99) < 1e-9 && abs(alarm.p - 7.910277e-11) < 1e-15, "\(alarm.p)")
  }

  /// Days that vary by more than chance widen the spread and have 7 degrees of freedom. Shares: r = 0.2, χ² = 23.625,
  /// t = −2.404452. Counts: mean of ln(1 + x) = ln 93.1663, s = 0.451186, t = −4.464460.
  @Test func daysThatVaryByThemselvesAreNoAlarm() throws {
    let shares = [10, 30, 20, 20, 25, 15, 12, 28].enumerated().map { Self.share($0.offset * 7, $0.element, 100) }
    let share = try #require(DayAlarm(shares + [Self.share(56, 2, 100)], at: 8))
    #expect(abs(share.p - 0.0471566916) < 1e-9, "\(share.p)")
    let counts = [40, 160, 80, 120, 60, 140, 100, 100].enumerated().map { Self.count($0.offset * 7, $0.element) }
    let count = try #require(DayAlarm(counts + [Self.count(56, 10)], at: 8))
    #expect(abs(count.p - 0.0029203349) < 1e-9 && abs(count.expected - 92.1663276) < 1e-6, "\(count.p)")
  }

  @Test func fiveWeekdaysAreNeeded() {
    let days = (0..<5).map { Self.count($0 * 7, 99) } + [Self.count(35, 49)]
    #expect(DayAlarm(days, at: 4) == nil && DayAlarm(days, at: 5) != nil)
    // A share without units on a day knows nothing of it.
    let shares = (0..<5).map { Self.share($0 * 7, 0, $0 == 2 ? 0 : 10) } + [Self.share(35, 1, 10)]
    #expect(DayAlarm(shares, at: 5) == nil)
  }

  /// Days 0 to 28 know 4 of the weekdays of day 28 and no day has 5 before day 35.
  @Test func theFirstDayThatCanBeTestedIsKnown() {
    let days = (0...28).map { Self.count($0, 99) }
    #expect(DayAlarm.reference(days, at: 28).map(\.day) == [0, 7, 14, 21])
    #expect(DayAlarm.firstTested(after: days) == 35)
    #expect(DayAlarm.firstTested(after: []) == nil)
    #expect(DayAlarm.firstTested(after: days.filter { $0.day % 7 == 0 }) == 35)
    let fewer = (0...28).map { Self.share($0, 1, $0 < 14 ? 0 : 10) }
    #expect(DayAlarm.firstTested(after: fewer) == 49)
  }

  /// Four payments of 10 on each of five days, then none: z = −ln 5 ÷ (√¼·√1.2) = −2.938, p = 0.0033 (SciPy's `norm.sf`).
  /// By ln(1 + 40), p would be below 10⁻¹⁰.
  @Test func amountsOfFewPaymentsAreJudgedByTheirNumber() throws {
    func day(_ number: Int, payments: Double) -> WatchedNumber.DayValue {
      WatchedNumber.DayValue(day: number, met: 10 * payments, of: nil, events: payments)
    }
    let days = [0, 7, 14, 21, 28].map { day($0, payments: 4) } + [day(35, payments: 0)]
    let alarm = try #require(DayAlarm(days, at: 5))
    #expect(abs(alarm.p - 0.003299) < 1e-5 && alarm.value == 0 && abs(alarm.expected - 40) < 1e-9)
  }

  /// An excluded day is in no reference: of 0, 7, …, 35 without 14 there are five.
  @Test func anExcludedDayIsLeftOutOfTheReference() throws {
    let days = [0, 7, 14, 21, 28, 35, 42].map { Self.count($0, $0 == 14 ? 0 : 99) }
    let alarm = try #require(DayAlarm(days, at: 6, without: [14]))
    #expect(abs(alarm.expected - 99) < 1e-9 && DayAlarm(days, at: 6, without: [7, 14]) == nil)
  }

  /// One number alone may be at the level; of two, the smaller at half of it.
  @Test func theLevelIsSharedByHolm() {
    #expect(abs(DayAlarm.level(perMonth: 1) - 0.0328549) < 1e-6)
    #expect(Self.alarms([0.03], perMonth: 1) == [true])
    #expect(Self.alarms([0.03, 0.9], perMonth: 1) == [false, false])
    #expect(Self.alarms([0.016, 0.03], perMonth: 1) == [true, true])
  }

  /// 100 years of three counts and two shares without a cause: nights with an alarm are at most one a month, within three
  /// standard errors; and 20% fewer of 2,500 on a day are found in at least 90% of the years within three days.
  @Test func falseAlarmsStayBelowTheStatedRate() {
    var random = SplitMix64(seed: 16)
    func normal() -> Double {
      let (a, b) = (Double(random.next() >> 11) * 0x1p-53, Double(random.next() >> 11) * 0x1p-53)
      return (-2 * log(max(a, 1e-300))).squareRoot() * cos(2 * .pi * b)
    }
    let (years, length) = (100, 365)
    var nights = 0
    var alarms = 0
    var found = 0
    for _ in 0..<years {
      let counts = [40.0, 300, 2_500].map { mean in
        (0..<length).map { Self.count($0, max(0, (mean + mean.squareRoot() * normal()).rounded())) }
      }
      let shares = [0.05, 0.4].map { rate in
        (0..<length).map { day in
          Self.share(day, max(0, (400 * rate + (400 * rate * (1 - rate)).squareRoot() * normal()).rounded()), 400)
        }
      }
      for day in 56..<length {
        nights += 1
        let p = (counts + shares).compactMap { DayAlarm($0, at: day)?.p }
        if Self.alarms(p, perMonth: 1).contains(true) { alarms += 1 }
      }
      var fallen = counts[2]
      for day in 300..<303 { fallen[day].met = (0.8 * fallen[day].met).rounded() }
      let isFound = (300..<303).contains { day in
        let others = (counts.dropLast() + shares).compactMap { DayAlarm($0, at: day)?.p }
        return Self.alarms([DayAlarm(fallen, at: day)?.p ?? 1] + others, perMonth: 1)[0]
      }
      if isFound { found += 1 }
    }
    let rate = DayAlarm.level(perMonth: 1)
    let error = (rate * (1 - rate) / Double(nights)).squareRoot()
    #expect(Double(alarms) / Double(nights) <= rate + 3 * error, "\(alarms) of \(nights)")
    #expect(Double(alarms) / Double(nights) >= rate / 3, "\(alarms) of \(nights)")
    #expect(found >= 90, "\(found)")
  }
}
