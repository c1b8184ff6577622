import ArgumentParser
import Metrics

/// The command of a report whose options are all in the registry.
struct TableCommand<Report: ReportType>: RequestCommand {
  static var configuration: CommandConfiguration { Report.kind.configuration }

  @OptionGroup var common: CommonOptions
  @OptionGroup(title: "Report") var arguments: ReportArguments<Report>

  @OptionGroup(title: "Output")
  var output: OutputArguments

  var knownAt: String? { arguments.knownAt }

  func request() throws -> ReportRequest { try arguments.request() }
}

extension ReportKind {
  var configuration: CommandConfiguration {
    let lines = examples.map { "  tollgate \($0)" }.joined(separator: "\n")
    return CommandConfiguration(
      commandName: name, abstract: question, usage: "tollgate \(name) [<options>]",
      discussion: [details, lines].filter { !$0.isEmpty }.joined(separator: "\n\n"))
  }
}

enum FunnelReport: ReportType { static let kind = ReportKind.funnel }
enum PathsReport: ReportType { static let kind = ReportKind.paths }
enum TrialsReport: ReportType { static let kind = ReportKind.trials }
enum SavingsReport: ReportType { static let kind = ReportKind.savings }
enum CancellationsReport: ReportType { static let kind = ReportKind.cancellations }
enum ValueReport: ReportType { static let kind = ReportKind.value }
enum RevenueReport: ReportType { static let kind = ReportKind.revenue }
enum MRRReport: ReportType { static let kind = ReportKind.mrr }
enum SubscriptionsReport: ReportType { static let kind = ReportKind.subscriptions }
enum RetentionReport: ReportType { static let kind = ReportKind.retention }
enum LTVReport: ReportType { static let kind = ReportKind.ltv }
enum RefundsReport: ReportType { static let kind = ReportKind.refunds }
enum RecoveryReport: ReportType { static let kind = ReportKind.recovery }
enum SavesReport: ReportType { static let kind = ReportKind.saves }
enum WinbackReport: ReportType { static let kind = ReportKind.winback }
enum PaybackReport: ReportType { static let kind = ReportKind.payback }
enum CadenceReport: ReportType { static let kind = ReportKind.cadence }
enum GatesReport: ReportType { static let kind = ReportKind.gates }
enum NudgesReport: ReportType { static let kind = ReportKind.nudges }
enum ActivityReport: ReportType { static let kind = ReportKind.activity }
enum ExperimentsReport: ReportType { static let kind = ReportKind.experiments }
enum ExperimentReadoutReport: ReportType { static let kind = ReportKind.experiment }
enum PageReport: ReportType { static let kind = ReportKind.page }
