import ArgumentParser
import Metrics
import Reports

struct HealthCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Check data quality: gaps, missing context, rejected lines.")

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("One app (repeatable; default: all).", valueName: "name"))
  var app: [String] = []

  @Option(help: "Lowest severity to list in a table: error, warning, notice or ok.")
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
