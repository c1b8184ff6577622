import ArgumentParser
import Basics
import Foundation
import Metrics
import Reports

struct ViewCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "view", abstract: "Print a saved view by its name, or list saved views.",
    discussion: """
      Save the reports that you run often in a file:

        views:
          germany:
            report: funnel
            app: steps
            by: [variant]
            where: {country: DE}
            from: last 28 days
            compare: previous
            note: Does the new paywall work in Germany?
          week: {report: trials, from: last full week, chart: true}

        tollgate view germany
        tollgate view week --format csv

      Every option of the report is a key, and so are columns, note and chart (draws rates as bars and intervals; amounts \
      have none). from takes a day or a whole period: last 28 days, last 4 weeks, last full week, last full month, \
      month to date. Periods count back from the newest event, as with --last.
      """)

  @Argument(help: ArgumentHelp("Name of the view (default: list all).", valueName: "name"))
  var name: String?

  @OptionGroup var views: ViewArguments
  @OptionGroup var common: CommonOptions

  @OptionGroup(title: "Output")
  var own: OutputArguments

  /// The command line's options, then the view's.
  var output: OutputArguments {
    var output = own
    guard let view = try? view() else { return output }
    output.columns = output.columns ?? view.columns
    output.plot = output.plot || view.isDrawn && output.format == .table
    return output
  }

  func run() throws {
    if name != nil { return try run(on: common.storePath) }
    let all = try views.file(common).all()
    for view in all {
      print(ReportMarkup.shown("\(view.name): tollgate \(CommandLineText(view.words))"))
      if let note = view.note { print("  \(ReportMarkup.shown(note))") }
    }
    if all.isEmpty { print("\(path): has no views") }
  }

  func request() throws -> ReportRequest { try view().request }

  func making<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error where error is OptionError || error is ReportError {
      throw UsageError("\(path): view \(name ?? ""): \(error)")
    }
  }

  private var path: String { views.file(common).path }

  private func view() throws -> NamedReport {
    let all = try views.file(common).all()
    let name = name ?? ""
    if let view = all.first(where: { $0.name == name }) { return view }
    let names = all.map(\.name)
    if names.isEmpty { throw UsageError("\(path): has no views; see `tollgate view --help`") }
    throw UsageError(
      "\(path): there is no view \(name), only \(names.joined(separator: ", "))\(NearName.hint(name, in: names))")
  }
}
