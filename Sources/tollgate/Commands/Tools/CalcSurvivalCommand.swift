import ArgumentParser
import Basics
import Calculator
import Foundation

struct CalcSurvivalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "survival", abstract: "Estimate the time until an event, by group, from a CSV file.",
    discussion: """
        tollgate calc survival trials.csv --horizon 10

      The file has a header with the columns time and event and, for a comparison, group. event is 1 if it happened, and 0 \
      if it had not happened when last seen. For causes that exclude each other, it is 1, 2 and so on.
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
      let reason = file == "-" ? "standard input cannot be read" : FileArgument.reason(against: file)
      throw UsageError("\(file): \(reason); expected a CSV file, or - for standard input")
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
