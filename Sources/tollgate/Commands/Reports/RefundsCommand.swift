import ArgumentParser
import Metrics

struct RefundsCommand: CellReportCommand {
  static let cellReport = ExplainableReport.refunds
  static let hasAmounts = true

  static let configuration = CommandConfiguration(
    commandName: "refunds", abstract: "Payments that were given back, by their own day or by that of the refund.")

  /// Which day a refund is counted on.
  enum Day: String, ExpressibleByArgument, CaseIterable {
    case payment
    case refund
  }

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @Option(help: "Whose day counts: that of the payment (cohorts of payments) or of the refund.")
  var date: Day = .payment

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func options() throws -> ReportOptions {
    var options = try arguments.reportOptions()
    options.isByRefundDay = date == .refund
    return options
  }
}
