/// The decision on an experiment (Decisions.md D1).
///
/// Implements the rule only, without data: callers say which treatments are better, worse or the same, and what the
/// money and the guardrails show.
public struct ExperimentDecision: Hashable, Sendable {
  public enum Outcome: String, CaseIterable, Sendable {
    /// Ship the treatment to all users.
    case ship
    /// The treatment loses, or wins at a price that was ruled out.
    case doNotShip = "do_not_ship"
    /// A difference that matters is ruled out.
    case noDifference = "no_difference"
    /// Not known yet.
    case undecided
    /// The data cannot be read at all.
    case none
  }

  /// Revenue per exposed user of a treatment against control (D1.4).
  public enum Money: String, Sendable {
    /// The estimate is not below 0.
    case inFavor = "for"
    /// The estimate is below 0, but its interval is not.
    case against
    /// The interval is below 0.
    case worse
    /// There is nothing to compare: a caveat, not an objection.
    case notEstimable = "not_estimable"

    /// - Parameters:
    ///   - difference: Treatment minus control, with its interval by the rule that decides.
    ///   - isForWorseAlone: Whether only an interval below 0 is an objection, and an estimate below 0 is not: if
    ///     revenue is the primary and `paid` is watched, and if the money is partial.
    public init(difference: Double, interval: Interval, isForWorseAlone: Bool = false) {
      self = interval.high < 0 ? .worse : difference < 0 && !isForWorseAlone ? .against : .inFavor
    }
  }

  /// A guardrail of a treatment (D1.9).
  public struct Guardrail: Hashable, Sendable {
    public enum State: String, Sendable {
      case holds
      case failed
      case open
    }

    public var metric: String
    public var state: State

    public init(metric: String, state: State) {
      self.metric = metric
      self.state = state
    }
  }

  /// A treatment against control.
  public struct Treatment: Hashable, Sendable {
    /// The difference in the good direction, above 0 if the treatment does better; `nil` if it cannot be estimated.
    public var gain: Double?
    /// Whether the treatment is better by the rule in force, corrected for all treatments (D1.3).
    public var isBetter = false
    public var isWorse = false
    /// Whether the whole interval is within the margin (D2.5).
    public var isSame = false
    /// Whether there are too few users or outcomes for an interval (D2.3).
    public var isWithheld = false
    /// Whether the treatment is not worse than control by more than the plan's margin (D1.11); used only with
    /// ``ExperimentDecision/Aim/notWorse``.
    public var isNotWorse = false
    public var money = Money.notEstimable
    public var guardrails: [Guardrail] = []
    /// Whether value at 12 months contradicts the primary (D6.10).
    public var longTermContradicts = false

    public init(gain: Double?) { self.gain = gain }
  }

  public enum Aim: String, CaseIterable, Sendable {
    case better
    case notWorse = "not_worse"
  }

  /// The reason why an experiment without a decision cannot be read yet (D1.8).
  public enum Unfinished: String, Sendable {
    /// Ended below 95% of its planned size (D4.4).
    case endedEarly = "ended_early"
    /// Planned for one look, which is not due yet (D4.3).
    case notYet = "not_yet"
  }

  public var outcome: Outcome
  /// The reason, such as `primary`, `watched:revenue` or `guardrail_open:refunded`.
  public var reason: String
  /// The index of the treatment that the decision is about; `nil` with ``Outcome/none``.
  public var treatment: Int?

  public init(outcome: Outcome, reason: String, treatment: Int?) {
    self.outcome = outcome
    self.reason = reason
    self.treatment = treatment
  }

  /// Decides; implements D1.1, D1.5, D1.7, D1.8 and D1.11.
  ///
  /// - Parameters:
  ///   - unreadable: The reason why there is no verdict at all, such as `sample_ratio`.
  ///   - moneyMetric: The name of the watched money metric in reasons.
  public init(
    _ treatments: [Treatment], unreadable: String? = nil, unfinished: Unfinished? = nil, aim: Aim = .better,
    moneyMetric: String = "revenue"
  ) {
    if let unreadable {
      self.init(outcome: .none, reason: unreadable, treatment: nil)
      return
    }
    guard !treatments.isEmpty else {
      self.init(outcome: .none, reason: "nothing_to_compare", treatment: nil)
      return
    }
    func largestGain(_ places: [Int]) -> [Int] {
      places.sorted { left, right in
        let (a, b) = (treatments[left].gain ?? -.infinity, treatments[right].gain ?? -.infinity)
        return a != b ? a > b : left < right
      }
    }
    let all = largestGain(Array(treatments.indices))

    // D1.5, the best treatment first; also D1.11.
    let better = all.filter { treatments[$0].isBetter }
    if let shipped = better.first(where: { Self.objection(to: treatments[$0], moneyMetric) == nil }) {
      self.init(outcome: .ship, reason: "primary", treatment: shipped)
      return
    }
    if aim == .notWorse {
      let acceptable = all.first { place in
        let treatment = treatments[place]
        return treatment.isNotWorse && treatment.money != .worse
          && treatment.guardrails.allSatisfy { $0.state == .holds } && !treatment.longTermContradicts
      }
      if let acceptable {
        self.init(outcome: .ship, reason: "not_worse", treatment: acceptable)
        return
      }
    }
    // D1.6.
    if let best = better.first, let objection = Self.objection(to: treatments[best], moneyMetric) {
      self.init(outcome: objection.outcome, reason: objection.reason, treatment: best)
      return
    }
    // D1.7.
    if all.allSatisfy({ treatments[$0].isWorse }) {
      self.init(outcome: .doNotShip, reason: "primary", treatment: all[0])
      return
    }
    if all.allSatisfy({ treatments[$0].isWorse || treatments[$0].isSame }) {
      self.init(outcome: .noDifference, reason: "primary", treatment: all[0])
      return
    }
    // D1.8, for the treatments that are still open.
    let open = all.first { !treatments[$0].isWorse && !treatments[$0].isSame } ?? all[0]
    let reason =
      treatments[open].isWithheld ? "too_few" : unfinished?.rawValue ?? "primary"
    self.init(outcome: .undecided, reason: reason, treatment: open)
  }

  /// Returns the first objection to shipping a better treatment; implements D1.6.
  private static func objection(
    to treatment: Treatment, _ moneyMetric: String
  ) -> (outcome: Outcome, reason: String)? {
    if treatment.money == .worse { return (.doNotShip, "watched:\(moneyMetric)") }
    if let failed = treatment.guardrails.first(where: { $0.state == .failed }) {
      return (.doNotShip, "guardrail:\(failed.metric)")
    }
    if treatment.money == .against { return (.undecided, "watched_open:\(moneyMetric)") }
    if let open = treatment.guardrails.first(where: { $0.state == .open }) {
      return (.undecided, "guardrail_open:\(open.metric)")
    }
    return treatment.longTermContradicts ? (.undecided, "long_term") : nil
  }
}
