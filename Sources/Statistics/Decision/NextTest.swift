/// The chance that an app's next test shows a gain, by its length.
public struct NextTest: Hashable, Sendable {
  public struct Length: Hashable, Sendable {
    public var days: Int
    /// Users of both arms together.
    public var users: Double
    /// The chance that the treatment is shown to be better by the last look.
    public var chance: Double
  }

  /// 2, 4, 8 and 12 weeks.
  public let lengths: [Length]
  /// The shortest test, in days, with at least 80% of the chance of a test over a year.
  public let worthwhile: Length
  /// The number of past tests used; below ``leastTests`` they say too little about the app, and only the prior is used.
  public let tests: Int

  public static let leastTests = 6

  public var usesPriorAlone: Bool { tests < Self.leastTests }

  /// - Parameters:
  ///   - effects: The effects of all of the app's tests.
  ///   - usersPerDay: Users of both arms together, half in each.
  ///   - controlRate: Control's success rate.
  ///   - sequence: The limits that hold however often you look.
  /// - Returns: `nil` unless there are users and the rate is between 0 and 1.
  public init?(
    after effects: [LogLift], usersPerDay: Double, controlRate: Double,
    sequence: AsymptoticSequence = AsymptoticSequence()
  ) {
    guard usersPerDay > 0, controlRate > 0, controlRate < 1 else { return nil }
    let posterior = ShrunkenEffects(effects.count < Self.leastTests ? [] : effects)
    func length(_ days: Int) -> Length {
      let users = usersPerDay * Double(days)
      let arm = Proportion(successes: controlRate * users / 2, trials: users / 2)
      let chance = LogLift(arm, arm).map {
        posterior.chanceOfGain(
          standardError: $0.standardError, critical: sequence.criticalValue(units: users))
      }
      return Length(days: days, users: users, chance: chance ?? 0)
    }
    lengths = [2, 4, 8, 12].map { length(7 * $0) }
    let year = length(365)
    // The chance increases with the days.
    worthwhile = (1...365).lazy.map(length).first { $0.chance >= 0.8 * year.chance } ?? year
    tests = effects.count
  }
}
