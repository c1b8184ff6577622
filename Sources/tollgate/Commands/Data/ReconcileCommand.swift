public import ArgumentParser
public import Metrics

struct ReconcileCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "reconcile", abstract: "The App Store's own reports beside the counts of the events.",
    discussion: """
      Sets the Subscription Event and Subscriber reports of App Store Connect, once they are ingested, beside the trials, \
      conversions, renewals, cancellations and refunds that the events come to, with the differences.

        tollgate ingest --app steps reports/
        tollgate reconcile --app steps --by month

      A subscription of the reports is the store product of its name or Apple ID, or the only one of its plan; --product \
      says which it is where neither tells.
      """)

  @OptionGroup var common: CommonOptions

  @Option("app", of: .reconcile) var app: [String]
  @Option("from", of: .reconcile) var from: [String]
  @Option("to", of: .reconcile) var to: [String]

  @Option(
    name: .customLong("timezone"),
    help: ArgumentHelp("Time zone of the reports' days: an IANA name.", valueName: "zone"))
  var timeZone = Reconciliation.timeZone

  @Option(help: "Rows: day, month or none.")
  var by: Reconciliation.Period = .month

  @Option(
    help: ArgumentHelp(
      "The store product that a subscription of the reports is, by its name or Apple ID there (repeatable).",
      valueName: "name=product"))
  var product: [String] = []

  @OptionGroup(title: "Output")
  var output: OutputArguments

  private func products() throws -> [String: String] {
    var products: [String: String] = [:]
    for pair in product {
      guard let sign = pair.lastIndex(of: "="), sign != pair.startIndex, pair.index(after: sign) != pair.endIndex else {
        throw ValidationError(
          "--product is \(pair), but must be NAME=PRODUCT, such as \"Pro Yearly=com.example.yearly\"")
      }
      products[String(pair[..<sign])] = String(pair[pair.index(after: sign)...])
    }
    return products
  }

  func validate() throws { _ = try products() }

  func asked() throws -> ReportRequest {
    try ReportRequest(
      .reconcile, [.init("app", app), .init("from", from), .init("to", to), .init("timezone", [timeZone])])
  }

  func reporting() throws -> ReportMaker {
    let (request, products) = (try asked(), try products())
    return { [by] in .tables([try Reconciliation.report($0, request.resolved($0).options, by: by, products: products)])
    }
  }
}

extension Reconciliation.Period: ExpressibleByArgument {}
