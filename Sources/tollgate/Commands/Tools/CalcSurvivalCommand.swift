import ArgumentParser
import Basics
import Calculator
import Foundation

struct CalcSurvivalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "survival", abstract: "Estimate the time until an event, by group, from a CSV file.",
    discussion: """
      The header has the columns time and event and, for a comparison, group. An event is 0 (none yet when last seen) or \
      1; for causes that exclude each other it is 1, 2, … For example: tollgate calc survival trials.csv --horizon 10
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var output: CalcOptions

  @Argument(help: ArgumentHelp("CSV file, or - for standard input.", valueName: "file"), completion: .file())
  var file: String

  @Option(help: ArgumentHelp("Time of the comparison (default: the earliest last time of a group).", valueName: "time"))
  var horizon: Double?

  @Option(help: ArgumentHelp("Confidence level of the intervals.", valueName: "share"))
  var confidence = Share(value: 0.95)

  func validate() throws {
    try confidence.requireInside("--confidence")
    if let horizon, !(horizon >= 0 && horizon <= 1e100) {
      throw ValidationError("--horizon is \(horizon), but must be a number, 0 or more")
    }
  }

  func run() throws {
    let data: Data
    do {
      data = try FileArgument.contents(ofFileOrInput: file)
    } catch {
      throw UsageError(
        "\(file): cannot be read: \(error.localizedDescription); name a CSV file, or - for standard input")
    }
    let table: SurvivalTable
    do {
      table = try SurvivalTable(csv: String(decoding: data, as: UTF8.self))
    } catch {
      throw UsageError("\(file): \(error)")
    }
    output.show(SurvivalQuestion(table: table, confidence: confidence.value, horizon: horizon).answer)
  }
}
