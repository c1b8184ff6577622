public import ArgumentParser
public import EventModel
import Foundation
public import Lifecycle
public import Metrics

/// What every report takes, whatever it is written as.
struct ReportArguments: ParsableArguments {
  @Option(help: ArgumentHelp("One app (repeatable; default: all, each in rows of its own).", valueName: "name"))
  var app: [String] = []

  @Option(help: ArgumentHelp("First cohort day, such as 2026-03-01.", valueName: "day"))
  var from: CivilDate?

  @Option(help: ArgumentHelp("The day after the last cohort day.", valueName: "day"))
  var to: CivilDate?

  @Option(name: .customLong("timezone"), help: ArgumentHelp("Where days begin: an IANA name.", valueName: "zone"))
  var timeZone = "UTC"

  @Option(
    help: ArgumentHelp(
      "Events from this instant on do not exist, such as 2026-03-01T00:00:00Z (default: just after each app's newest).",
      valueName: "instant"))
  var asOf: InstantArgument?

  @Option(
    help: ArgumentHelp(
      "As it was known when this file had been read, or of the events received before this instant.",
      valueName: "file|instant"))
  var knownAt: String?

  @Option(help: ArgumentHelp("Days of grace after a trial or a period.", valueName: "days"))
  var grace: DaysArgument?

  @Option(help: "Which impression of the 7 days before gets the credit: last, first or all.")
  var attribution: Attribution = .last

  @Option(
    help: ArgumentHelp(
      "Rows: none, or of variant, entry_point, paywall, experiment, plan, tier, country, platform, store, app_version, "
        + "trial_kind, day, week, month, property:NAME (default: \(ReportArguments.defaults)).",
      valueName: "dims"))
  var by: String?

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Only units with one of these values (repeatable).", valueName: "dim=value[,value]"))
  var filters: [String] = []

  @Option(
    help: ArgumentHelp(
      "What money is in: native, or one currency such as USD by the payments' rates (default: USD where every payment has "
        + "a rate, else native).", valueName: "code"))
  var currency: CurrencyArgument?

  private static let defaults =
    "month for revenue, mrr, subscriptions and refunds, week for activity, none for ltv, cadence, gates and nudges, else "
    + "variant"

  mutating func validate() throws {
    if let from, let to, to <= from {
      throw ValidationError("--to is \(to), but must be after --from, \(from)")
    }
  }

  /// What may not be meant as it stands, a sentence each.
  var warnings: [String] { (try? reportOptions().filters.flatMap(\.warnings)) ?? [] }

  /// - Throws: ``ReportError`` for an unknown dimension.
  func reportOptions() throws -> ReportOptions {
    var options = ReportOptions()
    options.apps = app
    options.from = from
    options.to = to
    options.timeZone = timeZone
    options.asOf = asOf?.milliseconds
    options.attribution = attribution
    if let grace { options.grace = grace.milliseconds }
    options.currency = currency?.code
    options.isNative = currency?.isNative ?? false
    options.by = try by.map(Dimension.list)
    options.filters = try filters.map { text in
      guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
        throw UsageError("--where is \(text), but must be DIMENSION=VALUE[,VALUE]")
      }
      let values = text[text.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false)
      return try ReportOptions.Filter(String(text[..<equals]), values: values.map(String.init))
    }
    return options
  }
}

/// `native`, or an ISO 4217 code.
struct CurrencyArgument: ExpressibleByArgument {
  /// In capitals; `nil` for `native`.
  var code: String?

  var isNative: Bool { code == nil }

  init?(argument: String) {
    let code = argument.uppercased()
    guard code == "NATIVE" || (code.utf8.count == 3 && code.utf8.allSatisfy { (0x41...0x5A).contains($0) }) else {
      return nil
    }
    self.code = code == "NATIVE" ? nil : code
  }
}

/// A number of days, maybe with a fraction.
struct DaysArgument: ExpressibleByArgument {
  var milliseconds: Int64

  init?(argument: String) {
    guard let days = Double(argument), days >= 0, days <= 36_525, argument.allSatisfy({ $0.isNumber || $0 == "." })
    else { return nil }
    milliseconds = Int64((days * Double(Lifecycle.day)).rounded())
  }
}

/// An instant: RFC 3339, or a day, which is its first instant in UTC.
struct InstantArgument: ExpressibleByArgument {
  var milliseconds: Int64

  init?(argument: String) {
    guard let instant = Instant(rfc3339: argument) ?? CivilDate(argument).map(Instant.init(startOf:)) else {
      return nil
    }
    milliseconds = instant.millisecondsSince1970
  }
}

extension CivilDate: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

extension Attribution: ExpressibleByArgument {}
extension ReportOptions.Unit: ExpressibleByArgument {}
