import ArgumentParser
import Metrics
import Reports
import Store

struct ExperimentsCommand: DatedReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "experiments", abstract: "List experiments with their verdicts.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if arguments.currency?.code != nil {
      throw ValidationError("experiments does not accept --currency: it has no amounts")
    }
    if arguments.attribution != .last {
      throw ValidationError("experiments does not accept --attribution: it counts users by their exposure")
    }
    if arguments.by != nil { throw ValidationError("experiments does not accept --by: each row is an experiment") }
  }

  func reporting() throws -> ReportMaker {
    let options = try arguments.reportOptions()
    return { .tables([try ReportCache.report(.experiments, $0, options)]) }
  }

  /// Tables have the verdicts, too.
  func printing() throws -> ReportMaker {
    guard output.format == .table || output.format == .markdown else { return try reporting() }
    let options = try arguments.reportOptions()
    return { snapshot in
      let list = try ReportCache.report(.experiments, snapshot, options)
      return .tables([experimentOverview(list, try Self.readouts(list, snapshot, options))])
    }
  }

  /// Every experiment read out but those of many variants, whose comparisons take long.
  private static func readouts(
    _ list: Report, _ snapshot: StoreSnapshot, _ options: ReportOptions
  ) throws -> [ExperimentReport] {
    var names: [String] = []
    for row in list.rows {
      guard case .text(let name) = row[1], case .text(let variants) = row[2], !names.contains(name),
        variants.count(where: { $0 == "," }) < mostVariants
      else { continue }
      names.append(name)
    }
    do {
      return try names.map { try Experiments.report(snapshot, options, ExperimentOptions(experiment: $0)) }
    } catch ExperimentError.unsupportedDimension {
      return []
    }
  }

  private static let mostVariants = 20
}
