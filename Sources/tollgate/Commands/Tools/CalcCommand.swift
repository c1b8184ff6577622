import ArgumentParser
import Calculator

struct CalcCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calc", abstract: "Statistics on counts: from arguments, or JSON lines on standard input.",
    discussion: """
      Without a subcommand it answers one request a line on standard input. A request is \
      {"id": …, "method": …, "input": {…}}; the answer {"id": …, "result": {…}} or {"id": …, "error": …}. Methods:

      \(Calculator.methodNames.joined(separator: ", "))

      Requests about experiments, for example; Methods.md explains the fields:

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
