import Reports
import Testing

@testable import Metrics

/// Numbers derived by hand from definitions 13; random stores are compared with `Tests/Acceptance/Oracle/vendors.py`.
struct BridgeTests {
  static func line(_ event: String, _ ts: String, _ user: String, _ rest: String = "") -> String {
    let subscription = event == "activity" ? "" : #","subscription_id":"\#(user)","product_id":"m""#
    return Behaviour.line(event, "2026-\(ts)", user, subscription + rest)
  }

  static let trial = #","plan":"monthly","trial_days":7"#
  static let paid = #","plan":"monthly","price":10,"currency":"USD""#

  /// Trials of February: a was first seen in January and paid, b paid and got it all back, c paid after the grace, d lapsed,
  /// and e's is open at the end of the data.
  static let lines = [
    line("activity", "01-20T10:00:00", "a"), line("trial_start", "02-01T10:00:00", "a", trial),
    line("conversion", "02-08T10:00:00", "a", paid),
    line("trial_start", "02-02T10:00:00", "b", trial), line("conversion", "02-09T10:00:00", "b", paid),
    line("refund", "02-12T10:00:00", "b"),
    line("trial_start", "02-03T10:00:00", "c", trial), line("conversion", "02-20T10:00:00", "c", paid),
    line("trial_start", "02-04T10:00:00", "d", trial),
    line("trial_start", "02-26T23:30:00", "e", trial), line("activity", "03-01T10:00:00", "e"),
  ]

  private func table(
    _ vendor: String, _ metric: String, value: String? = nil, days: Int = 30, step: String? = nil, _ options: String...,
    lines: [String] = Self.lines
  ) throws -> Table {
    let question = try BridgeQuestion(
      vendor: vendor, metric: metric, number: value, days: days, by: .none, step: step)
    let options = try ReportOptions(arguments: options)
    let report = try TestStore(lines: lines).store.read { try Bridge.report($0, options, question) }
    return try Table(csv: render(report, as: .csv))
  }

  /// 2 of 4 over; then 2 of 5 with the open one; then 1 of 5 without the refunded one.
  @Test func trialConversionOfRevenueCat3() throws {
    let table = try table("revenuecat", "trial_conversion", value: "20", "--from", "2026-02-01", "--to", "2026-03-01")
    #expect(table.column("switch") == ["ours", "zone", "base", "refund", "vendor", "rounding", "missing"])
    #expect(table.column("after") == ["0.500000", "0.500000", "0.400000", "0.200000", "0.200000", "0.200000", ""])
    #expect(table.column("before") == ["", "0.500000", "0.500000", "0.400000", "0.200000", "0.200000", ""])
    #expect(table.column("part") == ["", "0.000000", "-0.100000", "-0.200000", "", "0.000000", ""])
    #expect(table.column("step") == ["0", "1", "2", "3", "4", "5", "6"])
    // The open trial comes in; the refunded one has another outcome.
    #expect(table.column("units_in") == ["", "0", "1", "0", "", "", ""])
    #expect(table.column("units_out") == ["", "0", "0", "0", "", "", ""])
    #expect(table.column("units_revalued") == ["", "0", "0", "1", "", "", ""])
    #expect(table.column("state") == ["", "stated", "stated", "stated", "", "", ""])
    #expect(table.column("from") == ["", "UTC", "deadline past", "counted", "", "", ""])
    #expect(table.column("to") == ["", "UTC", "all", "not counted", "", "", ""])
  }

