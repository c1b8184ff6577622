import ArgumentParser
import Calculator

struct CalcCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calc", abstract: "Compute intervals, tests and sample sizes from counts.",
    discussion: """
      Without a subcommand, answers JSON requests on standard input, one per line. A request is \
      {"id": …, "method": …, "input": {…}}; the answer {"id": …, "result": {…}} or {"id": …, "error": …}. Methods:

      \(Calculator.methodNames.joined(separator: ", "))

      Examples of requests about experiments; Methods.md explains the fields:

      \(Calculator.experimentExamples.joined(separator: "\n\n"))
      """,
    subcommands: [
      CalcProportionsCommand.self, CalcIntervalCommand.self, CalcSampleSizeCommand.self, CalcDurationCommand.self,
      CalcSampleRatioCommand.self, CalcSurvivalCommand.self,
    ])

  @OptionGroup var common: CommonOptions

  func run() throws {
    while let line = readLine() {
      if !line.allSatisfy(\.isWhitespace) { print(Calculator.answer(line: line)) }
    }
  }
}
