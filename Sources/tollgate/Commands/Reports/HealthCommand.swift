import ArgumentParser
import Metrics
import Reports

struct HealthCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "How far the data bears the reports: gaps, missing context, quarantine.")

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("One app (repeatable; default: all).", valueName: "name"))
  var app: [String] = []

  @Option(help: "With tables: list findings from this severity on: error, warning, notice or ok.")
  var severity: Severity = .warning

  @OptionGroup(title: "Output")
  var output: OutputArguments

  var options: ReportOptions {
    var options = ReportOptions()
    options.apps = app
    return options
  }

  func adjust(_ options: inout RenderOptions) { options.severity = severity.rawValue }

  func reporting() throws -> ReportMaker {
    let options = options
    return { .tables([try ReportCache.report(.health, $0, options)]) }
  }
}

/// How bad a finding is, worst first.
enum Severity: String, CaseIterable, ExpressibleByArgument {
  case error
  case warning
  case notice
  case ok
}
