import ArgumentParser
import Calculator

struct CalcIntervalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "interval", abstract: "Compute the interval of one rate.",
    discussion: "For example: tollgate calc interval 42/180")

  @OptionGroup var common: CommonOptions
  @OptionGroup var output: CalcOptions

  @Argument(
    help: ArgumentHelp("Successes and trials, such as 42/180.", valueName: "x/n"), transform: { try SuccessCount($0) })
  var sample: SuccessCount

  @Option(help: ArgumentHelp("Confidence level of the interval.", valueName: "share"))
  var confidence = Share(value: 0.95)

  func validate() throws { try confidence.requireInside("--confidence") }

  func run() { output.show(IntervalQuestion(sample: sample, confidence: confidence.value).answer) }
}
