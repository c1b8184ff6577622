internal import EventModel
internal import Store

/// The weekly reports as series of numbers.
struct WeeklyReports {
  private(set) var series: [WeeklySeries] = []

  init(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws {
    let trials = ReportRows(try Trials.report(snapshot, options))
    let pending = Set(
      trials.rows.filter { trials["pending_renewing", $0] + trials["pending_cancelled", $0] > 0 }.map {
        AppWeek(app: trials.app($0), week: trials.week($0))
      })
    addFunnel(ReportRows(try Funnel.report(snapshot, options)))
    addTrials(trials, pending)
    addCancellations(ReportRows(try Cancellations.report(snapshot, options)), pending)
    addRevenue(ReportRows(try Revenue.report(snapshot, options.split(by: [.week, .plan]))))
    addSubscriptions(ReportRows(try Subscriptions.report(snapshot, options)))
    addRefunds(ReportRows(try Refunds.report(snapshot, options)))
  }

  private struct AppWeek: Hashable {
    /// Compared as bytes, because Swift treats canonically equivalent strings as equal.
    let app: [UInt8]
    let week: Int

    init(app: String, week: Int) { (self.app, self.week) = (Array(app.utf8), week) }
  }

  /// A series for each app in the rows.
  ///
  /// - Parameter isOpen: Returns whether later events can still change the number of a row's week.
  private mutating func add(
    _ report: ReportRows, _ number: String, unit: String, isOpen: ([ReportValue]) -> Bool = { _ in false },
    _ value: ([ReportValue]) -> WeeklySeries.Value
  ) {
    var byApp: [(app: String, series: WeeklySeries, open: Set<Int>)] = []
    for row in report.rows {
      let (app, week) = (report.app(row), report.week(row))
      if byApp.last?.app.utf8.elementsEqual(app.utf8) != true {
        byApp.append((app, WeeklySeries(app: app, report: report.name, number: number, unit: unit), []))
      }
      let last = byApp.count - 1
      let known = byApp[last].series.weeks[week]
      byApp[last].series.weeks[week] = known.map { $0 + value(row) } ?? value(row)
      if isOpen(row) { byApp[last].open.insert(week) }
    }
    for (_, series, open) in byApp {
      var series = series
      series.isSettled = { !open.contains($0) }
      self.series.append(series)
    }
  }

  private mutating func addFunnel(_ report: ReportRows) {
    let isOpen = { (row: [ReportValue]) in report["immature", row] > 0 }
    add(report, "users", unit: "count", isOpen: isOpen) { .count(report["users", $0]) }
    for (rate, events) in [
      ("trial_rate", "trial_users"), ("direct_rate", "direct_paid_users"), ("paid_rate", "paid_users"),
    ] {
      add(report, rate, unit: "share", isOpen: isOpen) { .share(events: report[events, $0], of: report["users", $0]) }
    }
  }

  private mutating func addTrials(_ report: ReportRows, _ pending: Set<AppWeek>) {
    add(report, "trials", unit: "count") { .count(report["trials", $0]) }
    add(
      report, "trial_to_paid_rate", unit: "share",
      isOpen: { pending.contains(AppWeek(app: report.app($0), week: report.week($0))) }
    ) { .share(events: report["matured_converted", $0], of: report["matured", $0]) }
  }

  private mutating func addCancellations(_ report: ReportRows, _ pending: Set<AppWeek>) {
    add(
      report, "trial_cancel_rate", unit: "share",
      isOpen: { pending.contains(AppWeek(app: report.app($0), week: report.week($0))) }
    ) { .share(events: report["trial_cancelled", $0], of: report["trials", $0]) }
    add(
      report, "ended_35_rate", unit: "share",
      isOpen: { report["followed_35", $0] < report["subscriptions", $0] }
    ) { .share(events: report["ended_35", $0], of: report["followed_35", $0]) }
  }

  /// Of a plan, amounts count as equal.
  private mutating func addRevenue(_ report: ReportRows) {
    add(report, "payments", unit: "count") { .count(report["payments", $0]) }
    for currency in Set(report.rows.map { report.text("currency", $0) }).sorted(by: precedesInBytes) {
      add(report, "revenue", unit: currency) { row in
        guard report.text("currency", row) == currency else { return .money(0, variance: 0) }
        return .money(
          report.amount("revenue", row),
          variance: report.squares("payments", "gross", row) + report.squares("refunds", "refunded", row))
      }
    }
  }

  private mutating func addSubscriptions(_ report: ReportRows) {
    add(report, "new", unit: "count") { .count(report["new", $0]) }
    // The denominator is the number active at the start of the week, which is the number at the end of the previous
    // week.
    var active: [AppWeek: Int] = [:]
    for row in report.rows { active[AppWeek(app: report.app(row), week: report.week(row))] = report["active", row] }
    add(report, "churn_rate", unit: "share") { row in
      let opening = active[AppWeek(app: report.app(row), week: report.week(row) - 7)] ?? 0
      let churned = report.rate("churn_rate", row).map { Int(($0 * Double(opening)).rounded()) } ?? 0
      return .share(events: churned, of: opening)
    }
  }

  private mutating func addRefunds(_ report: ReportRows) {
    add(
      report, "refunded_30_rate", unit: "share", isOpen: { report["at_risk_30", $0] < report["payments", $0] }
    ) { .share(events: report["refunded_30", $0], of: report["at_risk_30", $0]) }
  }
}
