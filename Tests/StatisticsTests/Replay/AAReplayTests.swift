import Foundation
import Statistics
import Testing

struct AAReplayTests {
  /// 24 days of 250 users: 10% convert and pay lognormal(2, 0.8).
  private static let people: [ReplayPerson] = {
    let generator = CounterGenerator(name: "past users")
    return (0..<6_000).map { place in
      func uniform(_ draw: Int) -> Double { generator.uniform(at: UInt64(3 * place + draw)) }
      let isConverted = uniform(0) < 0.1
      let normal = (-2 * log(1 - uniform(1))).squareRoot() * cos(2 * .pi * uniform(2))
      // Half of the converted users were active before, and a fifth of the others; a third of those had paid.
      let wasActive = generator.uniform(at: UInt64(50_000 + place)) < (isConverted ? 0.5 : 0.2)
      return ReplayPerson(
        day: place / 250, isConverted: isConverted, revenue: isConverted ? exp(2 + 0.8 * normal) : 0,
        wasActive: wasActive, revenueBefore: wasActive && place % 3 == 0 ? 5 : 0)
    }
  }()

  private func rates(_ repetitions: Int) -> [ReplayMethod: ReplayRate] {
    let rates = AAReplay(Self.people).rates(repetitions: repetitions, generator: CounterGenerator(name: "replay"))
    // All methods, including those that need a history.
    #expect(rates.map(\.method) == ReplayMethod.allCases)
    return Dictionary(uniqueKeysWithValues: rates.map { ($0.method, $0) })
  }

  /// Armitage, McPherson & Rowe: 24 looks at 5% are wrong in `peekingError` of A/A tests, with 4 standard errors of
  /// tolerance.
  @Test func fixedTestsHoldAtTheEndAndPeekingInflatesThem() throws {
    let found = rates(300)
    let peeking = GroupSequentialDesign.peekingError(looks: 24, critical: normalQuantile975)
    for method in [
      ReplayMethod.conversionScore, .conversionFisherMidP, .conversionCUPED, .revenueWelch, .revenueWelchCapped,
      .revenueCUPED,
    ] {
      let rate = try #require(found[method])
      #expect(isClose(rate.endRate, 0.05, within: 4 * (0.05 * 0.95 / 300).squareRoot()), "\(method) \(rate)")
      #expect(isClose(rate.dailyRate, peeking, within: 4 * (peeking * (1 - peeking) / 300).squareRoot()), "\(rate)")
      #expect(!method.allowsDailyLooks)
    }
  }

  /// Fisher's test stays below its level, and mid-p is between it and the score test.
  @Test func theExactTestIsConservative() throws {
    let found = rates(300)
    let (exact, mid) = (try #require(found[.conversionFisher]), try #require(found[.conversionFisherMidP]))
    #expect(exact.endRate <= mid.endRate && exact.dailyRate <= mid.dailyRate)
    #expect(exact.endRate <= 0.05 + 4 * (0.05 * 0.95 / 300).squareRoot() && exact.daily > exact.atEnd)
    #expect(!ReplayMethod.conversionFisher.allowsDailyLooks)
  }

  @Test func whatNeedsAHistoryIsNotTriedWithoutOne() {
    let people = Self.people.prefix(500).map { person in
      ReplayPerson(day: person.day, isConverted: person.isConverted, revenue: person.revenue)
    }
    let methods = AAReplay(people).rates(repetitions: 2, generator: CounterGenerator(seed: 1)).map(\.method)
    #expect(Set(ReplayMethod.allCases).subtracting(methods) == [.conversionCUPED, .revenueCUPED])
  }

  @Test func methodsForDailyLooksStayAtTheLevel() {
    for (method, rate) in rates(300) where method.allowsDailyLooks {
      #expect(rate.dailyRate <= 0.05 + 4 * (0.05 * 0.95 / 300).squareRoot(), "\(method) \(rate)")
      #expect(rate.atEnd <= rate.daily && rate.repetitions == 300)
    }
  }

  @Test func theSameSeedGivesTheSameRates() {
    let replay = AAReplay(Array(Self.people.prefix(700)))
    #expect(replay.looks == 3)
    let first = replay.rates(repetitions: 20, generator: CounterGenerator(seed: 1))
    #expect(first == replay.rates(repetitions: 20, generator: CounterGenerator(seed: 1)))
    #expect(first != replay.rates(repetitions: 20, generator: CounterGenerator(seed: 2)))
  }

  @Test func withoutAConversionNothingAlarms() {
    let replay = AAReplay([ReplayPerson(day: 3, isConverted: false, revenue: 0)])
    let rates = replay.rates(repetitions: 5, generator: CounterGenerator(seed: 1))
    #expect(rates.allSatisfy { $0.daily == 0 && $0.atEnd == 0 })
  }
}

extension ReplayRate {
  fileprivate var endRate: Double { Double(atEnd) / Double(repetitions) }
  fileprivate var dailyRate: Double { Double(daily) / Double(repetitions) }
}
