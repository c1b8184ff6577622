import Testing

@testable import Metrics

/// Looks at a difference day by day, without a plan.
@Suite struct SequentialRuleTests {
  private static var rule: SequentialRule {
    SequentialRule(
      kind: .alwaysValid, alpha: 0.05, planAlpha: 0.05, plannedUnits: 5_000, informationFraction: { _ in nil },
      allocation: [0.5, 0.5], countsConversions: true)
  }

  private static func look(daysBefore: Int, control: Double, treatment: Double, users: Double) -> DifferenceLook {
    let rates = [control / users, treatment / users]
    let error = rates.reduce(0) { $0 + $1 * (1 - $1) / users }.squareRoot()
    return DifferenceLook(
      daysBefore: daysBefore, estimate: rates[1] - rates[0], standardError: error, z: (rates[1] - rates[0]) / error,
      treatmentUsers: users, controlUsers: users, treatmentEvents: treatment, controlEvents: control)
  }

  /// A bound stays crossed only in its own direction (D1.3); that of now counts if it is crossed, too.
  ///
  /// D2.1 at n = 12,000: ρ² = (5.9915 + 1.9446) ÷ 5,000, nρ² = 19.05, c = √(1.0525 × ln(20.05 ÷ 0.0025)) = 3.076;
  /// −0.03167 ± 3.076 × 0.005648 is −0.0490 to −0.0143.
  @Test(arguments: [false, true]) func aBoundCrossedInTheDirectionOfNowCounts(isMirrored: Bool) throws {
    let looks =
      isMirrored
      ? [
        Self.look(daysBefore: 20, control: 150, treatment: 60, users: 1_000),
        Self.look(daysBefore: 0, control: 550, treatment: 740, users: 6_000),
      ]
      : [
        Self.look(daysBefore: 20, control: 60, treatment: 150, users: 1_000),
        Self.look(daysBefore: 0, control: 740, treatment: 550, users: 6_000),
      ]
    let reading = Self.rule.reading(looks, fixedP: nil) { _ in nil }
    let interval = try #require(reading.interval)
    let ends = isMirrored ? (0.0143, 0.0490) : (-0.0490, -0.0143)
    #expect(abs(interval.low - ends.0) < 0.0001 && abs(interval.high - ends.1) < 0.0001)
    #expect(reading.isSignificant && (reading.decidingEstimate ?? 0) * (isMirrored ? 1 : -1) > 0)
    // The earlier look crossed its bound, too: +0.09 ± 3.5 × 0.0136.
    #expect(Self.rule.reading([looks[0]], fixedP: nil) { _ in nil }.isSignificant)
  }
}
