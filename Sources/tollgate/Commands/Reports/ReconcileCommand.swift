public import ArgumentParser
public import Metrics
import Store

struct ReconcileCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "reconcile", abstract: ReportKind.reconcile.question,
    discussion: """
      Compares the Subscription Event and Subscriber reports of App Store Connect, once they are ingested, with the \
      trials, conversions, renewals, cancellations and refunds in your events, and shows the differences.

        tollgate ingest --app steps reports/
        tollgate reconcile --app steps --by month

      A subscription in Apple's reports is matched to a product by its name or Apple ID, or by its plan if only one \
      product has it. Where this fails, name the product with --product.

      With --vendor, explains rule by rule why a vendor's dashboard shows a different number; the parts add up to the \
      difference. --step lists the users affected by a rule:

        tollgate reconcile --app steps --vendor revenuecat \\
          --metric trial_conversion --vendor-value 34.1 --last 4w
        tollgate reconcile --app steps --vendor revenuecat \\
          --metric trial_conversion --last 4w --step base

      --where filters both sides alike, as on the vendor's dashboard: --where country=DE.

      Vendors: \(BridgeQuestion.vendors.joined(separator: ", ")). Metrics: \
      \(VendorMetric.allCases.map(\.rawValue).joined(separator: ", ")).
      """)

  @OptionGroup var common: CommonOptions

  @Option("app", of: .reconcile) var app: [String]
  @Option("from", of: .reconcile) var from: [String]
  @Option("to", of: .reconcile) var to: [String]
  @Option("last", of: .reconcile) var last: [String]
  @Option("where", of: .reconcile) var filters: [String]

  @Option(
    name: .customLong("timezone"),
    help: ArgumentHelp(
      "Time zone of days, an IANA name (default: \(Reconciliation.timeZone), as in Apple's reports; UTC with --vendor).",
      valueName: "zone"))
  var timeZone: String?

  @Option(
    help: ArgumentHelp("Rows: day, month or none (default: month; none with --vendor).", valueName: "period"))
  var by: Reconciliation.Period?

  @Option(
    help: ArgumentHelp(
      "Product of a subscription in Apple's reports, by its name or Apple ID there (repeatable).",
      valueName: "name=product"))
  var product: [String] = []

  @Option("vendor", of: .reconcile) var vendor: [String]
  @Option("metric", of: .reconcile) var metric: [String]
  @Option("vendor-value", of: .reconcile) var vendorValue: [String]
  @Option("step", of: .reconcile) var step: [String]
  @Option("days", of: .reconcile) var days: [String]
  @Option("as-of", of: .reconcile) var asOf: [String]
  @Option("grace", of: .reconcile) var grace: [String]
  @Option("currency", of: .reconcile) var currency: [String]
  @Option("mode", of: .reconcile) var mode: [String]

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

  func validate() throws {
    _ = try products()
    if !vendor.isEmpty, !product.isEmpty {
      throw ValidationError("--product is for Apple's reports: leave it out with --vendor")
    }
    let own = [("--where", filters), ("--as-of", asOf), ("--grace", grace), ("--currency", currency), ("--mode", mode)]
    if vendor.isEmpty, let name = own.first(where: { !$0.1.isEmpty })?.0 {
      throw ValidationError("\(name) needs --vendor and --metric")
    }
  }

  var warnings: [String] { (try? asked().warnings) ?? [] }

  private var zone: String { timeZone ?? (vendor.isEmpty ? Reconciliation.timeZone : "UTC") }
  private var period: Reconciliation.Period { by ?? (vendor.isEmpty ? .month : .none) }

  /// The options of the registry that are not those of both of its reports.
  private var ofVendor: [ReportRequest.Given] {
    [
      .init("vendor", vendor), .init("metric", metric), .init("vendor-value", vendorValue), .init("step", step),
      .init("days", days), .init("where", filters), .init("as-of", asOf), .init("grace", grace), .init("mode", mode),
    ]
  }

  func asked() throws -> ReportRequest {
    try ReportRequest(
      .reconcile,
      [
        .init("app", app), .init("from", from), .init("to", to), .init("last", last), .init("timezone", [zone]),
        .init("currency", currency),
      ] + ofVendor)
  }

  func words(_ snapshot: StoreSnapshot, currency: String?) throws -> [String] {
    let request = try asked().resolved(snapshot)
    var words = ["reconcile"] + output.words
    for app in try snapshot.apps() where request.options.apps.isEmpty || request.options.apps.contains(app.name) {
      words.append("--app=\(app.name)")
    }
    if let from = request.options.from { words.append("--from=\(from)") }
    if let to = request.options.to { words.append("--to=\(to)") }
    words += ["--timezone=\(zone)", "--by=\(period.rawValue)"]
    words += ofVendor.flatMap { item in item.texts.map { "--\(item.option)=\($0)" } }
    if !vendor.isEmpty, let currency { words.append("--currency=\(currency)") }
    return words + product.map { "--product=\($0)" }
  }

  func check() throws {
    _ = try products()
    _ = try asked().bridge.question(by: period)
  }

  func report(_ snapshot: StoreSnapshot) throws -> FinishedReport {
    let request = try asked()
    let options = try request.resolved(snapshot).options
    if let question = try request.bridge.question(by: period) {
      return .tables([try Bridge.report(snapshot, options, question)])
    }
    return .tables([try Reconciliation.report(snapshot, options, by: period, products: products())])
  }
}

extension Reconciliation.Period: ExpressibleByArgument {}
