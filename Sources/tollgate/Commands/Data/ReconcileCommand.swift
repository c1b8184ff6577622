public import ArgumentParser
import Basics
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

      With --vendor, leads from our number to the one on a vendor's dashboard, one rule after the other; the parts add \
      up to the difference. --step lists the users whom a rule changes:

        tollgate reconcile --app steps --vendor revenuecat \\
          --metric trial_conversion --vendor-value 34.1 --last 4w
        tollgate reconcile --app steps --vendor revenuecat \\
          --metric trial_conversion --last 4w --step base

      Vendors: \(BridgeQuestion.vendors.joined(separator: ", ")). Metrics: \
      \(VendorMetric.allCases.map(\.rawValue).joined(separator: ", ")).
      """)

  @OptionGroup var common: CommonOptions

  @Option("app", of: .reconcile) var app: [String]
  @Option("from", of: .reconcile) var from: [String]
  @Option("to", of: .reconcile) var to: [String]
  @Option("last", of: .reconcile) var last: [String]

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

  @Option(help: ArgumentHelp("Vendor whose number to explain, such as revenuecat.", valueName: "name"))
  var vendor: String?

  @Option(help: ArgumentHelp("Number to explain, such as trial_conversion.", valueName: "name"))
  var metric: String?

  @Option(help: ArgumentHelp("Vendor's number as its page shows it, such as 34.1.", valueName: "number"))
  var vendorValue: String?

  @Option(help: ArgumentHelp("List the users whom this step changes, such as base.", valueName: "step"))
  var step: String?

  @Option(
    help: ArgumentHelp(
      "Days from a user's first event, for realized_ltv, conversion_to_paying and initial_conversion (default: 30).",
      valueName: "n"))
  var days: Int?

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
    let isOfVendor = vendor != nil
    if isOfVendor != (metric != nil) { throw ValidationError("give --vendor and --metric together") }
    if isOfVendor {
      if !product.isEmpty { throw ValidationError("--product is for Apple's reports: leave it out with --vendor") }
      return
    }
    let own: [(String, Bool)] = [
      ("--vendor-value", vendorValue != nil), ("--step", step != nil), ("--days", days != nil),
      ("--as-of", !asOf.isEmpty), ("--grace", !grace.isEmpty), ("--currency", !currency.isEmpty),
      ("--mode", !mode.isEmpty),
    ]
    if let name = own.first(where: \.1)?.0 { throw ValidationError("\(name) needs --vendor and --metric") }
  }

  /// Our number and a vendor's; `nil` for Apple's counts.
  private func bridge() throws -> BridgeQuestion? {
    guard let vendor, let metric else { return nil }
    let question = try BridgeQuestion(
      vendor: vendor, metric: metric, number: vendorValue, days: days ?? 30, by: by ?? .none, step: step)
    if days != nil, !question.asksForDays {
      throw UsageError("--days is \(question.days), but \(metric) does not follow users for a number of days")
    }
    return question
  }

  private var zone: String { timeZone ?? (vendor == nil ? Reconciliation.timeZone : "UTC") }

  func asked() throws -> ReportRequest {
    try ReportRequest(
      .reconcile,
      [
        .init("app", app), .init("from", from), .init("to", to), .init("last", last), .init("timezone", [zone]),
        .init("as-of", asOf), .init("grace", grace), .init("currency", currency), .init("mode", mode),
      ])
  }

  func words(_ snapshot: StoreSnapshot, currency: String?) throws -> [String] {
    let request = try asked().resolved(snapshot)
    var words = ["reconcile"] + output.words
    for app in try snapshot.apps() where request.options.apps.isEmpty || request.options.apps.contains(app.name) {
      words.append("--app=\(app.name)")
    }
    if let from = request.options.from { words.append("--from=\(from)") }
    if let to = request.options.to { words.append("--to=\(to)") }
    words += ["--timezone=\(zone)", "--by=\((by ?? (vendor == nil ? .month : .none)).rawValue)"]
    let given = [("vendor", vendor), ("metric", metric), ("vendor-value", vendorValue), ("step", step)]
    words += given.compactMap { name, value in value.map { "--\(name)=\($0)" } }
    if let days { words.append("--days=\(days)") }
    words += grace.map { "--grace=\($0)" } + mode.map { "--mode=\($0)" } + asOf.map { "--as-of=\($0)" }
    if vendor != nil, let currency { words.append("--currency=\(currency)") }
    return words + product.map { "--product=\($0)" }
  }

  func reporting() throws -> ReportMaker {
    let (request, products, bridge) = (try asked(), try products(), try bridge())
    return { [by] snapshot in
      let options = try request.resolved(snapshot).options
      return .tables([
        try bridge.map { try Bridge.report(snapshot, options, $0) }
          ?? Reconciliation.report(snapshot, options, by: by ?? .month, products: products)
      ])
    }
  }
}

extension Reconciliation.Period: ExpressibleByArgument {}
