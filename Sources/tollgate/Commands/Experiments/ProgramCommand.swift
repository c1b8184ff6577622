import ArgumentParser
import EventModel
import Foundation
import Metrics
import Reports
import Store

struct ProgramCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "program", abstract: "Sum up all tests of an app: decisions, shipped variants and total effect.",
    discussion: """
      Reads the plans in a folder and every experiment in the store:

        tollgate program --plans plans/

      A plan is the YAML file that `tollgate experiment NAME --config FILE` takes, with experiment: NAME in it. \
      Record what became of a test there:

        experiment: headline
        owner: growth
        change: copy                # price, trial, plan_mix, design, copy,
                                    # placement, timing or other
        hypothesis: A shorter headline sells more
        planned_on: 2026-01-05
        shipped_on: 2026-03-15

      Save a readout with `tollgate experiment NAME --config FILE --freeze DIR`; --verify computes it again and shows \
      what changed.
      """)

  @OptionGroup var common: CommonOptions

  @OptionGroup var plans: PlanArguments

  @Option(
    help: ArgumentHelp("Compare the saved readouts in a folder with today's.", valueName: "folder"),
    completion: .directory)
  var verify: String?

  @Option(help: ArgumentHelp("One app (repeatable; default: all, each in a table of its own).", valueName: "name"))
  var app: [String] = []

  @Option(
    help: ArgumentHelp(
      "Use only events before this time, such as 2026-03-01T00:00:00Z (default: all).",
      valueName: "instant"), transform: { try InstantArgument(option: $0) })
  var asOf: InstantArgument?

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if verify != nil, plans.folder != nil || !app.isEmpty || asOf != nil {
      throw ValidationError(
        "--verify takes apps, plans and instants from the saved readouts: leave out --app, --plans and --as-of")
    }
  }

  func asked() throws -> ReportRequest {
    var request = ReportRequest(.experiment)
    request.options.apps = app
    request.options.asOf = asOf?.milliseconds
    // Plans have metrics and starts of their own, and what is verified is known by a hash of its events.
    request.experiment.hasDataHash = verify != nil || plans.folder != nil
    return request
  }

  func words(_ snapshot: StoreSnapshot, currency: String?) throws -> [String] {
    if let verify {
      return ["program"] + output.words + ["--verify=\(URL(fileURLWithPath: verify).standardizedFileURL.path)"]
    }
    let apps = try snapshot.apps().map(\.name).filter { app.isEmpty || app.contains($0) }
    let instant = asOf.map { "--as-of=\(Instant(millisecondsSince1970: $0.milliseconds))" }
    return ["program"] + output.words + apps.map { "--app=\($0)" } + [instant].compactMap(\.self)
      + plans.words
  }

  func check() throws {
    _ = try verify.map { try FrozenReadouts.all(in: $0) }
    _ = try plans.files()
  }

  func report(_ snapshot: StoreSnapshot) throws -> FinishedReport {
    if let verify { return .tables([try FrozenReadouts.table(FrozenReadouts.all(in: verify), snapshot)]) }
    let reports = try Program.reports(snapshot, asked().options, plans: plans.files())
    if output.format == .csv || output.format == .json { return .tables([programRows(reports)]) }
    return .tables(reports.isEmpty ? [emptyProgram] : reports.map(programTable))
  }
}
