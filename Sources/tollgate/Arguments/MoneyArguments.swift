public import ArgumentParser
public import Metrics

/// What reports of money take beyond others (definitions 7.1).
struct MoneyArguments: ParsableArguments {
  @Option(help: "What counts: gross, net of refunds, or proceeds after tax and commission.")
  var mode: ReportOptions.Mode = .net

  @Option(
    help: ArgumentHelp(
      "The commission of payments that record none, for proceeds, such as 0.15.", valueName: "share"))
  var storeFee: ExactShare = .none

  func add(to options: inout ReportOptions) {
    options.mode = mode
    options.storeFee = storeFee
  }
}

extension ReportOptions.Mode: ExpressibleByArgument {}

extension ExactShare: ExpressibleByArgument {
  public init?(argument: String) {
    guard argument.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let share = Double(argument) else {
      return nil
    }
    self.init(share)
  }
}
