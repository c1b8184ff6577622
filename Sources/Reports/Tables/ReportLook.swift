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
    /// A difference, with its sign.
    case signed
    /// A text such as `+5 (−2 to +12)`.
    case effect
  }

  /// The identifier, as CSV has it.
  var name: String
  /// Empty for that of the registry.
  var heading: String
  /// The heading in a narrow window; empty for the same.
  var short: String
  var style = Style.plain
  /// Whether it is the first to be left out of a narrow window.
  var isFirstToGo = false

  init(_ name: String, _ heading: String = "", style: Style = .plain, short: String = "", isFirstToGo: Bool = false) {
    (self.name, self.heading, self.style, self.short) = (name, heading, style, short)
    self.isFirstToGo = isFirstToGo
  }
}

extension ShownColumn: ExpressibleByStringLiteral {
  init(stringLiteral name: String) { self.init(name) }
}

/// The columns that a report's table shows by default, and their styles.
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
  /// `nil` for tables that are not a report of the registry.
  private(set) var kind: ReportKind?
  /// Whether the definition is what the table is read with.
  var definesItself = false
  /// Whether the rows stay in the report's order.
  var keepsOrder = true

  init(_ report: Report) {
    let own = ReportKind.of(report)
    let known = Self.core(report, own)
    // A table about a report's number has its name, and not its columns.
    if let known, !known.contains(where: { shown in report.columns.contains { $0.name == shown.name } }) {
      title = report.title
    } else {
      let isListed = known != nil && report.name != "bridge" || report.name == "subscriptions"
      title = Self.titles[report.name] ?? (isListed ? own?.title : nil) ?? report.title
      // Tables of a report's own rows have totals, and not those of its pairs or tests.
      if let own, [.paywalls, .money].contains(own.group), [own.name, "retention_cohorts"].contains(report.name) {
        totals = own.options.contains { $0.name == "movement" } ? .sumsOfMovements : .sums
      }
      (core, kind) = (known, own)
    }
    // Control first, in each number's own order.
    keepsOrder = totals == .none && report.name != "compare" && kind != .gates
    definesItself = kind == nil && !["compare", "why"].contains(report.name)
    core = core?.map { shown in
      var shown = shown
      if shown.heading.isEmpty { shown.heading = heading(of: shown.name) }
      if shown.short.isEmpty { shown.short = shown.heading }
      return shown
    }
  }

  /// The titles of tables that are not those of the registry.
  private static let titles = [
    "value_pairs": "Value, variants compared", "backtest": "Forecasts tested",
    "backtest_model": "Forecasts tested, by part", "backtest_ages": "Forecasts tested, by age",
    "backtest_newest": "Newest forecast tested", "backtest_now": "Forecast",
    "cadence_gaps": "Cadence by time since the previous paywall", "aa-replay": "A/A replay, false alarms",
  ]

  /// The columns to show; `nil` for all.
  private static func core(_ report: Report, _ own: ReportKind?) -> [ShownColumn]? {
    func has(_ name: String) -> Bool { report.columns.contains { $0.name == name } }
    let mode = report.parameters.first { $0.name == "mode" }?.value ?? "net"
    func ages(_ prefix: String) -> [String] {
      report.columns.filter { $0.kind == .rate && $0.name.hasPrefix(prefix) }.map {
        String($0.name.dropFirst(prefix.count))
      }
    }
    /// The core columns of the registry, in the report's order, these as they are given.
    func registered(_ given: ShownColumn...) -> [ShownColumn] {
      let ends = given.compactMap { if case .range(let end) = $0.style { end } else { nil } }
      return report.columns.filter { column in
        ![.key, .low, .high].contains(column.kind) && !ends.contains(column.name)
          && own?.info(of: column)?.isCore == true
      }.map { column in given.first { $0.name == column.name } ?? ShownColumn(column.name) }
    }
    switch report.name {
    case "funnel":
      return registered(
        ShownColumn("trial_rate", isFirstToGo: true), ShownColumn("trial_to_paid_rate", isFirstToGo: true))
    case "paths":
      let rates = ages("").filter { $0.hasSuffix("_rate") && !$0.hasSuffix("_step_rate") && $0 != "bounce_rate" }
      return [ShownColumn("users")]
        + rates.map {
          ShownColumn($0, short: $0 == "sheet_rate" ? "payment sheet" : "", isFirstToGo: $0 == "abandonment_rate")
        }
    case "trials":
      return registered(
        ShownColumn("floor_rate", "can end at", style: .range(to: "ceiling_rate")),
        ShownColumn("cancel_rate", style: .withoutBounds))
    case "savings":
      return registered(ShownColumn("monthly_price", short: "monthly"), ShownColumn("yearly_price", short: "yearly"))
    case "cancellations":
      return registered(
        ShownColumn("trials", style: .noneForZero), ShownColumn("trial_cancel_rate", style: .withoutBounds),
        ShownColumn("ended_35_rate", style: .withoutBounds))
    case "value":
      return registered(
        ShownColumn("paid_rate", style: .withoutBounds), ShownColumn("value_1", short: "worth after 1 mo."),
        ShownColumn("value_3", "3 months"), ShownColumn("value_12", "12 months"))
    case "value_pairs":
      return [
        ShownColumn("difference_1", "after 1 month", style: .signed),
        ShownColumn("difference_3", "3 months", style: .signed),
        ShownColumn("difference_12", "12 months", style: .signed), ShownColumn("ahead_last", "ahead"),
      ]
    case "revenue":
      return mode == "gross"
        ? ["payments", "gross", ShownColumn("refunded", style: .negative)]
        : ["payments", "gross", ShownColumn("refunded", style: .negative), ShownColumn("revenue", mode)]
    case "mrr":
      return registered(
        ShownColumn("opening", isFirstToGo: true), ShownColumn("resubscribed", isFirstToGo: true),
        ShownColumn("expansion", isFirstToGo: true), ShownColumn("contraction", isFirstToGo: true),
        ShownColumn("mrr", "a month"), ShownColumn("arr", "a year"))
    case "subscriptions":
      return has("closing") ? nil : registered(ShownColumn("trials_started", short: "trials"))
    case "retention", "retention_cohorts":
      let (prefix, unit) = ages("retention_").isEmpty ? ("survival_", " d") : ("retention_", "")
      return [ShownColumn("subscriptions")]
        + ages(prefix).map {
          ShownColumn("\(prefix)\($0)", unit.isEmpty ? "made payment \($0)" : "after \($0)\(unit)")
        }
    case "ltv":
      return registered(
        ShownColumn("persons_7", "users"), ShownColumn("ltv_person_7", isFirstToGo: report.hasTestedRange),
        ShownColumn("ltv_person_30", "by 30 d")) + (report.hasTestedRange ? ["predicted_ltv_12m"] : [])
    case "backtest":
      return [
        ShownColumn("origins", short: "tested"), "mape", ShownColumn("bias", style: .withoutBounds), "coverage",
        "closest",
      ]
    case "backtest_model":
      return [
        ShownColumn("origins", short: "tested"), "mape", ShownColumn("mape_fit", short: "no auto-renew"),
        "mape_with_trials", ShownColumn("mape_without_trials", short: "no trials"),
      ]
    case "backtest_ages":
      return [
        "age_days", ShownColumn("origins", short: "tested"), "mape", ShownColumn("bias", style: .withoutBounds),
        "closest",
      ]
    case "backtest_newest":
      return ["predicted", "actual", "error_share"]
    case "backtest_now":
      return ["predicted"]
    case "refunds" where has("refunded_30_rate"):
      return registered(ShownColumn("refunded_30_rate", short: "rate by 30 d"))
    case "refunds":
      return ["refunds", "full", "payments", "refunded_amount"]
    case "recovery":
      return [
        ShownColumn("charges", short: "failed"), ShownColumn("open", style: .noneForZero), "recovered_7_rate",
        "recovered_rate", "recovered_inside", "lost_with_access", "at_risk", "recovered_amount",
        ShownColumn("open_amount", short: "due"), "lost_amount",
      ]
    case "saves":
      return [
        "cancellations", ShownColumn("open", style: .noneForZero), "saved_7_rate", "saved_rate", "reactivated",
        "paid", ShownColumn("accepted_offer", style: .noneForZero),
      ]
    case "winback":
      return [
        "churned", "came_back", "came_back_30_rate", "came_back_90_rate",
        ShownColumn("with_offer", style: .noneForZero, short: "offer"),
      ]
    case "compare":
      let (before, now) = report.comparedNames
      return [
        ShownColumn("column", "number"), ShownColumn("before", before), ShownColumn("now", now),
        ShownColumn("change", "change", style: .effect), ShownColumn("word", "verdict"),
      ]
    case "why":
      let isOfMoney = has("now_amount")
      let (before, now) = report.driverSides
      return [
        "verdict", ShownColumn("segment", "where"), ShownColumn("part", "by"),
        ShownColumn(isOfMoney ? "before_amount" : "before_rate", before),
        ShownColumn(isOfMoney ? "now_amount" : "now_rate", now),
        ShownColumn(
          "contribution", report.isOfGroups ? "of the difference" : "of the change", style: .effect, short: "its part"),
      ]
    case "bridge" where has("switch"):
      return [
        ShownColumn("switch", "rule"), ShownColumn("from", "ours"), ShownColumn("to", "theirs"),
        ShownColumn("after", "number"), "part",
      ]
    case "payback":
      return ["spend", "persons", "payers", "cac"]
        + (has("predicted_break_even_day") ? ["predicted_break_even_day", "predicted_status"] : ["break_even_day"]) + [
          ShownColumn("regained", short: "returned")
        ]
    case "nudges": return registered(ShownColumn("difference", style: .points))
    case "cadence", "cadence_gaps", "gates", "activity": return registered()
    case "experiments":
      return [
        ShownColumn("verdict", "verdict"),
        ShownColumn("effect", "effect on the goal", style: .effect, short: "effect"), "persons",
        ShownColumn("first_exposure", "running", style: .range(to: "last_exposure")),
      ]
    case "aa-replay":
      return [
        ShownColumn("end_rate", style: .withoutBounds, short: "at end"),
        ShownColumn("end_reading", short: "reading"),
        ShownColumn("daily_rate", style: .withoutBounds, short: "daily"),
        ShownColumn("daily_reading", short: "reading"), "made_for",
      ]
    case "rates":
      return [
        "rates", ShownColumn("payments", short: "payments"), "first_day", "last_day", "last_usd_per_unit",
        ShownColumn("longest_gap", short: "gap"),
      ]
    case "health":
      return ["severity", "app", "check", "cases", "share", "affects"]
    case "quarantine":
      return has("file")
        ? [ShownColumn("id", "number"), "line", "reason", "field", ShownColumn("raw", "text")]
        : [
          ShownColumn("lines", "lines"), "reason", "field", ShownColumn("example", "example"),
          ShownColumn("raw", "text"),
        ]
    default: return nil
    }
  }

  /// How a column is headed.
  func heading(of name: String) -> String {
    if let known = core?.first(where: { $0.name == name }), !known.heading.isEmpty { return known.heading }
    let info = kind?.info(of: ReportColumn(name, .key)) ?? kind?.info(of: ReportColumn(name, .text))
    return info?.heading ?? name.split(separator: "_").joined(separator: " ")
  }
}
