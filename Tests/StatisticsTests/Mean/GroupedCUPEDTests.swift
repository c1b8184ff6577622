import Statistics
import Testing

/// Checks that comparisons of groups equal those of single users, which golden files test.
struct GroupedCUPEDTests {
  /// Few distinct values, so that groups repeat.
  private static func users(_ name: String, _ count: Int) -> [RatioHistory] {
    let generator = CounterGenerator(name: name)
    return (0..<count).map { place in
      func draw(_ bound: Int, _ number: Int) -> Double {
        Double(generator.index(below: bound, at: UInt64(4 * place + number)))
      }
      let base = draw(3, 0)
      return RatioHistory(
        before: RatioUnit(numerator: base * 2 + draw(2, 1), denominator: 1 + base),
        after: RatioUnit(numerator: base * 3 + draw(4, 2), denominator: 1 + base + draw(2, 3)))
    }
  }

  private static func groups(_ users: [RatioHistory]) -> [HistoryGroup] {
    Dictionary(grouping: users) { $0 }.map { HistoryGroup(before: $0.before, after: $0.after, count: $1.count) }
  }

  @Test(arguments: [(40, 40), (300, 500)])
  func groupsGiveWhatUsersGive(treatment: Int, control: Int) throws {
    let (own, other) = (Self.users("own", treatment), Self.users("other", control))
    func pairs(_ users: [RatioHistory]) -> [BeforeAfter] {
      users.map { BeforeAfter(before: $0.before.numerator, after: $0.after.numerator) }
    }
    let single = try #require(cupedTest(treatment: pairs(own), control: pairs(other)))
    let grouped = try #require(cupedTest(treatment: Self.groups(own), control: Self.groups(other), confidence: 0.95))
    #expect(isClose(grouped.theta, single.theta, within: 1e-12))
    #expect(isClose(grouped.difference, single.adjusted.difference, within: 1e-12))
    #expect(isClose(grouped.standardError, single.adjusted.standardError, within: 1e-12))
    #expect(isClose(grouped.interval.low, single.adjusted.interval.low, within: 1e-11))
    #expect(isClose(grouped.varianceReduction, single.varianceReduction, within: 1e-11))
    let ratio = try #require(cupedRatio(treatment: own, control: other))
    let groupedRatio = try #require(
      cupedRatio(treatment: Self.groups(own), control: Self.groups(other), confidence: 0.95))
    #expect(isClose(groupedRatio.theta, ratio.theta, within: 1e-12))
    #expect(isClose(groupedRatio.difference, ratio.difference, within: 1e-12))
    #expect(isClose(groupedRatio.standardError, ratio.standardError, within: 1e-12))
    #expect(groupedRatio.varianceReduction > 0 && groupedRatio.varianceReduction < 1)
  }

  @Test func withoutAHistoryItDoesNotApply() {
    let zero = RatioUnit(numerator: 0, denominator: 0)
    let groups = [0, 1].map {
      HistoryGroup(before: zero, after: RatioUnit(numerator: Double($0), denominator: 1), count: 10)
    }
    #expect(cupedTest(treatment: groups, control: groups, confidence: 0.95) == nil)
    #expect(cupedRatio(treatment: groups, control: groups, confidence: 0.95) == nil)
    #expect(cupedTest(treatment: [HistoryGroup](), control: [], confidence: 0.95) == nil)
  }
}
