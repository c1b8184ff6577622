import Basics
import Testing

@testable import Metrics
@testable import Reports

struct TableFormatTests {
  private func table(_ report: Report, width: Int = 80, _ change: (inout RenderOptions) -> Void = { _ in }) throws
    -> String
  {
    var options = RenderOptions()
    options.width = width
    change(&options)
    return try render(report, as: .table, options: options)
  }

  @Test(arguments: [40, 80, 200])
  func wholeReports(width: Int) throws {
    try expectGolden(table(SampleReports.funnel, width: width), "funnel.\(width).txt")
    try expectGolden(table(SampleReports.savings, width: width), "savings.\(width).txt")
  }

  @Test func theWidestReportFitsWithItsCoreColumns() throws {
    try expectGolden(table(SampleReports.cancellations), "cancellations.80.txt")
  }

  @Test func severalAppsAreAColumn() throws {
    try expectGolden(table(SampleReports.twoApps), "two-apps.80.txt")
  }

  @Test func pairsOfNumbersDoNotWrap() {
    #expect(wrapped(unbroken("payments, 88 to 63"), to: 15) == ["payments,", "88\u{A0}to\u{A0}63"])
    #expect(unbroken("91.4% to 0.0%, 11 and −12") == "91.4%\u{A0}to\u{A0}0.0%, 11\u{A0}and\u{A0}−12")
    #expect(unbroken("version 2 to test, new and old") == "version 2 to test, new and old")
  }

  /// The data of the sample end on 12 March: 6 days before is late, 7 days before is said.
  @Test func theTitleNamesAppsWhoseDataEndBefore() throws {
    func title(_ daysBefore: Int64) throws -> Substring? {
      var report = SampleReports.twoApps
      report.asOf[1].asOf -= daysBefore * 86_400_000
      return try table(report, width: 120).split(separator: "\n").first
    }
    #expect(try title(6)?.hasSuffix("data to 12 Mar 2026") == true)
    #expect(try title(7)?.hasSuffix("data to 12 Mar 2026, techniq to 5 Mar") == true)
  }

  /// Where nobody counts yet, a row says how many are too recent, and keeps its columns.
  @Test func viewersWhoAreAllTooRecentAreCounted() throws {
    func report(_ users: Int, apps: [String] = ["a"]) -> Report {
      Report(
        name: "funnel", title: "Funnel", definition: [],
        parameters: [Report.Parameter(name: "app", value: "a"), Report.Parameter(name: "by", value: "variant")],
        asOf: apps.map { Report.AppInstant(app: $0, asOf: 1_773_619_200_000, notes: []) },
        columns: [ReportColumn("app", .key), ReportColumn("variant", .key), ReportColumn("users", .count)]
          + [ReportColumn("paid_users", .count), ReportColumn("paid_rate", .rate), ReportColumn("paid_rate_low", .low)]
          + [ReportColumn("paid_rate_high", .high), ReportColumn("immature", .count)],
        rows: [("control", users, 40), ("b", 0, 57)].map { name, users, recent in
          let rates: [ReportValue] = [0.5, 0.4, 0.6].map { .rate(users > 0 ? $0 : nil) }
          return [.text("a"), .text(name), .count(users), .count(users / 2)] + rates + [.count(recent)]
        })
    }
    let recent = try table(report(0))
    #expect(recent.contains("40 too recent") && recent.contains("57 too recent") && recent.contains("97 too recent"))
    #expect(recent.contains("paid, in all") && recent.contains("not yet"), "\(recent)")
    // Paths count the same users.
    var paths = report(0)
    paths.name = "paths"
    let recentPaths = try table(paths)
    #expect(recentPaths.contains("40 too recent") && recentPaths.contains("not yet"), "\(recentPaths)")
    #expect(!recentPaths.contains("40 too recent      0"), "\(recentPaths)")
    let some = try table(report(100))
    #expect(some.contains("b  57 too recent") && !some.contains("40 too recent"), "\(some)")
    let ofApps = try table(report(100, apps: ["a", "c"]))
    #expect(ofApps.contains("b  57 too recent"), "\(ofApps)")
  }

