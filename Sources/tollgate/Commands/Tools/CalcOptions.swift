import ArgumentParser
import Calculator
import Foundation

struct CalcOptions: ParsableArguments {
  @Option(help: "Output format: table, or json for a program.")
  var format = ResultFormat.table

  func show(_ answer: Answer) {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    print(format == .json ? answer.json : answer.text(width: isTerminal ? Terminal.columns ?? 80 : 80), terminator: "")
  }
}

/// The formats of a result that is one answer, for a person or a program.
enum ResultFormat: String, CaseIterable, ExpressibleByArgument {
  case table
  case json
}

/// A fraction of 1, written `0.1` or `10%`.
struct Share: ExpressibleByArgument {
  let value: Double

  init(value: Double) { self.value = value }

  init?(argument: String) {
    let isPercent = argument.hasSuffix("%")
    guard let number = Double(isPercent ? String(argument.dropLast()) : argument), number.isFinite else { return nil }
    value = isPercent ? number / 100 : number
  }

  var defaultValueDescription: String { "\(value)" }

  /// - Throws: `ValidationError` unless the share is between 0 and 1.
  func requireInside(_ option: String) throws {
    guard value > 1e-15, value < 1 - 1e-15 else {
      throw ValidationError("\(option) is \(value), but must be between 0 and 1 (or 0% and 100%)")
    }
  }
}
