import Statistics
import Testing

/// Expected values: mpmath 1.3 with 30 digits. Posterior means are computed by direct quadrature of θ × prior ×
/// likelihood; the sum's distribution as the sum of normal distribution functions over all 2^k choices of one normal
/// per shipped test and all grid points, its quantiles by bisection. The reference uses no characteristic function.
struct ShrunkenEffectsTests {
  private static func effects(_ values: [Double], _ errors: [Double]) -> ShrunkenEffects {
    ShrunkenEffects(zip(values, errors).map { LogLift(value: $0, variance: $1 * $1) })
  }

  private struct Case: Sendable {
    var values: [Double]
    var errors: [Double]
    var shipped: [Int]
    var means: [Double]
    var sum: [Double]
  }

  private static let cases = [
    Case(
      values: [0.2, -0.05, 0.4], errors: [0.1, 0.08, 0.15], shipped: [0, 2],
      means: [0.08120878600591627, -0.018632460645144372, 0.15918825978862305],
      sum: [0.24039704579453933, -0.022373136564098325, 0.6776144161007377]),
    Case(
      values: [0.3], errors: [0.12], shipped: [0], means: [0.12547915658182335],
      sum: [0.12547915658182335, -0.027074761297688054, 0.40937711252810066]),
    Case(
      values: [0.3, 0.05, -0.2, 0.01, 0.11, 0.6], errors: [0.12, 0.04, 0.1, 0.03, 0.2, 0.18], shipped: [0, 1, 4, 5],
      means: [
        0.1493553357217884, 0.02961043795701109, -0.089514442146083, 0.006549063735167453, 0.021330594803527076,
        0.3162863110925308,
      ], sum: [0.5165826795748574, -0.00525982426738055, 1.1301876499822523]),
  ]

  @Test(arguments: cases.indices)
  func agreesWithMpmath(place: Int) throws {
    let known = Self.cases[place]
    let effects = Self.effects(known.values, known.errors)
    for (mean, expected) in zip(effects.means, known.means) { #expect(isClose(mean, expected, within: 1e-12)) }
    let sum = try #require(effects.sum(of: known.shipped))
    #expect(isClose(sum.mean, known.sum[0], within: 1e-12))
    // Bisection ends at the width of a double, and the characteristic function is cut off at 1e-15.
    #expect(isClose(sum.interval.low, known.sum[1], within: 1e-10))
    #expect(isClose(sum.interval.high, known.sum[2], within: 1e-10))
  }

  @Test func everyEffectIsShrunkenTowardZeroAndKeepsItsSide() {
    let effects = Self.effects(
      [-2, -0.3, -0.01, 0, 0.002, 0.08, 0.5, 4], [0.1, 0.3, 0.02, 0.1, 0.001, 0.05, 0.6, 0.2])
    for (effect, mean) in zip(effects.effects, effects.means) {
      #expect(abs(mean) <= abs(effect.value) && mean * effect.value >= 0)
    }
  }

  @Test func exchangingGainsAndLossesChangesTheSignsOnly() throws {
    let (values, errors) = ([0.2, -0.05, 0.4], [0.1, 0.08, 0.15])
    let (there, back) = (Self.effects(values, errors), Self.effects(values.map { -$0 }, errors))
    for (one, other) in zip(there.means, back.means) { #expect(isClose(one, -other, within: 1e-15)) }
    let (one, other) = (try #require(there.sum(of: [0, 2])), try #require(back.sum(of: [0, 2])))
    #expect(isClose(one.interval.low, -other.interval.high, within: 1e-11))
    #expect(isClose(one.interval.high, -other.interval.low, within: 1e-11))
  }

  @Test func theOrderOfTheTestsDoesNotMatter() throws {
    let (values, errors) = ([0.3, 0.05, -0.2, 0.01], [0.12, 0.04, 0.1, 0.03])
    let one = Self.effects(values, errors)
    let other = Self.effects(values.reversed(), errors.reversed())
    for (mean, same) in zip(one.means, other.means.reversed()) { #expect(isClose(mean, same, within: 1e-15)) }
    let (sum, same) = (try #require(one.sum(of: [0, 1])), try #require(other.sum(of: [3, 2])))
    #expect(isClose(sum.interval.low, same.interval.low, within: 1e-11))
  }

  @Test func lostTestsPullTheWonOnesDown() {
    let alone = Self.effects([0.3], [0.12]).means[0]
    let others = [Double](repeating: 0.01, count: 12)
    let among = Self.effects([0.3] + others, [Double](repeating: 0.12, count: 13)).means[0]
    #expect(among < alone)
  }

  @Test func extremeEffectsStayFinite() throws {
    let effects = Self.effects([20, -20, 0], [1e-4, 100, 1e-4])
    let sum = try #require(effects.sum(of: [0, 1, 2]))
    #expect(effects.means.allSatisfy(\.isFinite) && sum.interval.low < sum.mean && sum.mean < sum.interval.high)
    #expect(isClose(effects.means[0], 20, within: 0.01))
    #expect(effects.sum(of: []) == nil)
  }

  /// mpmath: ∫ prior(θ)·Φ(θ/s − c) dθ.
  @Test(arguments: [(0.1, 3.0, 0.027199085466444047), (0.05, 2.8, 0.07066414743394976)])
  func chanceOfGainOfThePriorAgreesWithMpmath(error: Double, critical: Double, chance: Double) {
    #expect(isClose(ShrunkenEffects([]).chanceOfGain(standardError: error, critical: critical), chance, within: 1e-12))
  }
}

struct NextTestTests {
  private static let effect = LogLift(value: 0.1, variance: 0.01)

  @Test func longerTestsHaveBetterChances() throws {
    let next = try #require(
      NextTest(after: [LogLift](repeating: Self.effect, count: 8), usersPerDay: 141, controlRate: 0.08))
    #expect(next.lengths.map(\.days) == [14, 28, 56, 84])
    #expect(zip(next.lengths, next.lengths.dropFirst()).allSatisfy { $0.chance < $1.chance })
    #expect(next.lengths[0].users == 14 * 141)
    #expect((1...365).contains(next.worthwhile.days) && !next.usesPriorAlone)
  }

  @Test func fewTestsSayNothingAboutTheApp() throws {
    let none = try #require(NextTest(after: [], usersPerDay: 141, controlRate: 0.08))
    let five = try #require(
      NextTest(after: [LogLift](repeating: Self.effect, count: 5), usersPerDay: 141, controlRate: 0.08))
    #expect(none.usesPriorAlone && five.usesPriorAlone && five.lengths == none.lengths)
  }

  /// By the formula: n = 4,000 users, control 10%: s² = 2·(1/200.5 − 1/2000.5), c(4000) with N* = 5,000.
  @Test func readsTheLastLookByTheLimitsThatHoldHoweverOftenOneLooks() throws {
    let next = try #require(NextTest(after: [], usersPerDay: 4_000.0 / 14, controlRate: 0.1))
    let error = (2 * (1 / 200.5 - 1 / 2_000.5)).squareRoot()
    let chance = ShrunkenEffects([]).chanceOfGain(
      standardError: error, critical: AsymptoticSequence().criticalValue(units: 4_000))
    #expect(isClose(next.lengths[0].chance, chance, within: 1e-12))
  }

  @Test func thereIsNoneWithoutUsersOrOutcomes() {
    #expect(NextTest(after: [], usersPerDay: 0, controlRate: 0.1) == nil)
    #expect(NextTest(after: [], usersPerDay: 10, controlRate: 0) == nil)
  }
}
