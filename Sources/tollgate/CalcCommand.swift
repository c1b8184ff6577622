import ArgumentParser
import Calculator

struct CalcCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calc", abstract: "Answers statistical requests on standard input, one JSON object a line.",
    discussion: """
      A request is {"id": …, "method": …, "input": {…}}; the answer {"id": …, "result": {…}} or \
      {"id": …, "error": …}. Methods:

      \(Calculator.methodNames.joined(separator: ", "))
      """)

  @OptionGroup var common: CommonOptions

  func run() throws {
    while let line = readLine() {
      if !line.allSatisfy(\.isWhitespace) { print(Calculator.answer(line: line)) }
    }
  }
}
