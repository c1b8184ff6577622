import Statistics
import Testing

/// Tests the order of D1, and the next steps of D3.5 and D3.6; expected values are taken from the rules'
/// text.
struct ExperimentDecisionTests {
  private typealias Treatment = ExperimentDecision.Treatment

  private static func treatment(_ gain: Double, _ change: (inout Treatment) -> Void = { _ in }) -> Treatment {
    var treatment = Treatment(gain: gain)
    change(&treatment)
    return treatment
  }

  private static func better(_ gain: Double, _ change: (inout Treatment) -> Void = { _ in }) -> Treatment {
    treatment(gain) {
      $0.isBetter = true
      $0.money = .inFavor
      change(&$0)
    }
  }

  private func expect(
    _ decision: ExperimentDecision, _ outcome: ExperimentDecision.Outcome, _ reason: String, _ treatment: Int?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      decision == ExperimentDecision(outcome: outcome, reason: reason, treatment: treatment),
      sourceLocation: sourceLocation)
  }

  /// D1.2.
  @Test func unreadableDataDecideNothing() {
    expect(ExperimentDecision([Self.better(1)], unreadable: "sample_ratio"), .none, "sample_ratio", nil)
    expect(ExperimentDecision([]), .none, "nothing_to_compare", nil)
  }

  /// D1.5: the better treatment with the largest gain, else the next better one.
  @Test func shipsTheBestThatNothingBlocks() {
    expect(ExperimentDecision([Self.better(1), Self.better(2)]), .ship, "primary", 1)
    expect(ExperimentDecision([Self.better(1), Self.treatment(3)]), .ship, "primary", 0)
    expect(ExperimentDecision([Self.better(1), Self.better(2) { $0.money = .worse }]), .ship, "primary", 0)
    expect(ExperimentDecision([Self.better(1) { $0.money = .notEstimable }]), .ship, "primary", 0)
  }

  /// D1.6, in its order.
  @Test func aBlockedWinnerSaysWhatBlocksIt() {
    typealias Guardrail = ExperimentDecision.Guardrail
    let open = Guardrail(metric: "retained", state: .open)
    let failed = Guardrail(metric: "refunded", state: .failed)
    let all = Self.better(1) {
      $0.money = .worse
      $0.guardrails = [open, failed]
      $0.longTermContradicts = true
    }
    var blocked = all
    expect(ExperimentDecision([blocked]), .doNotShip, "watched:revenue", 0)
    blocked.money = .against
    expect(ExperimentDecision([blocked]), .doNotShip, "guardrail:refunded", 0)
    blocked.guardrails = [open]
    expect(ExperimentDecision([blocked]), .undecided, "watched_open:revenue", 0)
    blocked.money = .inFavor
    expect(ExperimentDecision([blocked]), .undecided, "guardrail_open:retained", 0)
    blocked.guardrails = []
    expect(ExperimentDecision([blocked]), .undecided, "long_term", 0)
    blocked.longTermContradicts = false
    expect(ExperimentDecision([blocked]), .ship, "primary", 0)
    // A losing treatment does not hide it.
    expect(ExperimentDecision([all, Self.treatment(-1) { $0.isWorse = true }]), .doNotShip, "watched:revenue", 0)
  }

  /// D1.7, D1.8.
  @Test func losersAndEquals() {
    let worse = Self.treatment(-1) { $0.isWorse = true }
    let same = Self.treatment(0.01) { $0.isSame = true }
    expect(ExperimentDecision([worse, Self.treatment(-0.5) { $0.isWorse = true }]), .doNotShip, "primary", 1)
    expect(ExperimentDecision([worse, same]), .noDifference, "primary", 1)
    expect(ExperimentDecision([worse, Self.treatment(-2)]), .undecided, "primary", 1)
    // The open treatment, not the one that is the same.
    expect(ExperimentDecision([same, Self.treatment(-0.02)]), .undecided, "primary", 1)
    expect(ExperimentDecision([Self.treatment(1) { $0.isWithheld = true }]), .undecided, "too_few", 0)
    expect(ExperimentDecision([Self.treatment(1)], unfinished: .endedEarly), .undecided, "ended_early", 0)
    expect(ExperimentDecision([Self.treatment(1)], unfinished: .notYet), .undecided, "not_yet", 0)
  }

  /// D1.11.
  @Test func notWorseIsEnoughWhereThePlanSaysSo() {
    let kept = Self.treatment(-0.01) {
      $0.isNotWorse = true
      $0.money = .against
    }
    expect(ExperimentDecision([kept], aim: .notWorse), .ship, "not_worse", 0)
    expect(ExperimentDecision([kept]), .undecided, "primary", 0)
    var losing = kept
    losing.money = .worse
    expect(ExperimentDecision([losing], aim: .notWorse), .undecided, "primary", 0)
  }

  private static func remaining(
    users: Double = 3_000, needed: Double? = 20_000, perDay: Double = 500, isEnded: Bool = false,
    hasOutcome: Bool = true
  ) -> RemainingTest {
    RemainingTest(
      users: users, needed: needed, neededForSameness: 30_000, usersADay: perDay, horizonDays: 14, isEnded: isEnded,
      hasControlOutcome: hasOutcome)
  }

  /// D3.5: ⌈17,000 ÷ 500⌉ + 14 = 48; ⌈10,000 ÷ 500⌉ + 14 = 34; none beyond both.
  @Test func daysMore() {
    #expect(Self.remaining().daysMore == 48)
    #expect(Self.remaining(perDay: 499).daysMore == 49)
    #expect(Self.remaining(users: 20_000).target == 30_000 && Self.remaining(users: 20_000).daysMore == 34)
    #expect(Self.remaining(users: 30_000).target == nil && Self.remaining(users: 30_000).daysMore == nil)
    #expect(Self.remaining(perDay: 0).daysMore == nil)
  }

  /// D3.6.
  @Test func nextStep() {
    let undecided = ExperimentDecision(outcome: .undecided, reason: "primary", treatment: 0)
    let heldBack = ExperimentDecision(outcome: .undecided, reason: "watched_open:revenue", treatment: 0)
    // A plan under way is waited for, whatever a size without it would take.
    var planned = Self.remaining(needed: 2_000_000)
    #expect(planned.next(after: undecided) == .stop && planned.next(after: heldBack) == .keepControl)
    planned.isPlanOpen = true
    #expect(planned.next(after: undecided) == .wait && planned.next(after: heldBack) == .wait)
    planned.isEnded = true
    #expect(planned.next(after: undecided) == .stop)
    #expect(Self.remaining().next(after: undecided) == .wait)
    #expect(Self.remaining().next(after: heldBack) == .wait)
    #expect(Self.remaining(perDay: 400).next(after: undecided) == .stop)
    #expect(Self.remaining(perDay: 400).next(after: heldBack) == .keepControl)
    #expect(Self.remaining(perDay: 0).next(after: undecided) == .stop)
    #expect(Self.remaining(users: 30_000).next(after: undecided) == .stop)
    #expect(Self.remaining(needed: nil, hasOutcome: false).next(after: undecided) == .wait)
    // 20,000 ÷ 500 + 14 = 54; 20,000 ÷ 470 + 14 = 56.6.
    #expect(Self.remaining(isEnded: true).next(after: undecided) == .restart)
    #expect(Self.remaining(isEnded: true).next(after: heldBack) == .keepControl)
    #expect(Self.remaining(perDay: 470, isEnded: true).next(after: undecided) == .stop)
    #expect(Self.remaining(needed: nil, isEnded: true, hasOutcome: false).next(after: undecided) == .stop)
    #expect(Self.remaining().next(after: ExperimentDecision(outcome: .ship, reason: "primary", treatment: 0)) == nil)
    for outcome in [ExperimentDecision.Outcome.doNotShip, .noDifference] {
      let settled = ExperimentDecision(outcome: outcome, reason: "primary", treatment: 0)
      #expect(Self.remaining().next(after: settled) == .keepControl)
    }
    let none = ExperimentDecision(outcome: .none, reason: "leak", treatment: nil)
    #expect(Self.remaining().next(after: none) == .fix)
  }
}
