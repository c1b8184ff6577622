import Reports
import Store
import Testing

@testable import Metrics

/// Every column that a report prints is described in the registry, and every described column is printed.
@Suite(.serialized)
struct ColumnInfoTests {
  private static let store = Result {
    try TestStore(paths: [Fixtures.package.appendingPathComponent("SampleData/events").path])
  }

  /// The columns that a kind prints under the options that change them.
  private static func printed(_ kind: ReportKind, _ snapshot: StoreSnapshot) throws -> [Report] {
    if kind == .replay {
      return [try AAReplays.report(snapshot, ReportOptions(), metric: .paid, repetitions: 1, seed: 1)]
    }
    if kind == .experiment {
      let readout = try Experiments.report(
        snapshot, ReportOptions(), ExperimentOptions(experiment: "steps_yearly_anchor"))
      let header = try FinishedReport.readout(readout).text(as: .csv, options: RenderOptions()).split(separator: "\n")[
        0]
      let columns = header.split(separator: ",").map { ReportColumn(String($0), .text) }
      return [Report(name: kind.name, title: "", definition: [], parameters: [], asOf: [], columns: columns, rows: [])]
    }
    var requests = [ReportRequest(kind)]
    func add(_ change: (inout ReportOptions) -> Void) {
      var request = ReportRequest(kind)
      change(&request.options)
      requests.append(request)
    }
    switch kind {
    case .mrr, .subscriptions:
      add { $0.showsMovement = true }
      add { $0.by = [] }
    case .retention: add { $0.isByPeriod = true }
    case .payback:
      add { $0.by = [.property("source"), .property("campaign"), .property("ad_group")] }
      add { $0.predictsPayback = true }
    case .refunds: add { $0.isByRefundDay = true }
    case .recovery: add { $0.graceWhatIf = 0 }
    case .saves: add { $0.cancelScreens = ["settings"] }
    case .ltv: add { $0.backtest = .month }
    default: break
    }
    let reports = try requests.flatMap { request -> [Report] in
      guard case .tables(let tables) = try request.run(snapshot) else { return [] }
      return tables
    }
    if kind == .reconcile {
      var options = ReportOptions()
      options.apps = ["steps"]
      return try reports
        + [nil, "base"].map { step in
          let question = try BridgeQuestion(
            vendor: "revenuecat", metric: "trial_conversion", number: nil, days: 30, by: .none, step: step)
          return try Bridge.report(snapshot, options, question)
        }
    }
    return kind == .value ? reports + [try ValuePairs.report(snapshot, requests[0].options)] : reports
  }

  @Test(arguments: ReportKind.all.map(\.name))
  func columnsAreDescribedAndDescribedColumnsArePrinted(name: String) throws {
    let kind = try #require(ReportKind.named(name))
    let store = try Self.store.get().store
    var described: Set<String> = []
    for report in try store.read({ try Self.printed(kind, $0) }) {
      #expect(ReportKind.of(report) == kind, "\(report.name)")
      for column in report.columns {
        let info = try #require(kind.info(of: column), "\(kind.name) does not describe \(column.name)")
        #expect(!info.heading.isEmpty && !info.help.isEmpty && !info.help.contains("*"), "\(column.name)")
        described.formUnion(
          kind.columns.filter { $0.identifier == info.identifier || $0.matches(column.name) }.map(\.identifier))
      }
    }
    #expect(kind.columns.map(\.identifier).filter { !described.contains($0) } == [])
  }

  @Test func numbersOfNamesFillTheDescription() throws {
    let info = try #require(ReportKind.cancellations.info(of: ReportColumn("ended_95_rate_low", .low)))
    #expect(info.identifier == "ended_95_rate" && info.heading == "gone by 95 d" && !info.isCore)
    #expect(ReportKind.cancellations.info(of: ReportColumn("ended_35_rate", .rate))?.isCore == true)
    #expect(ReportKind.value.info(of: ReportColumn("value_1", .money))?.heading == "worth after 1 month")
    #expect(ReportKind.funnel.info(of: ReportColumn("users_7", .count)) == nil)
  }

  /// A rule that names another column names one that its report has, so that no unit is left out silently.
  @Test func rulesNameColumnsOfTheirReport() {
    for kind in ReportKind.explained {
      for column in kind.columnsByName.values {
        let summed =
          switch column.sum {
          case .ratio(let part, let whole), .rate(let part, let whole): "\(part)+\(whole)"
          case .mean(let name), .estimate(let name): name
          case .units, .refused, nil: ""
          }
        let named = summed.split(separator: "+").map(String.init) + column.others.flatMap { $0.columns + $0.less }
        #expect(
          named.filter { name in kind.columnsByName[name] == nil } == [], "\(kind.name) \(column.identifier)")
      }
    }
  }

  /// The counts next to numbers at an age, by the rules of cancellations (6.2, 6.3), retention (6.4) and value (7.5);
  /// `nil` for estimates and counts without such a column.
  @Test(
    arguments: [
      ("cancellations", "cancelled_35_rate", "at_risk_35"), ("cancellations", "ended_95_rate", "followed_95"),
      ("cancellations", "ended_95", nil), ("retention", "survival_35", "at_risk_35"),
      ("retention", "retention_2", "at_risk_2"), ("refunds", "refunded_30_rate", "at_risk_30"),
      ("ltv", "ltv_person_30", "persons_30"), ("ltv", "ltv_payer_30", "persons_30"), ("ltv", "predicted_ltv_12m", nil),
      ("recovery", "recovered_7_rate", nil), ("winback", "mean_90", nil), ("value", "value_12", nil),
    ] as [(String, String, String?)])
  func numbersAtAnAgeHaveTheirCount(kind: String, name: String, followed: String?) {
    #expect(ReportKind.named(kind)?.followed(ReportColumn(name, .rate)) == followed)
  }

  @Test func formulasFollowFromParts() throws {
    func formula(_ kind: ReportKind, _ name: String) throws -> String {
      kind.formula(try #require(kind.described(ReportColumn(name, .rate))))
    }
    #expect(try formula(.trials, "ceiling_rate") == "(converted + pending_renewing + pending_cancelled) ÷ trials")
    #expect(try formula(.ltv, "ltv_payer_30") == "revenue by --mode within 30 days of the first event ÷ payers_30")
    #expect(
      try formula(.trials, "cumulative_incidence")
        == "Aalen–Johansen estimate of the share that converts, from open trials too")
  }

  /// The units that do not count are the rest of the column that it is a part of, and those that this one does not
  /// count: of paid trials, those that did not pay, the viewers without a trial, and those who are too recent.
  @Test func othersFollowFromParts() throws {
    let column = try #require(ReportKind.funnel.described(ReportColumn("trial_paid_users", .count)))
    #expect(
      ReportKind.funnel.allOthers(column).map { "\($0.columns) less \($0.less)" } == [
        #"["immature"] less []"#, #"["trial_users"] less ["trial_paid_users"]"#, #"["users"] less ["trial_users"]"#,
      ])
  }
}

extension ColumnInfo {
  /// Whether the description is of all names like this one.
  fileprivate func matches(_ name: String) -> Bool {
    let parts = identifier.split(separator: "*", omittingEmptySubsequences: false)
    guard parts.count == 2, name.hasPrefix(parts[0]) else { return false }
    return name.dropFirst(parts[0].count).drop { $0.isNumber }.hasPrefix(parts[1])
  }
}
