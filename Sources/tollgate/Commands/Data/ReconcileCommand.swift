public import ArgumentParser
public import Metrics
import Store

struct ReconcileCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "reconcile", abstract: "Compare your events with App Store Connect's own reports.",
    discussion: """
      Compares the Subscription Event and Subscriber reports of App Store Connect, once they are ingested, with the \
      trials, conversions, renewals, cancellations and refunds in your events, and shows the differences.

        tollgate ingest --app steps reports/
        tollgate reconcile --app steps --by month

      A subscription in Apple's reports is matched to a product by its name or Apple ID, or by its plan if only one \
      product has it. Where this fails, name the product with --product.
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
      "Product of a subscription in Apple's reports, by its name or Apple ID there (repeatable).",
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

  func words(_ snapshot: StoreSnapshot, currency: String?) throws -> [String] {
    let request = try asked().resolved(snapshot)
    var words = ["reconcile"] + output.words
    for app in try snapshot.apps() where request.options.apps.isEmpty || request.options.apps.contains(app.name) {
      words.append("--app=\(app.name)")
    }
    if let from = request.options.from { words.append("--from=\(from)") }
    if let to = request.options.to { words.append("--to=\(to)") }
    words += ["--timezone=\(timeZone)", "--by=\(by.rawValue)"]
    return words + product.map { "--product=\($0)" }
  }

  func reporting() throws -> ReportMaker {
    let (request, products) = (try asked(), try products())
    return { [by] in .tables([try Reconciliation.report($0, request.resolved($0).options, by: by, products: products)])
    }
  }
}

extension Reconciliation.Period: ExpressibleByArgument {}
