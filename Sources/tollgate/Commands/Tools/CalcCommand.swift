import ArgumentParser
import Calculator
import Foundation

struct CalcCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calc", abstract: "Compute intervals, tests and sample sizes from counts.",
    discussion: """
        tollgate calc interval 42/180
        tollgate calc sample-size --baseline 10% --lift 20%

      Without a subcommand, answers JSON requests on standard input, one per line. The page Methods of the documentation \
      lists the methods:

        echo '{"method":"wilson","input":{"x":81,"n":1507}}' | tollgate calc
      """,
    subcommands: [
      CalcProportionsCommand.self, CalcIntervalCommand.self, CalcSampleSizeCommand.self, CalcDurationCommand.self,
      CalcSampleRatioCommand.self,
    ])

  @OptionGroup var common: CommonOptions

  func run() throws {
    if isatty(STDIN_FILENO) == 1 { throw CleanExit.helpRequest(self) }
    var isAsked = false
    while let line = readLine() {
      if line.allSatisfy(\.isWhitespace) { continue }
      isAsked = true
      print(Calculator.answer(line: line))
    }
    if !isAsked {
      throw ValidationError(
        "Standard input has no request. Write one JSON object per line, or name a subcommand such as: tollgate calc interval 42/180"
      )
    }
  }
}