  /// An app without store trials has no rate of them, as in the funnel.
  @Test func cadenceWithoutStoreTrialsHasNoRateOfThem() throws {
    func report(_ trials: Int) -> Report {
      Report(
        name: "cadence", title: "Cadence", definition: [], parameters: [Report.Parameter(name: "app", value: "a")],
        asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
        columns: [
          ReportColumn("app", .key), ReportColumn("range", .key), ReportColumn("persons", .count),
          ReportColumn("trial_views", .count), ReportColumn("trial_rate", .rate), ReportColumn("trial_rate_low", .low),
          ReportColumn("trial_rate_high", .high), ReportColumn("paid_rate", .rate),
        ],
        rows: [
          [
            .text("a"), .text("1"), .count(200), .count(trials), .rate(Double(trials) / 200), .rate(0), .rate(0.1),
            .rate(0.25),
          ]
        ])
    }
    let without = try table(report(0))
    #expect(!without.contains("0.0%") && without.contains("a has no store trials."), "\(without)")
    #expect(try table(report(10)).contains("5.0%"))
  }

  /// 45 ÷ 182 − 23 ÷ 152 = 24.7% − 15.1%; by the score test z = √(334 · (45 · 129 − 23 · 137)² ÷ (182 · 152 · 68 · 266)) = 2.17.
  @Test func ofTwoVariantsTheFirstByNameIsTheControl() throws {
    func report(_ names: [String]) -> Report {
      Report(
        name: "funnel", title: "Funnel", definition: [],
        parameters: [Report.Parameter(name: "app", value: "a"), Report.Parameter(name: "by", value: "variant")],
        asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
        columns: [
          ReportColumn("app", .key), ReportColumn("variant", .key), ReportColumn("users", .count),
          ReportColumn("paid_users", .count),
        ],
        rows: zip(names, [(182, 45), (152, 23), (150, 20)]).map { name, counts in
          [.text("a"), .text(name), .count(counts.0), .count(counts.1)]
        })
    }
    let two = try table(report(["B", "A"]))
    #expect(two.contains("B against A: +9.6 pp payers") && two.contains("more than chance"), "\(two)")
    #expect(try !table(report(["B", "A", "C"])).contains(" against "))
    #expect(try table(report(["B", "control"])).contains("B against control: +9.6 pp payers"))
  }

