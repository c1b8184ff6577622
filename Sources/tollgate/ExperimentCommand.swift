import ArgumentParser
import Foundation
import Metrics
import Reports

struct ExperimentCommand: DatedReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "experiment", abstract: "What a test says: verdict, health, metrics by variant, and how sure.",
    discussion: """
      Without --config, everything is read off the data: the control is the variant control, or the first in byte \
      order, the shares are even, and nothing is planned, so that all verdicts hold under daily looks. A YAML file \
      says more:

        experiment: headline        # if given, the name on the command line has to be this one
        app: steps
        variants: {control: 50, anchor: 50}
        control: control
        start: 2026-01-05
        end: 2026-03-01
        primary: paid
        guardrails:
          - {metric: refunded, margin: 0.01}
          - {metric: revenue, relative_margin: 0.05}
        planned_users: 20000        # or planned_days: 28
        looks: daily                # or once
        level: 0.95
        minimum_lift: 0.1
        family: [paid, revenue]
        metrics:
          - {name: came_back, kind: proportion, event: activity, window: [1, 8]}
          - {name: exports, kind: mean, event: activity, filter: {"property:screen": export}, window: 14, cap: 50}
          - {name: usd_a_view, kind: ratio, event: conversion, value: price, currency: USD, window: 30,
             denominator: {event: paywall_impression}}
          - {name: first_gate, kind: time_to_event, event: gate_hit, window: 7, direction: down}

      --format csv and json have one row a value, with the method, the level and the numbers behind it. --by takes \
      platform, store, country, app_version, day, week, month.
      """)

  @Argument(help: "The experiment, as events name it.")
  var name: String

  @Option(help: ArgumentHelp("How the experiment was planned (YAML).", valueName: "file"), completion: .file())
  var config: String?

  @Flag(help: "The primary metric by day of data, with its always-valid band.")
  var overTime = false

  @Option(
    help: ArgumentHelp(
      "Also write the readout as NAME.N.json to a folder, for `tollgate program --verify`.", valueName: "folder"),
    completion: .directory)
  var freeze: String?

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
        !overTime && arguments.by == nil && arguments.filters.isEmpty && arguments.from == nil && arguments.to == nil
        && arguments.knownAt == nil && arguments.currency.code == nil && arguments.grace == nil
      if !isWhole {
        throw ValidationError(
          "--freeze is of the whole experiment as planned: only --config, --app and --as-of may stand beside it")
      }
    }
    if arguments.attribution != .last {
      throw ValidationError("--attribution is for reports: an experiment counts persons by their exposure")
    }
  }

  func reporting() throws -> ReportMaker {
    let options = try arguments.reportOptions()
    let wanted = try wanted()
    let text = freeze == nil ? "" : try planText() ?? ""
    return { snapshot in
      let report = try namingPlan { try Experiments.report(snapshot, options, wanted) }
      if let freeze {
        let path = try FrozenReadouts.freeze(report, plan: text, in: freeze, snapshot)
        if !common.quiet { FileHandle.standardError.write(Data("frozen: \(path)\n".utf8)) }
      }
      return .readout(report)
    }
  }

  func wanted() throws -> ExperimentOptions {
    ExperimentOptions(experiment: name, plan: try plan(), isOverTime: overTime)
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
