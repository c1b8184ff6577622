import Testing

@testable import Calibration

/// Runs a fast subset of `make calibrate`: the same checks with few simulations and a tolerance of 4 standard errors.
struct CalibrationTests {
  /// All families except the slowest, whose methods the others cover too.
  private static let families = Family.all.map(\.name).filter { $0 != "every-user" && $0 != "daily-power" }

  @Test(arguments: families)
  func methodsDoWhatTheyClaim(name: String) throws {
    let family = try #require(Family.all.first { $0.name == name })
    let table = Table(checks: family.checks(family.quick), width: 4)
    #expect(table.failures == 0 && !table.checks.isEmpty, "\(table.text)")
  }

  @Test func aRateThatIsOffFails() {
    let off = Check(
      name: "a", setting: "b", outcome: .share(hits: 60, of: 1_000, anchor: 0.05, anchored: nil))
    // 0.01 off, with a standard error of √(0.05·0.95/1000) = 0.0069.
    #expect(off.passes(width: 1.5) && !off.passes(width: 1.4))
    let table = Table(checks: [off], width: 1)
    #expect(table.failures == 1 && table.text.contains("| 5.000% | 6.000%   | 0.689%         | NO   |"))
  }

  @Test func aBrokenPropertyFails() {
    let broken = Check(name: "a", setting: "b", outcome: .violations(1, of: 9, first: "1/2 and 2/2"))
    #expect(!broken.passes(width: 3))
    #expect(Table(checks: [broken], width: 3).text.contains("0 of 9 | 1, first 1/2 and 2/2"))
  }

  @Test func aPromiseAllowsChanceOnlyInAShortRun() {
    // 60 of 1,000 with a limit of 5%: 0.01 over, with a standard error of √(0.06·0.94/1000) = 0.0075.
    func check(full: Int) -> Check { .promise("a", "b", hits: 60, of: 1_000, high: 0.05, full: full) }
    #expect(!check(full: 1_000).passes(width: 4) && check(full: 1_001).passes(width: 4))
    #expect(
      Table(checks: [check(full: 1_000)], width: 4).text.contains("| <= 5.000% | 6.000%   | 0.751%         | NO   |"))
  }

  @Test func whatIsOnlyToldHasNoVerdict() {
    let told = Table(checks: [.told("a", "b", hits: 1, of: 4)], width: 3)
    #expect(told.failures == 0 && told.text.contains("| none   | 25.000%  | 21.651%        |      |"))
  }

  @Test func theSameNameDrawsTheSame() {
    var (one, two, other) = (Draws(name: "a"), Draws(name: "a"), Draws(name: "b"))
    let first = one.uniform()
    #expect(first == two.uniform() && first != other.uniform())
  }
}
