import Metrics

/// How a table shows a column.
struct ShownColumn {
  enum Style: Hashable {
    /// With the bounds that the column has.
    case plain
    case withoutBounds
    /// From this rate to that of another column.
    case range(to: String)
    /// A count that rows without any have none of.
    case noneForZero
    /// An amount that is taken away.
    case negative
    /// A difference of shares, in points.
    case points
  }

  /// The identifier, as CSV has it.
  var name: String
  var heading: String
  /// The heading in a narrow window.
  var short: String
  var style = Style.plain

  init(_ name: String, _ heading: String, _ style: Style = .plain, short: String? = nil) {
    (self.name, self.heading, self.style, self.short) = (name, heading, style, short ?? heading)
  }
}

/// What a table of a report shows unless other columns are asked for.
struct ReportLook {
  enum Totals {
    case none
    case sums
    /// Sums, but for columns that are states at the end of a period.
    case sumsOfMovements
  }

  var title: String
  /// `nil` for all columns of the report.
  var core: [ShownColumn]?
  var totals = Totals.none
  /// Whether the definition is what the table is read with.
  var definesItself = false
  /// Whether the rows stay in the report's order.
  var keepsOrder = true

  init(_ report: Report) {
    let mode = report.parameters.first { $0.name == "mode" }?.value ?? "net"
    func ages(_ prefix: String) -> [String] {
      report.columns.filter { $0.kind == .rate && $0.name.hasPrefix(prefix) }.map {
        String($0.name.dropFirst(prefix.count))
      }
    }
    switch report.name {
    case "funnel":
      self.init(
        "Funnel", .sums,
        [
          ShownColumn("users", "viewers"), ShownColumn("trial_rate", "started a trial"),
          ShownColumn("trial_to_paid_rate", "paid after trial"), ShownColumn("paid_rate", "paid, in all"),
        ])
    case "trials":
      self.init(
        "Trials", .sums,
        [
          ShownColumn("trials", "trials"), ShownColumn("matured", "over"), ShownColumn("matured_converted", "paid"),
          ShownColumn("trial_to_paid_rate", "of those over"),
          ShownColumn("floor_rate", "can end at", .range(to: "ceiling_rate")),
          ShownColumn("cancel_rate", "cancelled", .withoutBounds),
        ])
    case "savings":
      self.init(
        "Savings", .sums,
        [
          ShownColumn("monthly_price", "monthly price", short: "monthly"),
          ShownColumn("yearly_price", "yearly price", short: "yearly"),
          ShownColumn("shown_saving", "shown saving"), ShownColumn("yearly_share", "took yearly"),
        ])
    case "cancellations":
      self.init(
        "Cancellations", .sums,
        [
          ShownColumn("trials", "trials over", .noneForZero),
          ShownColumn("trial_cancel_rate", "cancelled", .withoutBounds),
          ShownColumn("subscriptions", "paid"), ShownColumn("cancelled_35_rate", "renew off by 35 d"),
          ShownColumn("ended_35_rate", "gone by 35 d", .withoutBounds),
        ])
    case "value":
      self.init(
        "Value", .sums,
        [
          ShownColumn("users", "viewers"), ShownColumn("paid_rate", "pay", .withoutBounds),
          ShownColumn("value_1", "worth after 1 month", short: "worth after 1 mo."), ShownColumn("value_3", "3 months"),
          ShownColumn("value_12", "12 months"),
        ])
    case "value_pairs":
      self.init(
        "Value, variants compared", .none,
        [
          ShownColumn("difference_1", "after 1 month"), ShownColumn("difference_3", "3 months"),
          ShownColumn("difference_12", "12 months"), ShownColumn("ahead_last", "ahead"),
        ])
    case "revenue":
      self.init(
        "Revenue", .sums,
        [
          ShownColumn("payments", "payments"), ShownColumn("gross", "gross"),
          ShownColumn("refunded", "refunded", .negative), ShownColumn("revenue", mode),
        ])
    case "mrr":
      self.init(
        "Recurring revenue", .sumsOfMovements,
        report.columns.contains { $0.name == "closing" }
          ? [
            ShownColumn("opening", "opening"), ShownColumn("new", "new"), ShownColumn("resubscribed", "back"),
            ShownColumn("expansion", "up"), ShownColumn("contraction", "down"), ShownColumn("churned", "churned"),
            ShownColumn("closing", "closing"),
          ]
          : [
            ShownColumn("active_subscriptions", "active"), ShownColumn("mrr", "a month"), ShownColumn("arr", "a year"),
          ])
    case "subscriptions":
      self.init(
        "Subscriptions", .sumsOfMovements,
        report.columns.contains { $0.name == "closing" }
          ? nil
          : [
            ShownColumn("active", "active at end"), ShownColumn("new", "new"), ShownColumn("resubscribed", "back"),
            ShownColumn("churned", "churned"), ShownColumn("churn_rate", "churn"),
            ShownColumn("trials_started", "trials started", short: "trials"),
          ])
    case "retention":
      let (prefix, unit) = ages("retention_").isEmpty ? ("survival_", " d") : ("retention_", "")
      self.init(
        "Retention", .sums,
        [ShownColumn("subscriptions", "began")]
          + ages(prefix).map {
            ShownColumn("\(prefix)\($0)", unit.isEmpty ? "made payment \($0)" : "after \($0)\(unit)")
          })
    case "ltv":
      self.init(
        "Lifetime value", .sums,
        [
          ShownColumn("persons_7", "users"), ShownColumn("ltv_person_7", "brought by 7 d"),
          ShownColumn("ltv_person_30", "by 30 d"), ShownColumn("ltv_payer_30", "a payer by 30 d"),
        ])
    case "refunds" where report.columns.contains { $0.name == "refunded_30_rate" }:
      self.init(
        "Refunds", .sums,
        [
          ShownColumn("payments", "payments"), ShownColumn("refunded", "refunded"), ShownColumn("refund_rate", "rate"),
          ShownColumn("refunded_30_rate", "of 30-day-old payments", short: "of 30-day-old"),
          ShownColumn("refunded_amount", "amount"),
        ])
    case "refunds":
      self.init(
        "Refunds", .sums,
        [
          ShownColumn("refunds", "refunds"), ShownColumn("full", "in full"), ShownColumn("payments", "payments"),
          ShownColumn("refunded_amount", "amount"),
        ])
    case "cadence":
      self.init(
        "Cadence", .none,
        [
          ShownColumn("persons", "viewers"), ShownColumn("trial_rate", "trial"), ShownColumn("paid_rate", "paid"),
        ])
    case "gates":
      self.init(
        "Limits", .none,
        [
          ShownColumn("persons", "users"), ShownColumn("hits", "hits"), ShownColumn("met_paid_rate", "paid, met it"),
          ShownColumn("others_paid_rate", "paid, did not"),
        ])
      keepsOrder = false
    case "nudges":
      self.init(
        "Reminders", .none,
        [
          ShownColumn("trials", "trials"), ShownColumn("trial_to_paid_rate", "paid"),
          ShownColumn("difference", "difference", .points),
        ])
    case "activity":
      self.init(
        "Activity", .none,
        [
          ShownColumn("daily_active", "active a day"), ShownColumn("weekly_active", "a week"),
          ShownColumn("monthly_active", "a month"), ShownColumn("stickiness", "stickiness"),
        ])
    case "experiments":
      self.init(
        "Experiments", .none,
        [
          ShownColumn("persons", "users"), ShownColumn("first_exposure", "running", .range(to: "last_exposure")),
          ShownColumn("verdict", "verdict"), ShownColumn("effect", "effect on the goal", short: "effect"),
        ])
    case "health":
      self.init(
        "Health", .none,
        [
          ShownColumn("severity", "severity"), ShownColumn("app", "app"), ShownColumn("check", "finding"),
          ShownColumn("cases", "cases"), ShownColumn("share", "share"), ShownColumn("affects", "bends"),
        ])
    case "quarantine":
      self.init(
        "Quarantine", .none,
        [
          ShownColumn("lines", "lines"), ShownColumn("reason", "reason"), ShownColumn("field", "field"),
          ShownColumn("example", "example"),
        ])
    default: self.init(report.title, .none, nil)
    }
    // A table about a report's number has its name, and not its columns.
    if let core, !core.contains(where: { shown in report.columns.contains { $0.name == shown.name } }) {
      self.init(report.title, .none, nil)
    }
    definesItself = core == nil
  }

  private init(_ title: String, _ totals: Totals, _ core: [ShownColumn]?) {
    (self.title, self.totals, self.core) = (title, totals, core)
    keepsOrder = totals == .none
  }

  /// How a column is headed that is not among the core ones.
  func heading(of name: String) -> String {
    if let known = core?.first(where: { $0.name == name }) { return known.heading }
    return switch name {
    case "immature": "too recent to count"
    case "entry_point": "entry point"
    case "app_version": "app version"
    case "trial_kind": "kind of trial"
    case "gate": "limit"
    case "hours_before_end": "reminder"
    case "range": "seen before"
    default: name.split(separator: "_").joined(separator: " ")
    }
  }
}
