import Testing

@testable import Statistics

/// Checks that CUPED from moments equals CUPED from users.
struct PairMomentsTests {
  private static func users(_ name: String, _ count: Int, isBinary: Bool) -> [(before: Double, after: Double)] {
    let generator = CounterGenerator(name: name)
    return (0..<count).map { place in
      let (one, two) = (generator.uniform(at: UInt64(2 * place)), generator.uniform(at: UInt64(2 * place + 1)))
      if isBinary { return (before: one < 0.3 ? 1 : 0, after: two < (one < 0.3 ? 0.5 : 0.1) ? 1 : 0) }
      return (before: 1e6 + 10 * one, after: one < 0.2 ? 0 : 3 * one + two)
    }
  }

  private static func groups(_ users: [(before: Double, after: Double)]) -> [HistoryGroup] {
    users.map {
      HistoryGroup(
        before: RatioUnit(numerator: $0.before, denominator: 1), after: RatioUnit(numerator: $0.after, denominator: 1))
    }
  }

  private static func moments(_ users: [(before: Double, after: Double)]) -> PairMoments {
    // In parts, like blocks and zeros.
    var whole = PairMoments()
    for start in stride(from: 0, to: users.count, by: 7) {
      var part = PairMoments()
      for user in users[start..<min(start + 7, users.count)] { part.add(before: user.before, after: user.after) }
      whole.merge(part)
    }
    return whole
  }

  @Test(arguments: [true, false])
  func aComparisonFromMomentsIsThatOfTheUsers(isBinary: Bool) throws {
    let treatment = Self.users("treatment", 403, isBinary: isBinary)
    let control = Self.users("control", 391, isBinary: isBinary)
    let wanted = try #require(cupedTest(treatment: Self.groups(treatment), control: Self.groups(control))?.adjusted)
    let found = try #require(
      PairMoments.cuped(treatment: Self.moments(treatment), control: Self.moments(control)))
    #expect(isClose(found.difference, wanted.difference, within: 1e-9))
    #expect(isClose(found.standardError, wanted.standardError, within: 1e-9))
    #expect(isClose(found.degrees, wanted.degrees, within: 1e-6))
    #expect(found.isSignificant(alpha: 0.05) == (wanted.twoSidedP < 0.05))
  }

  @Test func countsAreUsersOfZeroAndOne() {
    let users = Self.users("counts", 200, isBinary: true)
    let both = users.count { $0.before == 1 && $0.after == 1 }
    let counted = PairMoments(
      users: 200, before: users.reduce(0) { $0 + $1.before }, after: users.reduce(0) { $0 + $1.after },
      both: Double(both))
    let other = Self.moments(Self.users("others", 150, isBinary: true))
    let (a, b) = (
      PairMoments.cuped(treatment: counted, control: other),
      PairMoments.cuped(treatment: Self.moments(users), control: other)
    )
    #expect(isClose(a?.t, b?.t ?? 0, within: 1e-10) && a != nil)
  }

  @Test func withoutAHistoryItDoesNotApply() {
    let plain = Self.moments((0..<20).map { (before: 0, after: Double($0 % 2)) })
    #expect(PairMoments.cuped(treatment: plain, control: plain) == nil)
  }
}
