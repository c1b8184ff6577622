import ArgumentParser
import Calculator

struct CalcProportionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "proportions", abstract: "Compare the conversion rates of two arms.",
    discussion: "For example: tollgate calc proportions --control 8502/44700 --treatment 8279/45489")

  @OptionGroup var common: CommonOptions
  @OptionGroup var output: CalcOptions

  @Option(
    help: ArgumentHelp("Conversions and users, such as 8502/44700.", valueName: "x/n"),
    transform: { try SuccessCount($0) })
  var control: SuccessCount

  @Option(
    help: ArgumentHelp("Conversions and users, such as 8502/44700.", valueName: "x/n"),
    transform: { try SuccessCount($0) })
  var treatment: SuccessCount

  @Option(help: ArgumentHelp("Confidence level of the intervals.", valueName: "share"))
  var confidence = Share(value: 0.95)

  @Option(help: ArgumentHelp("Largest acceptable loss of the treatment.", valueName: "share"))
  var margin: Share?

  @Option(
    help: ArgumentHelp(
      "Number of users at which the interval at any look is narrowest. Choose it before the test starts.",
      valueName: "n"))
  var planned = 5_000

  func validate() throws {
    try confidence.requireInside("--confidence")
    try margin?.requireInside("--margin")
    guard planned >= 1 else { throw ValidationError("--planned is \(planned), but must be at least 1") }
  }

  func run() {
    output.show(
      ProportionsQuestion(
        control: control, treatment: treatment, confidence: confidence.value, margin: margin?.value,
        plannedUsers: Double(planned)
      ).answer)
  }
}
