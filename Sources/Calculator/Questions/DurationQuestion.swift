internal import Statistics

/// The question of how long a test takes.
public struct DurationQuestion: Sendable {
  public enum Size: Sendable {
    /// Users in all arms together, 1 or more.
    case users(Double)
    case planned(SampleSizeQuestion)
  }

  public var size: Size
  /// Users who enter the test per day, all arms together; above 0.
  public var usersPerDay: Double
  /// Days from entry to outcome, 0 or more.
  public var maturity: Double

  public init(size: Size, usersPerDay: Double, maturity: Double) {
    (self.size, self.usersPerDay, self.maturity) = (size, usersPerDay, maturity)
  }

  public var answer: Answer {
    let users: Double
    var fields: Values = [:]
    switch size {
    case .users(let given): users = given
    case .planned(let question):
      users = question.size.total
      fields = question.size.fields
    }
    // Traffic is above 0, so the test ends.
    let duration =
      testDuration(users: users, usersPerDay: usersPerDay, maturity: maturity)
      ?? TestDuration(recruitingDays: .infinity, maturingDays: maturity)
    fields["users"] = users
    fields["users_per_day"] = usersPerDay
    fields["recruiting_days"] = duration.recruitingDays
    fields["maturing_days"] = duration.maturingDays
    fields["total_days"] = duration.totalDays
    let days = NumberText.count(duration.totalDays)
    let weeks = (duration.totalDays / 7).rounded(.up) * 7
    return Answer(
      title: "Days for \(NumberText.count(users)) users at \(NumberText.count(usersPerDay)) a day",
      blocks: [
        AlignedBlock(
          alignments: [.left, .right],
          rows: [
            ["arrival", NumberText.count(duration.recruitingDays), "days until the last user enters"],
            ["maturity", NumberText.count(duration.maturingDays), "days until the last outcome is known"],
            ["together", days, "days"],
          ])
      ],
      reading: "The test can be read \(days) days after its start."
        + (weeks == duration.totalDays ? "" : " Whole weeks are safer: round up to \(NumberText.count(weeks))."),
      fields: fields)
  }
}
