import ArgumentParser
import Calculator

struct CalcDurationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "duration", abstract: "Compute how many days a test takes.",
    discussion: """
      For example:

        tollgate calc duration --users 7682 --per-day 400 --maturity 10
        tollgate calc duration --baseline 10% --lift 20% --per-day 400 --maturity 10
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var output: CalcOptions

  @Option(
    help: ArgumentHelp(
      "Users needed in all arms together. Without it, give the options of sample-size.", valueName: "n"))
  var users: Int?

  @Option(help: ArgumentHelp("Users who enter the test per day, all arms together.", valueName: "number"))
  var perDay: Double

  @Option(help: ArgumentHelp("Days until a user's outcome is known: trial length and grace.", valueName: "days"))
  var maturity = 0.0

  @OptionGroup var effect: EffectArguments

  func validate() throws {
    guard perDay > 0, perDay <= 1e12 else { throw ValidationError("--per-day is \(perDay), but must be above 0") }
    try require("--maturity", maturity, in: 0...36_500)
    if let users {
      guard (1...1_000_000_000_000).contains(users) else {
        throw ValidationError("--users is \(users), but must be at least 1")
      }
      guard !effect.isGiven else { throw ValidationError("--users cannot be combined with --baseline or --mean") }
    } else {
      guard effect.isGiven else {
        throw ValidationError("give --users, or --baseline or --mean with the effect to detect")
      }
      _ = try effect.question()
    }
  }

  func run() throws {
    let size: DurationQuestion.Size = try users.map { .users(Double($0)) } ?? .planned(effect.question())
    output.show(DurationQuestion(size: size, usersPerDay: perDay, maturity: maturity).answer)
  }
}
