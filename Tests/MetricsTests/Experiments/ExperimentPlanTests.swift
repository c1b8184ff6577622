import Basics
import Metrics
import Testing

/// The YAML of a plan: its meaning, and the errors with their place.
struct ExperimentPlanTests {
  private func plan(_ yaml: String) throws -> ExperimentPlan {
    try ExperimentPlan(yaml: yaml, experiment: "test", file: "plan.yaml")
  }

  @Test func everyKeyIsRead() throws {
    let plan = try plan(
      """
      experiment: test
      app: steps
      variants: {control: 90, new: 10}
      control: control
      start: 2026-01-05
      end: 2026-03-01T12:00:00Z
      primary: paid
      guardrails:
        - {metric: refunded, margin: 0.01}
        - {metric: revenue, relative_margin: 0.05}
      planned_users: 20000
      looks: once
      level: 0.9
      minimum_lift: 0.05
      family: [paid, revenue]
      metrics:
        - name: opened
          kind: proportion
          event: activity
          filter: {country: [NO, DE]}
          window: [1, 8]
          direction: down
      currency: eur
      aim: not_worse
      margin: 0.01
      margin_lift: 0.05
      patience_days: 28
      quiet_days: 3
      planned_on: 2026-01-01
      owner: Ada
      hypothesis: A shorter page sells more
      change: design
      shipped_on: 2026-03-02
      outcome: do_not_ship
      roles: {trial_start: guardrail}
      adjust: cuped
      cap: 89
      """)
    #expect(plan.app == "steps" && plan.control == "control" && plan.primary == "paid")
    #expect(plan.shares?.map(\.variant) == ["control", "new"] && plan.shares?.map(\.weight) == [90, 10])
    #expect(plan.start == 1_767_571_200_000 && plan.end == 1_772_366_400_000)
    #expect(plan.guardrails.map(\.margin) == [.absolute(0.01), .relative(0.05)])
    #expect(plan.plannedUsers == 20_000 && plan.looks == .once && plan.level == 0.9 && plan.minimumLift == 0.05)
    #expect(plan.family == ["paid", "revenue"])
    let metric = try #require(plan.metrics.first)
    // NO is a country here, not a boolean.
    guard case .events(let selection) = metric.source else { throw TestError("is of events") }
    #expect(selection.filters.map(\.values) == [["NO", "DE"]])
    #expect(metric.window == 86_400_000..<691_200_000 && metric.direction == .down)
    #expect(plan.currency == "EUR" && plan.aim == .notWorse && plan.margin == 0.01 && plan.marginLift == 0.05)
    #expect(plan.patienceDays == 28 && plan.quietDays == 3 && plan.plannedOn == 1_767_225_600_000)
    #expect(plan.owner == "Ada" && plan.hypothesis == "A shorter page sells more" && plan.change == .design)
    #expect(plan.shippedOn == 1_772_409_600_000 && plan.outcome == .doNotShip)
    #expect(plan.roles == ["trial_start": .guardrail] && plan.adjust == .cuped && plan.cap == 89)
  }

  @Test func aListOfVariantsHasEvenShares() throws {
    #expect(try plan("variants: [a, b, c]").shares?.map(\.weight) == [1, 1, 1])
  }

  /// An error has file, line, key, the problem and the expected value.
  @Test(arguments: [
    ("", "plan.yaml: is empty"),
    ("app: [", "plan.yaml:2: is not YAML"),
    ("app: steps\nprimry: paid", "plan.yaml:2: primry is not a key; expected one of experiment, app"),
    ("app: steps\napp: coach", "plan.yaml:1: is not YAML: the key app twice"),
    ("aim: not_worse", "plan.yaml:1: aim is not_worse, which needs a margin"),
    ("currency: dollars", "plan.yaml:1: currency is dollars, but must be a currency code such as USD"),
    ("change: colour", "plan.yaml:1: change is colour, but must be one of price, trial, plan_mix"),
    (
      "roles: {payd: goal}",
      "plan.yaml:1: roles.payd names payd, which is not a metric; expected one of trial_start, paid"
    ),
    ("experiment: other", "plan.yaml:1: experiment is other, but must be test"),
    ("start: soon", "plan.yaml:1: start is soon, but must be a day such as"),
    ("start: 2026-02-01\nend: 2026-02-01", "plan.yaml:2: end must be after start"),
    ("\nlevel: 95", "plan.yaml:2: level is 95, but must be in [0.5, 1)"),
    ("planned_users: many", "plan.yaml:1: planned_users is many, but must be a number"),
    ("planned_users: 10\nplanned_days: 10", "plan.yaml:2: planned_days cannot be combined with planned_users"),
    ("looks: weekly", "plan.yaml:1: looks is weekly, but must be one of daily, once"),
    ("variants: {a: 1}", "plan.yaml:1: variants must have two variants or more"),
    ("variants: {a: 1, b: -1}", "plan.yaml:1: variants.b is -1, but must be 0 or more"),
    ("variants: {a: 0.5, b: 0.6}", "plan.yaml:1: variants sum to 1.1, but shares below 1 are parts of 1"),
    ("variants: [a, b, a]", "plan.yaml:1: variants names a variant twice"),
    ("variants: [a, b]\ncontrol: c", "plan.yaml:2: control is c, but must be one of the variants: a, b"),
    ("primary: payed", "plan.yaml:1: primary is payed, but must be one of the metrics: trial_start, paid"),
    ("family: [paid, x]", "plan.yaml:1: family is x, but must be one of the metrics"),
    ("guardrails:\n  - {metric: paid, margin: 1, relative_margin: 0.5}", "plan.yaml:2: guardrails has both margin"),
    ("guardrails:\n  - {metric: x, margin: 1}", "plan.yaml:2: guardrails.metric is x, but must be one of the metrics"),
    ("guardrails:\n  - {metric: paid, relative_margin: 1.5}", "plan.yaml:2: guardrails.relative_margin is 1.5"),
    (
      "metrics:\n  - {name: \"revenue:USD\", kind: mean, event: activity}",
      "plan.yaml:2: metrics.name is revenue:USD, but must be a name that no other metric has"
    ),
    ("metrics:\n  - {kind: mean}", "plan.yaml:2: metrics has no name"),
    ("metrics:\n  - {name: paid, event: activity}", "plan.yaml:2: metrics.name is paid, but must be a name"),
    ("metrics:\n  - {name: x, event: click}", "plan.yaml:2: metrics.event is click, but must be one of exposure"),
    ("metrics:\n  - {name: x, event: activity, kind: sum}", "plan.yaml:2: metrics.kind is sum, but must be one of"),
    ("metrics:\n  - {name: x, event: activity, kind: mean}", "plan.yaml:2: metrics has no window"),
    ("metrics:\n  - {name: x, event: activity, kind: mean, window: [3, 2]}", "plan.yaml:2: metrics.window must be"),
    ("metrics:\n  - {name: x, event: activity, kind: ratio, window: 3}", "plan.yaml:2: metrics has no denominator"),
    (
      "metrics:\n  - {name: x, event: conversion, value: price, kind: mean, window: 3}",
      "plan.yaml:2: metrics has no currency"
    ),
    (
      "metrics:\n  - {name: x, event: activity, kind: mean, window: 3, filter: {colour: red}}",
      "plan.yaml:2: metrics.filter.colour is not a dimension"
    ),
  ])
  func mistakesAreNamedWithTheirPlace(yaml: String, message: String) throws {
    let error = #expect(throws: ConfigurationError.self) { try plan(yaml) }
    #expect(error.map { "\($0)".hasPrefix(message) } == true, "\(error.map { "\($0)" } ?? "none")")
  }
}
