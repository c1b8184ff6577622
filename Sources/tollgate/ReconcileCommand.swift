import ArgumentParser
import EventModel
import Metrics

struct ReconcileCommand: ReportingCommand {
  enum Period: String, CaseIterable, ExpressibleByArgument {
    case day
    case month
    case none
  }

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

  @Option(help: ArgumentHelp("One app (repeatable; default: all).", valueName: "name"))
  var app: [String] = []

  @Option(help: ArgumentHelp("First day of the reports, such as 2026-03-01.", valueName: "day"))
  var from: String?

  @Option(help: ArgumentHelp("The day after the last.", valueName: "day"))
  var to: String?

  @Option(help: ArgumentHelp("The IANA time zone of the reports' days.", valueName: "zone"))
  var timezone = Reconciliation.timeZone

  @Option(help: "Rows: day, month or none.")
  var by: Period = .month

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

  private func date(_ text: String?, _ option: String) throws -> CivilDate? {
    guard let text else { return nil }
    guard let date = CivilDate(text) else {
      throw ValidationError("\(option) is \(text), but must be a day such as 2026-03-01")
    }
    return date
  }

  func validate() throws {
    _ = try products()
    if let from = try date(from, "--from"), let to = try date(to, "--to"), to <= from {
      throw ValidationError("--to is \(to), but must be after --from, which is \(from)")
    }
  }

  func reporting() throws -> ReportMaker {
    var options = ReportOptions()
    options.apps = app
    options.from = try date(from, "--from")
    options.to = try date(to, "--to")
    options.timeZone = timezone
    let products = try products()
    let by = Reconciliation.Period(rawValue: by.rawValue) ?? .month
    return { .tables([try Reconciliation.report($0, options, by: by, products: products)]) }
  }
}
