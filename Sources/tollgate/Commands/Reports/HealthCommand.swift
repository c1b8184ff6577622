import ArgumentParser
import Metrics
import Reports

struct HealthCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Check data quality: gaps, missing context, rejected lines.",
    usage: "tollgate health [<options>]",
    discussion: """
      Each row is a problem, with its number of cases and the report that it affects most.

        tollgate health --app steps
        tollgate health --severity notice
      """)

  @OptionGroup var common: CommonOptions

  @Option("app", of: .health) var app: [String]

  @Option(help: "Lowest severity to list in a table: error, warning, notice or ok.")
  var severity: Severity = .warning

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func adjust(_ options: inout RenderOptions) { options.severity = severity.rawValue }

  func request() throws -> ReportRequest { try ReportRequest(.health, [.init("app", app)]) }
}

/// How bad a finding is, worst first.
enum Severity: String, CaseIterable, ExpressibleByArgument {
  case error
  case warning
  case notice
  case ok
}
