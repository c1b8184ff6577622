/// How likely the next test of an app shows a gain, by how long it runs.
public struct NextTest: Hashable, Sendable {
  /// One length of the test.
  public struct Length: Hashable, Sendable {
    public var days: Int
    /// Users of both arms together.
    public var users: Double
    /// That the treatment is shown to be better by the last look.
    public var chance: Double
  }

  /// 2, 4, 8 and 12 weeks.
  public let lengths: [Length]
  /// The shortest test, in days, that reaches 80 % of the chance that a year would have.
  public let worthwhile: Length
  /// The effects behind it; below ``leastTests`` they say too little about the app, and the prior alone is used.
  public let tests: Int

  public static let leastTests = 6

  public var usesPriorAlone: Bool { tests < Self.leastTests }

  /// - Parameters:
  ///   - effects: Of all tests of the app.
  ///   - usersPerDay: Of both arms together; halves go to each.
  ///   - controlRate: The share of control that succeeds.
  ///   - sequence: The limits that hold however often one looks.
  /// - Returns: `nil` unless there are users and the rate lies between 0 and 1.
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
    // The chance rises with the days.
    worthwhile = (1...365).lazy.map(length).first { $0.chance >= 0.8 * year.chance } ?? year
    tests = effects.count
  }
}
