import Statistics
import Testing

struct PowerTests {
  /// Methods 2.12: 10% to 12% needs 3,841; 2 to 2.5%, 13,809; 50 to 55% at 90%, 2,095.
  @Test(arguments: [(0.1, 0.12, 0.8, 3_841.0), (0.02, 0.025, 0.8, 13_809), (0.5, 0.55, 0.9, 2_095)])
  func sampleSizes(control: Double, treatment: Double, power: Double, users: Double) throws {
    let size = try #require(
      proportionSampleSize(control: control, treatment: treatment, errors: TestErrors(power: power)))
    #expect(size.pooledNull.rounded(.up) == users)
    let reached = proportionPower(
      control: control, treatment: treatment, controlCount: users, treatmentCount: users)
    #expect(reached.pooledNull >= power && reached.pooledNull < power + 0.001)
  }

  @Test func noNumberIsEnoughForNoDifference() {
    #expect(proportionSampleSize(control: 0.1, treatment: 0.1) == nil)
  }

  /// Exact enumeration in Python, golden `power-019`.
  @Test func exactPower() {
    let power = exactPooledZPower(control: 0.3, treatment: 0.7, controlCount: 20, treatmentCount: 20)
    #expect(isClose(power, 0.7132406342196637, within: 1e-12))
    #expect(exactPooledZPower(control: 0.3, treatment: 0.7, controlCount: 2_000, treatmentCount: 2_000) == nil)
  }

  /// Cohen (1988), table 2.4.1: d = 0.5 needs 64 an arm for 80%; statsmodels gives the digits.
  @Test func powerOfTheTTest() {
    #expect(isClose(tTestPower(effect: 0.5, controlCount: 64), 0.80146, within: 1e-5))
    // R: power.t.test(power = 0.8, delta = d) needs 63.77, 16.71 and 5.09 an arm at d of 0.5, 1 and 2.
    for (effect, users) in [(0.5, 64.0), (1, 17), (2, 6)] {
      #expect(tTestSampleSize(difference: effect * 5, standardDeviation: 5) == users)
    }
    #expect(isClose(tTestPower(effect: 0.2, controlCount: 200), 0.5140816374803289, within: 1e-10))
    #expect(isClose(tTestPower(effect: 0, controlCount: 30), 0.05, within: 1e-12))
  }

  @Test func aLiftTooNoisyToDetectIsNil() throws {
    let effect = detectableEffect(mean: 0.1, variance: 0.09, countPerArm: 5_000)
    #expect(isClose(effect.relative, 0.18423114776900423, within: 1e-12))
    #expect(detectableEffect(mean: 0.1, variance: 9, countPerArm: 100).relative == nil)
  }

  /// mpmath, golden `power-034`: 0.40, against 0.80 for a fixed test.
  @Test func alwaysValidPowerAtOneLook() {
    let power = asymptoticSequencePower(
      control: 0.1, treatment: 0.12, countPerArm: 3_841, sequence: AsymptoticSequence())
    #expect(isClose(power.powerLowerBound, 0.4041190013881152, within: 1e-12))
  }

  @Test func nonInferiorityNeedsTheMarginSquared() {
    let errors = TestErrors(alpha: 0.025, power: 0.8)
    let size = nonInferioritySampleSize(rate: 0.1, margin: 0.01, errors: errors)
    #expect(isClose(size, 14127.98352182836, within: 1e-8))
    #expect(isClose(nonInferioritySampleSize(rate: 0.1, margin: 0.02, errors: errors), size / 4, within: 1e-8))
  }

  @Test func durationCountsArrivalAndMaturity() throws {
    let duration = try #require(testDuration(users: 1_001, usersPerDay: 100, maturity: 9.5))
    #expect(duration.recruitingDays == 11 && duration.totalDays == 21)
    #expect(testDuration(users: 10, usersPerDay: 0, maturity: 1) == nil)
    #expect(testDuration(users: 0, usersPerDay: 0, maturity: 1)?.totalDays == 0)
  }
}
