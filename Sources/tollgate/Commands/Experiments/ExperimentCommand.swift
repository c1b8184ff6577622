public import ArgumentParser
import Basics
import Foundation
import Metrics
public import Reports
import Store

struct ExperimentCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "experiment", abstract: "Decide an experiment: ship, do not ship, no difference, or undecided.",
    discussion: """
      Prints what to do, what it is worth, the metrics that matter, and whether you can trust the data. \
      --all adds every metric, segment, week and check; --section prints only the parts you name, such as health: how \
      many users each variant has, and whether you can trust the split. --memo writes one page to share (html or \
      markdown), or a chat message (slack):

        tollgate experiment headline
        tollgate experiment headline --section health
        tollgate experiment headline --memo html --output memo.html

      You do not need a plan. Without one, the control is the variant named control, or else the first \
      alphabetically; an even split is assumed, and intervals hold however often you look. With a plan, intervals \
      are narrowest near the planned number of users, and wider long before it. All keys are optional:

        experiment: headline        # must match the name on the command line
        app: steps
        owner: Dana
        hypothesis: A yearly anchor makes more viewers pay
        change: price               # price, trial, plan_mix, design, copy,
                                    # placement, timing or other
        planned_on: 2026-01-02      # before a quarter of the users joined
        variants: {control: 50, anchor: 50}
        control: control
        start: 2026-01-05
        end: 2026-03-01
        primary: paid               # the goal, which decides
        planned_users: 20000        # or planned_days: 28
        looks: daily                # or once: one look at the planned size
        level: 0.95                 # confidence level
        minimum_lift: 0.1           # the smallest lift worth having
        margin_lift: 0.1            # no difference: within ± this (or minimum_lift)
        margin: 0.01                # or the same in the unit of the goal
        aim: better                 # or not_worse: ship if worse by at most margin
        patience_days: 56           # advise stopping if an answer takes longer
        quiet_days: 7               # ended after this many days without exposures
        currency: USD               # of all money
        cap: 200                    # maximum revenue counted per user
        adjust: none                # or cuped: adjust by what users did before
        guardrails:                 # what must not get worse
          - {metric: retained, margin: 0.05}
          - {metric: revenue, relative_margin: 0.05}
        roles: {retained: secondary}  # or goal, money, long_term, guardrail
        family: [paid, revenue]     # metrics that share the error rate with the goal
        metrics:                    # your own metrics
          - {name: came_back, kind: proportion, event: activity, window: [1, 8]}
          - {name: exports, kind: mean, event: activity, window: 14, cap: 50,
             filter: {"property:screen": export}}
          - {name: usd_a_view, kind: ratio, event: conversion, value: price,
             currency: USD, window: 30, denominator: {event: paywall_impression}}
          - {name: first_gate, kind: time_to_event, event: gate_hit, window: 7,
             direction: down}
          - {name: sheet, path: checkout, step: sheet}  # or measure: hours
        paths: {}                   # paths of your own, as for `tollgate paths`
        shipped_on: 2026-03-05      # for the record of what was shipped
        outcome: ship               # your decision, if it differs from the readout's

      --format csv and json have one row per value, with the method, the level and the numbers behind it. --by takes \
      platform, store, country, app_version, day, week, month, quarter, year.
      """)

  @Argument(help: "Name of the experiment in the events; without it, the store's experiments are listed.")
  var name: String?

  @Option(help: ArgumentHelp("Plan of the experiment (YAML).", valueName: "file"), completion: .file())
  var config: String?

  @Flag("over-time", of: .experiment) var overTime: Bool

  @Option(
    help: ArgumentHelp(
      "Also save the readout to a folder as NAME.N.json, for `tollgate program --verify`.", valueName: "folder"),
    completion: .directory)
  var freeze: String?

  @Flag(
    name: [.customLong("all"), .customLong("more")], help: "Show everything: all metrics, segments, weeks and checks.")
  var all = false

  @Option(
    help: ArgumentHelp("Print only these sections of --all: \(ExperimentPart.list).", valueName: "a,b"),
    completion: .list(ExperimentPart.allCases.map(\.rawValue)))
  var section: String?

  @Option(help: ArgumentHelp("Write a page or message to share: html, markdown or slack.", valueName: "format"))
  var memo: Memo.Format?

  @OptionGroup var common: CommonOptions
  @OptionGroup(title: "Report") var arguments: ReportArguments<ExperimentReadoutReport>

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    let isForPrograms = output.format == .csv || output.format == .json
    if !isForPrograms, output.sort != nil || output.limit != nil || output.columns != nil {
      throw ValidationError(
        "--sort, --limit and --columns of an experiment need --format csv or json; --all prints every metric")
    }
    if freeze != nil {
      if config == nil { throw ValidationError("--freeze needs --config, as the plan is saved with the readout") }
      let isWhole =
        !overTime && memo == nil && arguments.by.isEmpty && arguments.filters.isEmpty && arguments.from.isEmpty
        && arguments.to.isEmpty && arguments.knownAt == nil && arguments.currency.isEmpty && arguments.grace.isEmpty
      if !isWhole {
        throw ValidationError(
          "--freeze saves the experiment as planned: it can be combined only with --config, --app and --as-of")
      }
    }
    if memo != nil, output.format != .table || all || output.plot || section != nil {
      throw ValidationError("--memo cannot be combined with --format, --all, --section or --plot")
    }
    if section != nil {
      if all { throw ValidationError("--section prints parts of --all: use one or the other") }
      if output.format != .table, output.format != .markdown {
        throw ValidationError("--section needs --format table or markdown; the other formats have every section")
      }
      _ = try parts()
    }
  }

  var knownAt: String? { arguments.knownAt }

  func request() throws -> ReportRequest {
    var request = try arguments.request([.init("name", [name ?? ""])])
    let isPage = memo == .html || memo == .markdown
    request.experiment.plan = try plan()
    request.experiment.isOverTime = overTime || isPage
    request.experiment.hasDataHash = isPage
    if let freeze {
      let apps = [request.experiment.plan.app].compactMap(\.self) + request.options.apps
      request.experiment.fixed = try FrozenReadouts.fixed(name ?? "", request.experiment.plan, apps: apps, in: freeze)
    }
    return request
  }

  var fileWords: [String] {
    config.map { ["--config=\(URL(fileURLWithPath: $0).standardizedFileURL.path)"] } ?? []
  }

  func asked() throws -> ReportRequest {
    var request = try request()
    // A frozen readout is identified by a hash of its events.
    if freeze != nil { request.experiment.hasDataHash = true }
    return request
  }

  func words(_ snapshot: StoreSnapshot, currency: String?) throws -> [String] {
    let request = try request()
    var own = output.words + (try knownAtWords(snapshot)) + fileWords
    if overTime { own.append("--over-time") }
    return request.kind.words(try request.spelledOut(snapshot, currency: nil), own: own)
  }

  func report(_ snapshot: StoreSnapshot) throws -> FinishedReport {
    let request = try request()
    let finished = try making { try request.run(snapshot) }
    if let freeze, case .readout(let report) = finished {
      let path = try FrozenReadouts.freeze(
        report, plan: planText() ?? "", fixed: request.experiment.fixed, in: freeze, snapshot)
      if !common.quiet { FileHandle.standardError.write(Data("frozen: \(ReportMarkup.shown(path))\n".utf8)) }
    }
    return finished
  }

  /// An option of the readout alone that is given.
  var ownOutput: String? {
    let given = [
      ("--freeze", freeze != nil), ("--memo", memo != nil), ("--all", all), ("--section", section != nil),
      ("--over-time", overTime),
    ]
    return given.first { $0.1 }?.0
  }

  func adjust(_ options: inout RenderOptions) {
    options.parts = all ? Set(ExperimentPart.allCases) : ((try? parts()) ?? [])
    options.hasVerdict = section == nil
    options.memo = memo.map { Memo(format: $0, version: Tollgate.version, command: memoCommand($0)) }
  }

  private func parts() throws -> Set<ExperimentPart> {
    let names = section?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
    return Set(
      try names.map { name in
        if let part = ExperimentPart(rawValue: name) { return part }
        let hint = NearName.hint(name, in: ExperimentPart.allCases.map(\.rawValue))
        throw ValidationError(
          "--section has \(name.isEmpty ? "an empty name" : name), but must name some of \(ExperimentPart.list)\(hint)")
      })
  }

  /// The command that writes the memo again.
  private func memoCommand(_ format: Memo.Format) -> String {
    var words = ["tollgate", "experiment", name ?? ""]
    for app in arguments.app { words += ["--app", app] }
    if let config { words += ["--config", config] }
    words += arguments.filters.flatMap { ["--where", $0] }
    for (option, days) in [("--from", arguments.from), ("--to", arguments.to), ("--last", arguments.last)] {
      words += days.flatMap { [option, $0] }
    }
    // A chat links to the page.
    return "\(CommandLineText(words + ["--memo", format == .slack ? "html" : format.rawValue]))"
  }

  /// Names the plan's file where an error is about the plan.
  func making<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as ExperimentError where config != nil && error.isOfPlan {
      throw UsageError("\(config ?? ""): \(error)")
    }
  }

  private func plan() throws -> ExperimentPlan {
    guard let config, let text = try planText() else { return ExperimentPlan() }
    return try ExperimentPlan(yaml: text, experiment: name ?? "", file: config)
  }

  private func planText() throws -> String? {
    guard let config else { return nil }
    do {
      return String(decoding: try FileArgument.contents(of: config), as: UTF8.self)
    } catch {
      throw UsageError("--config \(config): \(FileArgument.reason(against: config))")
    }
  }
}

extension Memo.Format: ExpressibleByArgument {}
