public import Statistics

/// All tests of one app in memory: what was tried, decided and shipped, and what it adds up to (decisions D9).
public struct ProgramReport: Sendable {
  public var app: String
  /// Milliseconds since 1970.
  public var asOf: Int64
  /// In byte order of the experiments.
  public var tests: [Test]
  /// Of the tests that are shipped; `nil` where none is, or none of them has an effect.
  public var shipped: Shipped?
  /// Ended tests with a readable sample ratio.
  public var readable: Int
  /// Shipped ÷ ``readable`` (D9.7).
  public var wins: Rate
  /// Decided either way ÷ ``readable`` (D9.7).
  public var learned: Rate
  /// By kind of change, in the order of ``ExperimentPlan/Change``; those that a test has.
  public var kinds: [Kind]
  /// `nil` where no test says how many users arrive and pay.
  public var next: Next?

  /// One test of the registry (D9.1).
  public struct Test: Sendable {
    public enum State: String, Sendable {
      /// Planned; nobody is exposed yet.
      case planned
      case running
      case ended
    }

    public var experiment: String
    /// `nil` without a plan file: unplanned.
    public var plan: ExperimentPlan?
    public var state: State
    /// Exposed users of all arms.
    public var users: Int
    /// `nil` where nobody is exposed.
    public var decision: ExperimentDecision.Outcome?
    public var reason: String
    /// That the effect is of: the shipped or else the best one.
    public var variant: String?
    /// Of `paid` against control, as measured (D9.3); `nil` where it must not be read, or cannot be.
    public var effect: LogLift?
    /// E(θ), corrected for the winner's curse (D9.4).
    public var shrunken: Double?
    /// First-30-day revenue of a year's new users, as measured; `nil` where not known.
    public var annual: Double?
    public var currency: String?

    /// Given to everybody: by the plan's `shipped_on`, or by its `outcome`.
    public var isShipped: Bool { plan.map { $0.shippedOn != nil || $0.outcome == .ship } ?? false }

    /// ``annual`` scaled as the effect is (D9.5).
    public var correctedAnnual: Double? {
      guard let annual, let effect, let shrunken, effect.value != 0 else { return nil }
      return annual * (shrunken / effect.value)
    }
  }

  /// Lifts on the log scale.
  public struct Shipped: Sendable {
    public var tests: Int
    /// Shipped tests whose effect is not known.
    public var withoutEffect: Int
    public var measured: Double
    public var corrected: Double
    public var interval: Interval
    /// Sum of ``Test/correctedAnnual`` by currency.
    public var annual: [(currency: String, value: Double)]
  }

  public struct Rate: Sendable, Equatable {
    public var count: Int
    public var of: Int

    public var value: Double? { of == 0 ? nil : Double(count) / Double(of) }
    public var interval: Interval? { wilsonInterval(successes: Double(count), trials: Double(of)) }
  }

  public struct Kind: Sendable, Equatable {
    public var change: ExperimentPlan.Change
    public var wins: Rate
    /// Below this a kind's rate says nothing.
    public static let leastTests = 6

    public var isReadable: Bool { wins.of >= Self.leastTests }
  }

  /// The next test, at the traffic and the control's rate of the newest one.
  public struct Next: Sendable {
    public var experiment: String
    public var usersPerDay: Double
    public var controlRate: Double
    public var chances: NextTest
  }
}