  /// All columns were asked for, so that those without room are named before the other notes.
  @Test func columnsThatWereAskedForAreNamed() throws {
    let text = try table(SampleReports.cancellations, width: 60) { $0.columns = "all" }
    let lines = text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("No room for ") }, "\(text)")
    #expect(lines.joined(separator: " ").contains(": --width 0, or a wider window."))
    let whole = try table(SampleReports.cancellations) { ($0.columns, $0.width) = ("all", nil) }
    #expect(!whole.contains("No room"))
  }

  /// Two keys leave room for three of four shares: the last step stays.
  @Test func aNarrowPathKeepsItsLastStep() throws {
    let shares = ["sheet_rate", "started_rate", "abandonment_rate", "paid_rate"]
    let report = Report(
      name: "paths", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: ["app", "platform", "variant"].map { ReportColumn($0, .key) } + [ReportColumn("users", .count)]
        + shares.flatMap { ReportColumn.rate($0) },
      rows: ["control", "anchor"].map { variant -> [ReportValue] in
        [.text("a"), .text("android"), .text(variant), .count(275)]
          + shares.flatMap { _ in SampleReports.share(70, 275) }
      })
    let text = try table(report, width: 72)
    #expect(text.contains(" paid\n") && !text.contains("left the sheet"), "\(text)")
    #expect(text.contains("1 more column"), "\(text)")
  }

  /// 100 + 20 + 1 + 8.42 − 35.62 − 10 = 83.80: where there is no room for up and down, their sum is −27.20.
  @Test func movementFoldsSoThatItsStepsAddUp() throws {
    let names = ["opening", "new", "resubscribed", "expansion", "contraction", "churned", "closing"]
    let amounts: [Int128] = [100_000_000, 20_000_000, 1_000_000, 8_420_000, -35_620_000, -10_000_000, 83_800_000]
    let report = Report(
      name: "mrr", title: "", definition: [], parameters: [],
      asOf: ["a", "b"].map { Report.AppInstant(app: $0, asOf: 1_773_619_200_000, notes: []) },
      columns: [ReportColumn("app", .key), ReportColumn("month", .key), ReportColumn("currency", .key)]
        + names.map { ReportColumn($0, .money) },
      rows: ["a", "b"].map { app in
        [.text(app), .text("2026-02"), .text("USD")] + amounts.map { .money($0, currency: "USD") }
      })
    let wide = try table(report)
    #expect(wide.contains("down") && !wide.contains("changed"), "\(wide)")
    let narrow = try table(report, width: 64)
    #expect(narrow.contains("changed") && narrow.contains("−27.20") && narrow.contains("opening"), "\(narrow)")
    #expect(!narrow.contains("down") && !narrow.contains("more column"), "\(narrow)")
  }

  /// Of March, no payment is 30 days old; a month without payments has no rate at all.
  @Test func aRateThatCannotBeKnownYetSaysSo() throws {
    let rows: [(month: String, payments: Int, followed: Int, rate: Double?)] = [
      ("2026-01", 0, 0, nil), ("2026-02", 384, 147, 0.014), ("2026-03", 265, 0, nil),
    ]
    let report = Report(
      name: "refunds", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: [
        ReportColumn("app", .key), ReportColumn("month", .key), ReportColumn("payments", .count),
        ReportColumn("at_risk_30", .count),
      ] + ReportColumn.rate("refunded_30_rate"),
      rows: rows.map { row -> [ReportValue] in
        [.text("a"), .text(row.month), .count(row.payments), .count(row.followed), .rate(row.rate)]
          + [.rate(row.rate), .rate(row.rate.map { $0 * 2 })]
      })
    let text = try table(report)
    #expect(text.contains(#/Mar 2026.* 265 +not yet\n/#) && text.contains(#/Jan 2026.* 0 +– *\n/#), "\(text)")
    #expect(try render(report, as: .markdown).contains("| 265 | not yet |"))
    #expect(try render(report, as: .html).contains("<small>not yet</small>"))
  }

  /// Both sides have the number; the share of users that moved stands with its words, and p is not shown.
  @Test func driversReadWithoutIdentifiers() throws {
    let texts = ["verdict", "cut", "segment", "part"].map { ReportColumn($0, .text) }
    let rates = ["before_share", "now_share", "before_rate", "now_rate", "contribution"].map { ReportColumn($0, .rate) }
    let rows: [(words: [String], shares: [Double?], p: Double?)] = [
      (["chance", "app_version,country", "app_version=7.0,country=DE", "mix"], [0.914, 0, 0.277, nil, -0.03], 0.984),
      (["suspect", "app_version", "app_version=7.2", "2026-02-16"], [0, 0.5, nil, 0.227, nil], nil),
      (["suspect", "note", "a=b", "2025-12-30..2026-01-02"], [0, 0.5, nil, 0.129, nil], nil),
    ]
    let report = Report(
      name: "why", title: "", definition: [],
      parameters: [
        Report.Parameter(name: "report", value: "funnel"), Report.Parameter(name: "column", value: "paid_rate"),
      ],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: [ReportColumn("app", .key), ReportColumn("rank", .count)] + texts + rates
        + [ReportColumn("p_search", .number)],
      rows: rows.map { row -> [ReportValue] in
        let values: [ReportValue] = row.words.map { .text($0) } + row.shares.map { .rate($0) }
        return [.text("a"), .count(1)] + values + [.probability(row.p)]
      })
    let text = try table(report, width: 200)
    for part in [
      "app version 7.0, country DE", "its share of users, 91.4% to 0.0%", "27.7%", "since 16 Feb", "22.7%",
      "30 Dec 2025 to 2 Jan",
    ] { #expect(text.contains(part), "\(text)") }
    #expect(!text.contains("0.98") && !text.contains("app_version"), "\(text)")
  }

  /// Of a count, both sides are numbers of users: 0.3 × 1,300 = 390 and 0.25 × 1,000 = 250; 36 of 360 and 0 of 2. A suspect
  /// names its driver by its place in the table, which is not its rank.
  @Test func driversOfACountAreNumbersOfUsers() throws {
    let rows: [(words: [String], rank: Int?, units: (Int, Int), shares: (Double?, Double?), change: Double?)] = [
      (["total", "", "", ""], nil, (1_300, 1_000), (0.3, 0.25), -140),
      (["driver", "entry_point", "entry_point=settings", "volume"], 2, (360, 2), (0.1, 0), -36),
      (["driver", "country", "country=DE", "volume"], 1, (0, 40), (nil, 0.5), 20),
      (["suspect", "price", "variant=a,country=DE", "2026-03-01 1 → 2"], 1, (0, 40), (nil, 0.5), nil),
    ]
    let report = Report(
      name: "why", title: "", definition: [],
      parameters: [.init(name: "report", value: "funnel"), .init(name: "column", value: "paid_users")],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: [ReportColumn("app", .key), ReportColumn("rank", .count)]
        + ["verdict", "cut", "segment", "part"].map { ReportColumn($0, .text) }
        + ["before_n", "now_n"].map { ReportColumn($0, .count) }
        + ["before_rate", "now_rate"].map { ReportColumn($0, .rate) }
        + ["contribution", "p_search"].map { ReportColumn($0, .number) },
      rows: rows.map { row -> [ReportValue] in
        [.text("a"), row.rank.map { .count($0) } ?? .percent(nil)] + row.words.map { .text($0) }
          + [.count(row.units.0), .count(row.units.1), .rate(row.shares.0), .rate(row.shares.1)]
          + [.number(row.change), .probability(nil)]
      })
    let lines = try table(report, width: 200).split(separator: "\n").map { line in
      line.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }
    for line in [
      "total all 1,300 to 1,000 users 390 250 −140", "driver entry point settings 360 to 2 users 36 0 −36",
      "driver country DE 0 to 40 users 0 20 +20", "price variant a, country DE 1 Mar 1 → 2, driver 2 – 20 –",
    ] { #expect(lines.contains(line), "\(lines)") }
  }

  /// Wilson's lower bound of 65 of 65: 65 ÷ (65 + 3.84) = 94.4%.
  @Test func aRowThatNobodyHasLeftHasWilsonsRange() throws {
    func report(_ variants: [(name: String, share: Double, bound: Double?)]) -> Report {
      Report(
        name: "retention", title: "", definition: [], parameters: [],
        asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
        columns: ["app", "variant"].map { ReportColumn($0, .key) }
          + [ReportColumn("subscriptions", .count), ReportColumn("at_risk_12", .count)]
          + ReportColumn.rate("survival_12"),
        rows: variants.map { name, share, bound in
          [.text("a"), .text(name), .count(98), .count(65), .rate(share), .rate(bound), .rate(bound)]
        })
    }
    let text = try table(report([("b", 1, nil), ("c", 0.9, 0.9)])).split(separator: " ").joined(separator: " ")
    #expect(text.contains("100.0% 94.4 to 100.0"), "\(text)")
  }

  /// A share without an interval is shown from 10 units on: 1 of 9 is not, 1 of 10 is.
  @Test(arguments: [(9, "too few"), (10, "10.0%")])
  func aShareOfFewIsNotShown(purchases: Int, shown: String) throws {
    let plans = ["weekly", "monthly", "yearly", "lifetime", "other"]
    let counts: [ReportValue] = [0, purchases - 1, 1, 0, 0].map { .count($0) }
    let row: [ReportValue] = [.text("a"), .text("b")] + counts + [.rate(1 / Double(purchases))]
    let report = Report(
      name: "savings", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: ["app", "variant"].map { ReportColumn($0, .key) }
        + plans.map { ReportColumn("\($0)_purchases", .count) } + [ReportColumn("yearly_share", .rate)],
      rows: [row])
    #expect(try table(report).contains(shown))
  }

  @Test func hostileNamesMoveNothing() throws {
    let text = try table(SampleReports.hostile) { $0.isTerminal = true }
    try expectGolden(text, "hostile.80.txt")
    for scalar in text.unicodeScalars { #expect(scalar == "\n" || !scalar.isHidden, "\(scalar.value)") }
  }

  @Test func picturesFollowTheTable() throws {
    try expectGolden(table(SampleReports.funnel) { $0.isPlotted = true }, "funnel.plot.txt")
    try expectGolden(table(SampleReports.savings) { $0.isPlotted = true }, "savings.plot.txt")
  }

  @Test func withoutRatesThereIsNothingToDraw() throws {
    let report = Report(
      name: "revenue", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: [ReportColumn("app", .key), ReportColumn("payments", .count)], rows: [[.text("a"), .count(1)]])
    let drawn = try table(report) { $0.isPlotted = true }
    #expect(drawn.hasSuffix("\nNothing to draw: only rates have bars, and this table has none.\n"), "\(drawn)")
    #expect(!(try table(report)).contains("Nothing to draw"))
  }

  @Test func coloursAreEmphasisOnly() throws {
    let coloured = try table(SampleReports.funnel) {
      $0.isColored = true
      $0.isPlotted = true
    }
    try expectGolden(coloured, "funnel.color.txt")
    #expect(try coloured.replacing(/\x{1B}\[[0-9]m/, with: "") == table(SampleReports.funnel) { $0.isPlotted = true })
  }

  @Test func withoutRowsTheTableSaysSo() throws {
    let text = try table(SampleReports.empty)
    try expectGolden(text, "empty.80.txt")
    #expect(text.hasSuffix("\nNo rows: nothing in the store matches these options.\n"))
  }

  @Test(arguments: [60, 72, 80, 100, 132, 400])
  func noLineIsWiderThanTheTerminalNorEndsInBlanks(width: Int) throws {
    for report in [SampleReports.funnel, SampleReports.twoApps, SampleReports.savings, SampleReports.hostile] {
      for columns in [nil, "all"] {
        let text = try table(report, width: width) {
          $0.isTerminal = true
          $0.columns = columns
        }
        for line in text.split(separator: "\n") {
          #expect(displayWidth(String(line)) <= width, "\(line)")
          #expect(!line.hasSuffix(" "), "\(line)")
        }
      }
    }
  }

  /// A pipe has every name in full, whatever the width.
  @Test func namesAreCutOnATerminalAlone() throws {
    let name = "a_name_that_goes_on_and_on_and_on_well_past_what_any_terminal_has_room_for_beside_its_numbers"
    #expect(try table(SampleReports.hostile).contains(name))
    let shown = try table(SampleReports.hostile) { $0.isTerminal = true }
    #expect(!shown.contains(name) && shown.contains("…"))
    #expect(cutInMiddle("abcdefghij", to: 6) == "abc…ij" && cutInMiddle("abcdef", to: 6) == "abcdef")
  }

  /// Numbers are whole at any width; columns that have no room are named.
  @Test(arguments: [20, 33, 47, 60, 80, 120])
  func numbersAreNeverCut(width: Int) throws {
    for report in [SampleReports.funnel, SampleReports.savings] {
      let text = try table(report, width: width)
      let words = Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
      let layout = try SummaryLayout(SummaryTable(report, RenderOptions()), width: width, cutsNames: false)
      for laid in layout.columns where !laid.column.isKey {
        for cell in laid.column.cells {
          for word in "\(cell.text ?? undefinedMark) \(cell.bounds)".split(separator: " ") {
            #expect(words.contains(String(word)), "\(text)")
          }
        }
      }
      #expect((layout.droppedCount > 0) == words.contains("wider"))
    }
  }

  /// By hand: of 3 of 10 and 2 of 10, 5 of 20, whose Wilson interval is 0.1119 to 0.4687; money adds up, prices do not.
  @Test func totalsAreOfSums() throws {
    let report = Report(
      name: "funnel", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 0, notes: [])],
      columns: [
        ReportColumn("app", .key), ReportColumn("variant", .key), ReportColumn("users", .count),
        ReportColumn("paid_users", .count), ReportColumn("paid_rate", .rate), ReportColumn("paid_rate_low", .low),
        ReportColumn("paid_rate_high", .high), ReportColumn("amount", .money), ReportColumn("monthly_price", .money),
      ],
      rows: [("control", 3, 1_500_000), ("b", 2, 500_000)].map { name, paid, amount in
        [.text("a"), .text(name), .count(10), .count(paid)] + SampleReports.share(paid, 10)
          + [.money(Int128(amount), currency: "USD"), .money(1, currency: "USD")]
      })
    let total = TotalRow(of: report.rows, in: report, except: ["monthly_price"]).values
    #expect(total[2] == .count(20) && total[3] == .count(5) && total[7] == .money(2_000_000, currency: "USD"))
    #expect(total[8] == .percent(nil))
    #expect(total[4] == .rate(0.25))
    #expect(total[5].readableNumber(percentDecimals: 2) == "11.19%")
    #expect(total[6].readableNumber(percentDecimals: 2) == "46.87%")
  }

  /// Revenue for each payer is a quotient of other payers in each row, so it has no sum (7.5): 2 and 3 USD for each are not
  /// 5 for each.
  @Test func moneyForEachUserHasNoTotal() throws {
    let report = Report(
      name: "ltv", title: "", definition: [], parameters: [],
      asOf: ["a", "b"].map { Report.AppInstant(app: $0, asOf: 1_773_619_200_000, notes: []) },
      columns: [
        ReportColumn("app", .key), ReportColumn("currency", .key), ReportColumn("persons_7", .count),
        ReportColumn("persons_30", .count), ReportColumn("ltv_person_30", .money), ReportColumn("payers_30", .count),
        ReportColumn("ltv_payer_30", .money),
      ],
      rows: [("a", 2), ("b", 3)].map { app, worth in
        [
          .text(app), .text("USD"), .count(40), .count(40), .money(Int128(worth * 500_000), currency: "USD"),
          .count(20), .money(Int128(worth * 1_000_000), currency: "USD"),
        ]
      })
    let table = try SummaryTable(report, RenderOptions())
    let cells = Dictionary(uniqueKeysWithValues: table.columns.map { ($0.name, $0.cells.map(\.text)) })
    #expect(cells["persons_7"] == ["40", "40", "80"])
    #expect(cells["ltv_person_30"] == ["1.00", "1.50", ""])
    #expect(cells["ltv_payer_30"] == ["2.00", "3.00", ""])
  }

  /// A variant whose viewers paid nothing has no currency, and is a row of the table of the others all the same.
  @Test func aRowWithoutPaymentsNeedsNoCurrency() throws {
    let report = Report(
      name: "value", title: "", definition: [], parameters: [],
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [])],
      columns: ["app", "variant", "currency"].map { ReportColumn($0, .key) } + [ReportColumn("users", .count)],
      rows: [("control", "USD"), ("b", "(none)")].map { variant, currency in
        [.text("a"), .text(variant), .text(currency), .count(30)]
      })
    let table = try SummaryTable(report, RenderOptions())
    #expect(table.currency == "USD" && table.columns.map(\.name) == ["variant", "users"])
    #expect(table.columns[0].cells.map(\.text) == ["control", "b", "all"])
  }

  /// The trials that a Wilson interval was made of are found again, those of shares of 0 and 1 as well.
  @Test(arguments: [(0, 1), (0, 131), (1, 1), (7, 14), (165, 923), (977_000, 1_000_000)])
  func trialsAreFoundFromTheInterval(part: Int, whole: Int) throws {
    let share = SampleReports.share(part, whole).compactMap(\.share)
    #expect(wilsonTrials(of: share[0], low: share[1], high: share[2]) == Double(whole))
  }

  @Test func columnsAreChosenByTheirIdentifiers() throws {
    func headings(_ columns: String?) throws -> [String] {
      var options = RenderOptions()
      options.columns = columns
      return try SummaryTable(SampleReports.funnel, options).columns.map(\.heading)
    }
    let keys = ["variant", "entry point"]
    let core = ["viewers", "started a trial", "paid after trial", "paid, in all"]
    #expect(try headings(nil) == keys + core)
    #expect(try headings("paid_rate,users") == keys + ["paid, in all", "viewers"])
    #expect(try headings("+immature,-trial_rate") == keys + ["viewers"] + core[2...] + ["too recent to count"])
    #expect(try headings("all").count == keys.count + 11)
    let error = #expect(throws: UnknownColumn.self) { try headings("paid_rat") }
    #expect(error?.description.hasPrefix("--columns is paid_rat, but must be one of these: app, variant") == true)
  }

  @Test func controlComesFirstAndNoPaywallLast() throws {
    var report = SampleReports.funnel
    report.rows = ["(unattributed)", "a", "control", "b"].map { name in
      var row = report.rows[0]
      row[1] = .text(name)
      return row
    }
    let cells = try SummaryTable(report, RenderOptions()).columns[0].cells.map(\.text)
    #expect(cells == ["control", "a", "b", "no paywall known", "all"])
  }

  @Test func longTablesBeginWithTheirTotals() throws {
    let text = try table(SampleReports.funnel) { $0.height = 4 }
    let lines = text.split(separator: "\n")
    #expect(lines[3].hasPrefix("all ") && lines[4].hasPrefix("───"))
  }

  @Test func smallSharesHaveMoreDecimals() {
    #expect(percentDecimals([0.5, 0.0001]) == 1)
    #expect(percentDecimals([0.009, 0]) == 2)
    #expect(percentDecimals([0.0009]) == 3)
    #expect(percentDecimals([]) == 1)
    #expect(percentDecimals([-0.25]) == 1)
  }

  /// Widths by xterm and Python's wcwidth.
  @Test(arguments: [
    ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("ｱ", 1), ("Ａ", 2), ("🏃‍♀️", 2), ("🇩🇪", 2), ("👨‍👩‍👧‍👦", 2), ("한국", 4),
    ("–", 1), ("❤️", 2), ("✓", 1), ("1️⃣", 2), ("\u{301}", 0),
  ])
  func textsFillTheirColumns(text: String, width: Int) {
    #expect(displayWidth(text) == width)
  }

  @Test func linesBreakAtSpacesButNotBeforeAUnit() {
    #expect(wrapped("with its 95% interval", to: 11) == ["with its", "95%", "interval"])
    #expect(wrapped("horizon 17 d", to: 10) == ["horizon", "17 d"])
    #expect(wrapped("it fell by +4.8 pp, not 5 USD.", to: 15) == ["it fell by", "+4.8 pp, not", "5 USD."])
    #expect(wrapped("unbreakable word", to: 4) == ["unbreakable", "word"])
  }

  @Test func truncationCountsColumns() {
    #expect(truncated("日本語", to: 6) == "日本語")
    #expect(truncated("日本語", to: 5) == "日本…")
    #expect(truncated("日本語", to: 4) == "日…")
    #expect(truncated("abcdef", to: 4) == "abc…")
  }
}
