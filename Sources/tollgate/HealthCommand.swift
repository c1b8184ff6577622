import ArgumentParser
import Metrics
import Store

struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "How far the data bears the reports: gaps, missing context, quarantine.")

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("One app (repeatable; default: all).", valueName: "name"))
  var app: [String] = []

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func run() throws {
    var options = ReportOptions()
    options.apps = app
    let store = try Store.open(readOnly: common.storePath)
    try output.write(try store.read { try Health.report($0, options) })
  }
}