  /// By the first event a is of January: 1 of 3, 1 of 4 with the open one, 2 of 4 with c's late payment, 1 of 4 without
  /// the refunded one.
  @Test func trialConversionOfRevenueCat2() throws {
    let table = try table("revenuecat-v2", "trial_conversion", "--from", "2026-02-01", "--to", "2026-03-01")
    #expect(
      table.column("switch") == ["ours", "zone", "cohort", "unit", "base", "link", "refund", "vendor", "missing"])
    #expect(
      table.column("after") == [
        "0.500000", "0.500000", "0.333333", "0.333333", "0.250000", "0.500000", "0.250000", "0.250000", "",
      ])
    // Users are other units than trials: three of each.
    #expect(table.bridge("units_in units_out units_revalued", "unit") == "3 3 0")
  }

  /// The window of Mixpanel ends when a trial of 7 d does: a payment at its end is outside.
  @Test func trialConversionOfMixpanel() throws {
    let table = try table("mixpanel", "trial_conversion", "--from", "2026-02-01", "--to", "2026-03-01")
    #expect(table.column("after") == ["0.500000", "0.500000", "0.400000", "0.600000", "0.000000", "0.000000", ""])
  }

  /// e's trial began on 27 February in Tokyo, and on 26 February in California.
  @Test func daysAreOfTheVendorsZone() throws {
    let table = try table(
      "app-store-connect", "new_trials", "--from", "2026-02-27", "--timezone", "Asia/Tokyo")
    #expect(table.column("after") == ["1", "0", "0", ""] && table.column("part") == ["", "-1", "", ""])
  }

  /// On 14 February a and, refunded on the 12th, b have paid; a's cover ends on 8 March.
  @Test func subscriptionsAtAnInstant() throws {
    let before = try table("adapty", "active_subscriptions", "--to", "2026-02-11")
    #expect(before.bridge("after", "ours") == "2")
    #expect(before.bridge("after part", "refund") == "1 -1")
    let after = try table("revenuecat", "active_subscriptions", "--to", "2026-02-14")
    #expect(after.column("after") == ["1", "1", "1", "1", "1", ""])
  }

  /// The month that all paid for ends on 1 March at 10:00, and so do both trials. v and x expire then; w and y have the 3 d
  /// of grace, in which x and y pay again. Of the trials, t expires and u does not.
  @Test func graceEndsWhenASubscriptionExpires() throws {
    var lines = ["v", "w", "x", "y"].map { Self.line("conversion", "02-01T10:00:00", $0, Self.paid) }
    lines += ["t", "u"].map { Self.line("trial_start", "02-22T10:00:00", $0, Self.trial) }
    lines += [
      Self.line("cancellation", "02-10T10:00:00", "v"), Self.line("expiration", "03-01T10:00:00", "v"),
      Self.line("billing_issue", "03-01T10:00:00", "w"), Self.line("expiration", "03-01T10:00:00", "x"),
      Self.line("expiration", "03-01T10:00:00", "t"),
      Self.line("renewal", "03-03T10:00:00", "x", Self.paid), Self.line("renewal", "03-03T10:00:00", "y", Self.paid),
      Self.line("activity", "03-20T10:00:00", "v"),
    ]
    func numbers(_ metric: String) throws -> [String] {
      try table("revenuecat", metric, "--from", "2026-03-01", "--to", "2026-03-03", lines: lines).column("after")
    }
    #expect(try numbers("active_subscriptions") == ["0", "0", "2", "2", "2", ""])
    #expect(try numbers("mrr") == ["0.00", "0.00", "20.00", "20.00", "20.00", ""])
    #expect(try numbers("active_trials") == ["0", "0", "1", "1", ""])
    // v and w have churned by 1 March; with grace w has until 4 March. x was away, and has not churned.
    #expect(try numbers("churn_rate") == ["0.500000", "0.500000", "0.250000", "0.250000", "0.250000", ""])
  }

  /// Two payments of 10 within 30 days of the first event; a's window ends on 19 February, before c's payment in its own.
  /// Only a, b, c and d are followed for 20 days by 1 March.
  @Test func lifetimeValueByDays() throws {
    let table = try table("revenuecat", "realized_ltv", days: 20)
    // a and c have 10 each, b got it back: 20 by 4, then by 5.
    #expect(table.column("switch") == ["ours", "zone", "base", "window", "vendor", "missing"])
    #expect(table.column("after") == ["5.00", "5.00", "4.00", "4.00", "4.00", ""])
    let payers = try self.table("adapty", "realized_ltv", days: 20)
    #expect(payers.bridge("after", "unit") == "6.67")
  }

  /// A trial is of the country of its start, a subscription of that of its first payment, and a user of that of the first
  /// event, whatever the other events say.
  @Test func unitsAreFilteredByTheirOwnEvent() throws {
    func of(_ country: String) -> String { #","country":"\#(country)""# }
    let lines = [
      Self.line("activity", "02-01T09:00:00", "p", of("FR")),
      Self.line("trial_start", "02-01T10:00:00", "p", Self.trial + of("DE")),
      Self.line("conversion", "02-08T10:00:00", "p", Self.paid + of("US")),
      Self.line("trial_start", "02-02T10:00:00", "q", Self.trial + of("US")),
      Self.line("activity", "03-01T10:00:00", "q"),
    ]
    for (metric, country, number) in [
      ("trial_conversion", "DE", "1.000000"), ("trial_conversion", "US", "0.000000"), ("new_trials", "DE", "1"),
      ("active_subscriptions", "US", "1"), ("active_subscriptions", "DE", "0"), ("mrr", "US", "10.00"),
      ("revenue", "US", "10.00"), ("revenue", "DE", "0.00"), ("refund_rate", "US", "0.000000"),
      ("refund_rate", "DE", ""), ("conversion_to_paying", "FR", "1.000000"),
      ("conversion_to_paying", "US", "0.000000"), ("realized_ltv", "FR", "10.00"), ("initial_conversion", "DE", ""),
    ] {
      let table = try table(
        "revenuecat", metric, days: 20, "--where", "country=\(country)", lines: lines)
      #expect(table.bridge("after", "ours") == number, "\(metric) \(country)")
      #expect(table.bridge("after", "vendor") == number, "\(metric) \(country)")
      #expect(table.bridge("scope", "vendor") == "--where=country=\(country)")
    }
    #expect(try table("adapty", "mrr", "--where", "product=none", lines: lines).bridge("after", "ours") == "0.00")
  }

  @Test(arguments: [
    ("trial_conversion", "month=2026-02", "another time zone: use --from and --to"),
    ("refund_rate", "stage=2", "no vendor's dashboard filters by the number of a payment"),
    ("initial_conversion", "plan=monthly", "users who have not paid have none"),
  ]) func filtersThatMakeNoSenseAreRefused(metric: String, filter: String, words: String) {
    let error = #expect(throws: OptionError.self) { try table("revenuecat", metric, "--where", filter) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(words))
  }

  @Test func filtersNeedAVendor() {
    #expect(throws: OptionError.self) { try ReportRequest(.reconcile, [.init("where", ["country=DE"])]) }
    #expect(throws: OptionError.self) { try ReportRequest(.reconcile, [.init("where", ["cohort:x"])]) }
  }

  /// The command of a step asks for the days, options and rule of its row; a step that changes nothing has none.
  @Test func stepsNameTheCommandThatListsTheirUsers() throws {
    func rows(_ metric: String, by period: Reconciliation.Period, _ options: String...) throws -> [[String: String]] {
      let question = try BridgeQuestion(
        vendor: "revenuecat-v2", metric: metric, number: nil, days: 20, by: period, step: nil)
      let asked = try ReportOptions(arguments: options)
      let report = try TestStore(lines: Self.lines).store.read { try Bridge.report($0, asked, question) }
      return report.rows.map { row in
        Dictionary(uniqueKeysWithValues: zip(report.columns.map(\.name), row.map(\.keyText)))
      }
    }
    let trials = try rows(
      "trial_conversion", by: .none, "--from", "2026-02-01", "--to", "2026-03-01", "--timezone", "Asia/Tokyo",
      "--grace", "1")
    #expect(Set(trials.map { $0["scope"] }) == ["--from=2026-02-01 --to=2026-03-01"])
    let refund = try #require(trials.first { $0["switch"] == "refund" })
    #expect(
      refund["explain"]
        == "tollgate reconcile --app=steps --vendor=revenuecat-v2 --metric=trial_conversion --from=2026-02-01 "
        + "--to=2026-03-01 --timezone=Asia/Tokyo --grace=1 --step=refund")
    #expect(trials.first?["explain"] == "" && trials.last?["explain"] == "")
    #expect(trials.last?["switch"] == "missing" && trials.last?["source"]?.hasPrefix("customers that") == true)
    // No money came in before the first of February, and none of it moves.
    let revenue = try rows("revenue", by: .month, "--mode", "gross")
    #expect(Set(revenue.map { $0["scope"] }) == [""])
    #expect(revenue.filter { $0["switch"] == "refund" }.allSatisfy { $0["explain"] == "" })
    // Of February's users, e is not followed for 20 d.
    let ltv = try rows("realized_ltv", by: .month, "--mode", "gross")
    let base = try #require(ltv.first { $0["switch"] == "base" && $0["month"] == "2026-02" })
    #expect(
      base["explain"]
        == "tollgate reconcile --app=steps --vendor=revenuecat-v2 --metric=realized_ltv --days=20 --from=2026-02-01 "
        + "--to=2026-03-01 --currency=native --mode=gross --step=base")
  }

  @Test func aRestIsUnexplainedBeyondHalfTheLastDigit() throws {
    let value = { (text: String) in
      try self.table("revenuecat", "trial_conversion", value: text, "--from", "2026-02-01", "--to", "2026-03-01")
        .column("switch").dropLast().last
    }
    #expect(try value("20.04") == "unexplained" && value("20.5") == "unexplained")
    #expect(try value("20.0%") == "rounding" && value("20") == "rounding")
  }

  @Test(
    arguments: [
      ("nobody", "mrr", nil, "did you mean", false), ("adapti", "mrr", nil, "did you mean adapty?", true),
      ("mixpanel", "mrr", nil, "one that Mixpanel defines: trial_conversion", true),
      ("adapty", "arr", nil, "--metric is arr, but must be one of trial_conversion", true),
      ("adapty", "trial_conversion", "much", "must be a percentage such as 34.1", true),
      ("adapty", "new_trials", "12.5", "must have at most 0 decimals", true),
      ("adapty", "new_trials", "12%", "must be a number", true),
    ] as [(String, String, String?, String, Bool)])
  func whatIsWrongIsSaid(vendor: String, metric: String, value: String?, words: String, isSaid: Bool) {
    let error = #expect(throws: OptionError.self) {
      try BridgeQuestion(vendor: vendor, metric: metric, number: value, days: 30, by: .none, step: nil)
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains(words) == isSaid, "\(error.map { "\($0)" } ?? "")")
  }

  // MARK: - Whatever the events

  /// Our number is that of the report, on the same days.
  @Test(arguments: 1...3 as ClosedRange<UInt64>) func oursIsTheReports(seed: UInt64) throws {
    let store = try TestStore(lines: RandomLives(seed: seed, persons: 60).lines.map(\.text))
    for options in [
      ["--app", "steps"],
      [
        "--app", "coach", "--from", "2026-02-01", "--to", "2026-04-11", "--timezone", "America/New_York", "--grace",
        "1",
      ],
      ["--app", "steps", "--from", "2026-02-01", "--where", "variant=a"],
      ["--app", "coach", "--where", "plan=monthly"],
    ] {
      func ours(_ metric: String) throws -> String {
        let question = try BridgeQuestion(
          vendor: "revenuecat", metric: metric, number: nil, days: 30, by: .none, step: nil)
        let asked = try ReportOptions(arguments: options)
        return try Table(csv: render(store.store.read { try Bridge.report($0, asked, question) }, as: .csv))
          .bridge("after", "ours")
      }
      func reports(_ name: String, _ column: String) throws -> String {
        try Table(csv: store.csv(name, ["--by", "none"] + options)).cells(column, of: options[1])
      }
      for (metric, report, column) in [
        ("trial_conversion", "trials", "trial_to_paid_rate"), ("new_trials", "trials", "trials"),
        ("active_trials", "subscriptions", "trials_active"), ("churn_rate", "subscriptions", "churn_rate"),
      ] where metric != "churn_rate" || options.contains("--from") {
        let (own, others) = try (ours(metric), reports(report, column))
        // A report has no row of nothing.
        let isSame = others == "no row" ? ["", "0"].contains(own) : own == (others == "-" ? "" : others)
        #expect(isSame, "\(metric) \(options): \(own), \(others)")
      }
    }
  }

  /// The short form on a report is the bridge of its number.
  @Test(arguments: [
    (ReportKind.funnel, "conversion_to_paying"), (.trials, "trial_conversion"),
    (.subscriptions, "active_subscriptions"), (.mrr, "mrr"), (.revenue, "revenue"), (.refunds, "refund_rate"),
    (.ltv, "realized_ltv"),
  ]) func reportsAreDefinedByVendors(kind: ReportKind, metric: String) throws {
    let store = try TestStore(lines: RandomLives(seed: 1, persons: 60).lines.map(\.text)).store
    let common: [ReportRequest.Given] = [
      .init("app", ["steps"]), .init("currency", ["native"]), .init("where", ["variant=a,b"]),
    ]
    let short = try ReportRequest(kind, common + [.init("define", ["revenuecat-v3"])])
    let long = try ReportRequest(
      .reconcile, common + [.init("vendor", ["revenuecat-v3"]), .init("metric", [metric])])
    /// Of several currencies there is no one number of money, with either form.
    func text(_ request: ReportRequest) throws -> String {
      do { return try render(#require(try store.read { try request.table($0) }), as: .csv) } catch { return "\(error)" }
    }
    let (made, expected) = (try text(short), try text(long))
    #expect(made == expected)
    #expect(made.contains("ours") || made.contains("currency"), "\(made)")
    for wrong in [ReportRequest.Given("by", ["plan"]), .init("attribution", ["first"])] {
      #expect(throws: OptionError.self) { try ReportRequest(kind, [.init("define", ["adapty"]), wrong]) }
    }
    #expect(throws: OptionError.self) { try ReportRequest(kind, [.init("define", ["nobody"])]) }
  }

  /// Each step's users have parts that add up to the step's.
  @Test(arguments: 1...3 as ClosedRange<UInt64>) func usersAddUpToTheirStep(seed: UInt64) throws {
    let store = try TestStore(lines: RandomLives(seed: seed, persons: 60).lines.map(\.text))
    for (vendor, metric) in [
      ("revenuecat-v2", "trial_conversion"), ("adapty", "active_subscriptions"), ("adapty", "conversion_to_paying"),
      ("revenuecat-v2", "churn_rate"), ("revenuecat-v3", "churn_rate"), ("app-store-connect", "churn_rate"),
      ("adapty", "refund_rate"), ("mixpanel", "new_trials"),
    ] {
      let options = try ReportOptions(
        arguments: ["--app", "steps", "--from", "2026-01-20", "--to", "2026-06-11", "--timezone", "Asia/Tokyo"])
      func table(_ step: String?) throws -> Table {
        let question = try BridgeQuestion(
          vendor: vendor, metric: metric, number: nil, days: 14, by: .none, step: step)
        return try Table(csv: render(store.store.read { try Bridge.report($0, options, question) }, as: .csv))
      }
      let steps = try table(nil)
      for (row, step) in zip(steps.rows, steps.column("switch")) {
        guard let part = steps.number("part", in: row) else { continue }
        let users = try table(step)
        let changes = users.column("change")
        #expect(steps.number("units_in", in: row) == Double(changes.count { $0 == "in" }))
        #expect(steps.number("units_out", in: row) == Double(changes.count { $0 == "out" }))
        #expect(steps.number("units_revalued", in: row) == Double(changes.count { $0 == "changed" }))
        let sum = users.rows.compactMap { users.number("part", in: $0) }.reduce(0, +)
        #expect(abs(sum - part) < 1e-6 * Double(2 + users.rows.count), "\(vendor) \(metric) \(step)")
      }
    }
  }
}

extension Table {
  /// Returns the cells of the named columns in the first row of a bridge with this switch.
  fileprivate func bridge(_ names: String, _ name: String) -> String {
    guard let place = column("switch").firstIndex(of: name) else { return "no row" }
    return names.split(separator: " ").map { name in
      let cells = column(String(name))
      return cells.isEmpty ? "no column \(name)" : cells[place]
    }.joined(separator: " ")
  }
}
