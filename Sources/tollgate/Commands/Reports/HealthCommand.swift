import ArgumentParser
import Metrics

struct HealthCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "How far the data bears the reports: gaps, missing context, quarantine.")

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("One app (repeatable; default: all).", valueName: "name"))
  var app: [String] = []

  @OptionGroup(title: "Output")
  var output: OutputArguments

  var options: ReportOptions {
    var options = ReportOptions()
    options.apps = app
    return options
  }

  func reporting() throws -> ReportMaker {
    let options = options
    return { .tables([try ReportCache.report(.health, $0, options)]) }
  }
}
