public import Statistics

/// All tests of one app: their plans, decisions and effects, and the total (decisions D9).
public struct ProgramReport: Sendable {
  public var app: String
  /// Milliseconds since 1970.
  public var asOf: Int64
  /// The tests, in byte order of the experiments.
  public var tests: [Test]
  /// The total of the shipped tests; `nil` if no test is shipped or none of them has an effect.
  public var shipped: Shipped?
  /// Number of ended tests with a readable sample ratio.
  public var readable: Int
  /// Shipped ÷ ``readable`` (Program.md, "Rates").
  public var wins: Rate
  /// Decided ÷ ``readable``: ship, do not ship or no difference.
  public var learned: Rate
  /// The kinds of change that a test has, in the order of ``ExperimentPlan/Change``.
  public var kinds: [Kind]
  /// The next test; `nil` if no test shows how many users arrive and pay.
  public var next: Next?

  /// One test: a plan, an experiment in the store, or both (Program.md, "A row").
  public struct Test: Sendable {
    public enum State: String, Sendable {
      /// Planned, with no user exposed yet.
      case planned
      case running
      case ended
    }

    public var experiment: String
    /// The plan; `nil` for an unplanned test without a plan file.
    public var plan: ExperimentPlan?
    public var state: State
    /// Exposed users of all arms.
    public var users: Int
    /// The decision; `nil` if no user is exposed.
    public var decision: ExperimentDecision.Outcome?
    public var reason: String
    /// The variant of the effect: the shipped one, or else the best one.
    public var variant: String?
    /// The effect on `paid` against control, as measured; `nil` if it must not or cannot be read.
    public var effect: LogLift?
    /// Whether too few users paid for an interval, so that ``effect`` says nothing by itself (D2.3).
    public var isOfFew = false
    /// E(θ): ``effect``, corrected for the winner's curse (Program.md, "The correction").
    public var shrunken: Double?
    /// First-30-day revenue of a year's new users, as measured; `nil` if unknown.
    public var annual: Double?
    public var currency: String?

    /// Whether the variant went to all users, by the plan's `shipped_on` or `outcome`.
    public var isShipped: Bool { plan.map { $0.shippedOn != nil || $0.outcome == .ship } ?? false }

    /// ``annual``, scaled by the ratio of the corrected to the measured effect.
    public var correctedAnnual: Double? {
      guard let annual, let effect, let shrunken, effect.value != 0 else { return nil }
      return annual * (shrunken / effect.value)
    }
  }

  /// The total of the shipped tests; lifts are on the log scale.
  public struct Shipped: Sendable {
    public var tests: Int
    /// Shipped tests with an unknown effect.
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
    /// The least number of tests for a kind's rate to have a meaning.
    public static let leastTests = 6

    public var isReadable: Bool { wins.of >= Self.leastTests }
  }

  /// The next test, at the traffic and the control rate of the newest test.
  public struct Next: Sendable {
    public var experiment: String
    public var usersPerDay: Double
    public var controlRate: Double
    public var chances: NextTest
  }
}
