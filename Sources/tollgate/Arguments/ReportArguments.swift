public import ArgumentParser
import Basics
internal import EventModel
public import Lifecycle
import Metrics

/// A report as a type, so that its command declares the report's own options.
protocol ReportType {
  static var kind: ReportKind { get }
}

/// The options of a report on the command line: their names, help and rules are those of the registry, and those that
/// the report does not have are not shown.
struct ReportArguments<Report: ReportType>: ParsableArguments {
  @Option("app", of: Report.kind) var app: [String]
  @Option("by", of: Report.kind) var by: [String]
  @Option("where", of: Report.kind) var filters: [String]
  @Option("from", of: Report.kind) var from: [String]
  @Option("to", of: Report.kind) var to: [String]
  @Option("last", of: Report.kind) var last: [String]
  @Option("timezone", of: Report.kind) var timeZone: [String]
  @Option("as-of", of: Report.kind) var asOf: [String]

  @Option(
    help: ArgumentHelp(
      "Show what was known after this file was ingested, or before this time.",
      valueName: "file|instant"))
  var knownAt: String?

  @Option("grace", of: Report.kind) var grace: [String]
  @Option("attribution", of: Report.kind) var attribution: [String]
  @Option("currency", of: Report.kind) var currency: [String]
  @Option("unit", of: Report.kind) var unit: [String]
  @Option("horizon", of: Report.kind) var horizon: [String]
  @Option("mode", of: Report.kind) var mode: [String]
  @Option("store-fee", of: Report.kind) var storeFee: [String]
  @Option("renewal", of: Report.kind) var renewal: [String]
  @Option("date", of: Report.kind) var date: [String]
  @Option("at", of: Report.kind) var at: [String]
  @Option("campaign-property", of: Report.kind) var campaignProperty: [String]
  @Flag("predict", of: Report.kind) var predict: Bool
  @Option("grace-whatif", of: Report.kind) var graceWhatIf: [String]
  @Option("cancel-screens", of: Report.kind) var cancelScreens: [String]
  @Option("compare", of: Report.kind) var compare: [String]
  @Option("ages", of: Report.kind) var ages: [String]
  @Flag("backtest", of: Report.kind) var backtest: Bool
  @Option("every", of: Report.kind) var every: [String]
  @Flag("model", of: Report.kind) var model: Bool
  @Option("define", of: Report.kind) var define: [String]
  @Flag("by-period", of: Report.kind) var byPeriod: Bool
  @Flag("movement", of: Report.kind) var movement: Bool
  @Flag("pairs", of: Report.kind) var pairs: Bool

  /// The request that the options stand for.
  ///
  /// - Parameter own: Options that the command declares itself.
  func request(_ own: [ReportRequest.Given] = []) throws -> ReportRequest {
    func flag(_ name: String, _ isOn: Bool) -> ReportRequest.Given { .init(name, isOn ? ["true"] : []) }
    return try ReportRequest(
      Report.kind,
      own + [
        .init("app", app), .init("from", from), .init("to", to), .init("last", last), .init("timezone", timeZone),
        .init("as-of", asOf),
        .init("grace", grace), .init("attribution", attribution), .init("by", by), .init("where", filters),
        .init("currency", currency), .init("unit", unit), .init("horizon", horizon), .init("mode", mode),
        .init("store-fee", storeFee), .init("renewal", renewal), .init("date", date), .init("at", at),
        .init("campaign-property", campaignProperty), .init("cancel-screens", cancelScreens),
        .init("grace-whatif", graceWhatIf), .init("compare", compare),
        .init("ages", ages), flag("backtest", backtest), .init("every", every), flag("model", model),
        .init("define", define), flag("by-period", byPeriod),
        flag("movement", movement), flag("pairs", pairs), flag("predict", predict),
      ])
  }
}

extension Option where Value == [String] {
  /// An option of a report, hidden where the report does not have it.
  init(_ name: String, of kind: ReportKind) {
    self.init(
      wrappedValue: [], name: .customLong(name), help: kind.help(name), completion: kind.completion(name))
  }
}

extension Flag where Value == Bool {
  /// A flag of a report, hidden where the report does not have it.
  init(_ name: String, of kind: ReportKind) {
    self.init(wrappedValue: false, name: .customLong(name), help: kind.help(name))
  }
}

extension ReportKind {
  fileprivate func option(_ name: String) -> ReportOption? { options.first { $0.name == name } }

  fileprivate func help(_ name: String) -> ArgumentHelp {
    guard let option = option(name) else { return ArgumentHelp(visibility: .private) }
    return ArgumentHelp("\(option.help)", valueName: option.valueName.isEmpty ? nil : option.valueName)
  }

  fileprivate func completion(_ name: String) -> CompletionKind? {
    option(name)?.names.map { .list($0) }
  }
}

extension Attribution: ExpressibleByArgument {}

/// Reads a day where an option of a command is one itself.
func calendarDay(_ text: String) throws -> CivilDate {
  guard let day = CivilDate(text) else { throw UsageError("it must be a day of the calendar, such as 2026-03-01") }
  return day
}

/// An instant or day where an option of a command is one itself.
struct InstantArgument {
  var milliseconds: Int64

  /// - Throws: ``UsageError`` for other words.
  init(option text: String) throws {
    guard let instant = InstantArgument(argument: text) else {
      throw UsageError("it must be a day of the calendar or an instant, such as 2026-03-01T00:00:00Z")
    }
    self = instant
  }

  init?(argument: String) {
    guard let milliseconds = ReportOption.instant(argument) else { return nil }
    self.milliseconds = milliseconds
  }
}
