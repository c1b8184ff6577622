import ArgumentParser
import Calculator

struct CalcCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calc", abstract: "Statistics on counts: from arguments, or JSON lines on standard input.",
    discussion: """
      Without a subcommand it answers one request a line on standard input. A request is \
      {"id": …, "method": …, "input": {…}}; the answer {"id": …, "result": {…}} or {"id": …, "error": …}. Methods:

      \(Calculator.methodNames.joined(separator: ", "))

      Such as the log lifts of an app's tests, corrected for the winner's curse, and the sum of those shipped:

        echo '{"id": 1, "method": "shrunken_effects", "input": {"log_lift": [0.2, -0.05, 0.4], "se": [0.1, 0.08, 0.15],
          "shipped": [true, false, true]}}' | tr -d '\\n' | tollgate calc
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
