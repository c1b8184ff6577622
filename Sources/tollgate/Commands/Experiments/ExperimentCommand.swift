public import ArgumentParser
import Foundation
import Metrics
public import Reports

struct ExperimentCommand: DatedReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "experiment", abstract: "Decide an experiment: ship, do not ship, no difference, or undecided.",
    discussion: """
      Prints on one screen what to do, what it is worth, the metrics that matter and whether the data can be trusted. \
      --all adds every metric, segment, week and check. --memo writes one page to share (html or markdown), or a \
      message for a chat (slack):

        tollgate experiment headline --memo html --output memo.html

      It works without a plan: the control is the variant control, or the first in byte order, the shares are even, \
      and the intervals hold however often you look. A plan says more, and finds differences sooner. All keys are \
      optional:

        experiment: headline        # if given, the name on the command line has to be this one
        app: steps
        owner: Dana
        hypothesis: A yearly anchor makes more viewers pay
        change: price               # price, trial, plan_mix, design, copy, placement, timing or other
        planned_on: 2026-01-02      # before a quarter of the users is exposed; else the plan does not count
        variants: {control: 50, anchor: 50}
        control: control
        start: 2026-01-05
        end: 2026-03-01
        primary: paid               # the goal: it decides
        planned_users: 20000        # or planned_days: 28
        looks: daily                # or once: one look at the planned size
        level: 0.95                 # of the intervals
        minimum_lift: 0.1           # the least lift worth having
        margin_lift: 0.1            # lifts within it count as no difference (default: minimum_lift)
        margin: 0.01                # the same in the unit of the goal, instead of margin_lift
        aim: better                 # or not_worse: ship what loses less than the margin
        patience_days: 56           # wait so long for an answer, else the advice is to stop
        quiet_days: 7               # without exposures for so long, a test has ended
        currency: USD               # of all money
        cap: 200                    # the most that a user's revenue counts; the capped revenue then decides
        adjust: none                # or cuped: adjust the goal by what users did before
        guardrails:                 # what must not get worse
          - {metric: refunded, margin: 0.01}
          - {metric: revenue, relative_margin: 0.05}
        roles: {retained: secondary}  # goal, money, long_term, guardrail or secondary
        family: [paid, revenue]     # metrics that share the error rate with the goal
        metrics:                    # of your own
          - {name: came_back, kind: proportion, event: activity, window: [1, 8]}
          - {name: exports, kind: mean, event: activity, filter: {"property:screen": export}, window: 14, cap: 50}
          - {name: usd_a_view, kind: ratio, event: conversion, value: price, currency: USD, window: 30,
             denominator: {event: paywall_impression}}
          - {name: first_gate, kind: time_to_event, event: gate_hit, window: 7, direction: down}
        shipped_on: 2026-03-05      # for the record of what was shipped
        outcome: ship               # if you decided otherwise than the readout

      --format csv and json have one row a value, with the method, the level and the numbers behind it. --by takes \
      platform, store, country, app_version, day, week, month.
      """)

  static let hasAmounts = true

  @Argument(help: "The experiment, as events name it.")
  var name: String

  @Option(help: ArgumentHelp("How the experiment was planned (YAML).", valueName: "file"), completion: .file())
  var config: String?

  @Flag(help: "Show the goal by day of data, with its always-valid interval.")
  var overTime = false

  @Option(
    help: ArgumentHelp(
      "Also write the readout as NAME.N.json to a folder, for `tollgate program --verify`.", valueName: "folder"),
    completion: .directory)
  var freeze: String?

  @Flag(help: "Show everything: all metrics, segments, weeks and checks.")
  var all = false

  @Option(help: ArgumentHelp("Write a page or message to share: html, markdown or slack.", valueName: "format"))
  var memo: Memo.Format?

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    let isForPrograms = output.format == .csv || output.format == .json
    if !isForPrograms, output.sort != nil || output.limit != nil {
      throw ValidationError("--sort and --limit are for --format csv and json of an experiment")
    }
    if freeze != nil {
      if config == nil { throw ValidationError("--freeze needs --config: the plan is frozen with the readout") }
      let isWhole =
        !overTime && memo == nil && arguments.by == nil && arguments.filters.isEmpty && arguments.from == nil
        && arguments.to == nil && arguments.knownAt == nil && arguments.currency == nil && arguments.grace == nil
      if !isWhole {
        throw ValidationError(
          "--freeze is of the whole experiment as planned: only --config, --app and --as-of may stand beside it")
      }
    }
    if memo != nil, output.format != .table || all || output.plot {
      throw ValidationError("--memo has a format of its own: leave out --format, --all and --plot")
    }
    if arguments.attribution != .last {
      throw ValidationError("--attribution is for reports: an experiment counts users by their exposure")
    }
  }

  func reporting() throws -> ReportMaker {
    let options = try arguments.reportOptions()
    var wanted = try wanted()
    let text = freeze == nil ? "" : try planText() ?? ""
    if let freeze {
      let apps = [wanted.plan.app].compactMap(\.self) + options.apps
      wanted.fixed = try FrozenReadouts.fixed(name, wanted.plan, apps: apps, in: freeze)
    }
    return { [wanted] snapshot in
      let report = try namingPlan { try Experiments.report(snapshot, options, wanted) }
      if let freeze {
        let path = try FrozenReadouts.freeze(report, plan: text, fixed: wanted.fixed, in: freeze, snapshot)
        if !common.quiet { FileHandle.standardError.write(Data("frozen: \(ReportMarkup.shown(path))\n".utf8)) }
      }
      return .readout(report)
    }
  }

  func wanted() throws -> ExperimentOptions {
    let isPage = memo == .html || memo == .markdown
    return ExperimentOptions(
      experiment: name, plan: try plan(), isOverTime: overTime || isPage, hasDataHash: isPage)
  }

  func adjust(_ options: inout RenderOptions) {
    options.isWhole = all
    options.memo = memo.map { Memo(format: $0, version: Tollgate.version, command: memoCommand($0)) }
  }

  /// The command that writes the memo again.
  private func memoCommand(_ format: Memo.Format) -> String {
    var words = ["tollgate", "experiment", name]
    for app in arguments.app { words += ["--app", app] }
    if let config { words += ["--config", config] }
    // A chat links to the page.
    return "\(CommandLineText(words + ["--memo", format == .slack ? "html" : format.rawValue]))"
  }

  /// What is wrong with the plan is said with its file.
  func namingPlan<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as ExperimentError where config != nil && error.isOfPlan {
      throw UsageError("\(config ?? ""): \(error)")
    }
  }

  private func plan() throws -> ExperimentPlan {
    guard let config, let text = try planText() else { return ExperimentPlan() }
    return try ExperimentPlan(yaml: text, experiment: name, file: config)
  }

  private func planText() throws -> String? {
    guard let config else { return nil }
    do {
      return String(decoding: try FileArgument.contents(of: config), as: UTF8.self)
    } catch {
      throw UsageError("--config \(config): cannot be read: \(error.localizedDescription)")
    }
  }
}

extension Memo.Format: ExpressibleByArgument {}
