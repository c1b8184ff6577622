import Metrics
import Reports
import Store
import Testing

/// `--compare` (definitions 9): both sides are the plain report, and p and intervals are SciPy's.
struct ComparedReportTests {
  private typealias Events = ExperimentEvents

  /// A report compared, by the options of the command line.
  private func compared(_ store: TestStore, _ kind: ReportKind, _ words: [String: String]) throws -> Table {
    let request = try ReportRequest(kind, words.map { ReportRequest.Given($0.key, [$0.value]) })
    let report = try #require(try store.store.read { try request.table($0) })
    return try Table(csv: render(report, as: .csv))
  }

  private static func view(_ user: String, day: Int64, _ more: String = "") -> String {
    Events.line("paywall_impression", user, ms: Events.days(day), #","entry_point":"settings","variant":"a"\#(more)"#)
  }

  /// Users who see a paywall on a day; the first of them pay at once.
  private static func viewers(_ count: Int, paying: Int, day: Int64, _ more: String = "") -> [String] {
    (0..<count).flatMap { place -> [String] in
      let user = "u\(day)-\(place)\(more.count)"
      return [view(user, day: day, more)]
        + (place < paying ? [Events.conversion(user, ms: Events.days(day, ms: 1), "10")] : [])
    }
  }

  private static func end(_ day: Int64) -> String { Events.line("activity", "end", ms: Events.days(day, ms: -1)) }

  /// 20 and 35 of 100 pay. SciPy: `chi2_contingency(correction=False)` × (N − 1) ÷ N, p = 0.017813.
  @Test func sharesAreTestedByTheirScore() throws {
    let store = try TestStore(
      lines: Self.viewers(100, paying: 20, day: 2) + Self.viewers(100, paying: 35, day: 9) + [Self.end(40)])
    let table = try compared(
      store, .funnel, ["by": "none", "from": "2026-01-08", "to": "2026-01-15", "compare": "previous"])
    let columns = "before now change lift p p_adjusted family word before_n now_n method"
    #expect(
      table.cells(columns, of: "demo", "paid_rate")
        == "0.200000 0.350000 0.150000 0.750000 0.0178133 0.0178133 1 up 100 100 miettinen_nurminen")
    #expect(
      table.cells("before_from before_to now_from now_to before_days now_days complete", of: "demo", "paid_rate")
        == "2026-01-01 2026-01-08 2026-01-08 2026-01-15 7.000000 7.000000 true")
    // Seven days earlier than the as-of, the end of day 40.
    #expect(
      table.cells("before_as_of now_as_of", of: "demo", "users") == "2026-02-03T00:00:00.000Z 2026-02-10T00:00:00.000Z")
  }

  /// 10 of 30, then none of 9: a share of fewer than 10 is not shown, and a column that is asked for adds no row.
  @Test func aColumnThatIsAskedForAddsNoRow() throws {
    let store = try TestStore(
      lines: Self.viewers(30, paying: 10, day: 2) + Self.viewers(9, paying: 0, day: 9) + [Self.end(40)])
    let words = ["by": "none", "from": "2026-01-08", "to": "2026-01-15", "compare": "previous"]
    let request = try ReportRequest(.funnel, words.map { ReportRequest.Given($0.key, [$0.value]) })
    let report = try #require(try store.store.read { try request.table($0) })
    var options = RenderOptions()
    func rows() throws -> [Substring] {
      try render(report, as: .table, options: options).split(separator: "\n").filter { $0.contains("not known") }
    }
    let plain = try rows().count
    options.columns = "+p"
    #expect(try rows().count == plain)
  }

  /// January against February, by the name of the month.
  @Test func aMonthIsComparedByItsName() throws {
    let store = try TestStore(
      lines: Self.viewers(20, paying: 5, day: 2) + Self.viewers(20, paying: 5, day: 40) + [Self.end(80)])
    let table = try compared(
      store, .funnel, ["by": "none", "from": "2026-02", "to": "2026-02", "compare": "2026-01"])
    #expect(
      table.cells("before_from before_to now_from now_to", of: "demo", "users")
        == "2026-01-01 2026-02-01 2026-02-01 2026-03-01")
  }

  /// The trial of 25 January is open on the 29th, and that of the 6th is over: its week is the newest that counts.
  @Test func openTrialsNameTheWeekThatCounts() throws {
    let store = try TestStore(
      lines: [Self.view("v", day: 0), Events.trial("a", ms: Events.days(5)), Events.trial("b", ms: Events.days(24))]
        + [Self.end(29)])
    func report(_ days: [String: String]) throws -> Report {
      let words = days.merging(["by": "none", "compare": "previous"]) { $1 }
      let request = try ReportRequest(.trials, words.map { ReportRequest.Given($0.key, [$0.value]) })
      return try #require(try store.store.read { try request.table($0) })
    }
    #expect(
      try report(["from": "2026-01-19", "to": "2026-01-26"]).asOf.flatMap(\.warnings) == [
        "no trial of these days is over yet; the newest full week that counts starts on 2026-01-05 "
          + "(--from 2026-01-05 --to 2026-01-12)"
      ])
    let text = try render(report([:]), as: .table).replacing("\n", with: " ")
    #expect(text.contains("Now is the newest full week whose trials are all over."), "\(text)")
  }

  /// The first user of the country comes in the later week.
  @Test func aSegmentThatBeginsLaterHasNoDaysBefore() throws {
    let store = try TestStore(
      lines: Self.viewers(20, paying: 5, day: 2) + Self.viewers(20, paying: 5, day: 9, #","country":"DE""#)
        + [Self.end(40)])
    let words = ["from": "2026-01-08", "to": "2026-01-15", "where": "country=DE"]
    var request = try ReportRequest(.funnel, words.map { ReportRequest.Given($0.key, [$0.value]) })
    request.drivers = DriverQuestion(column: "paid_rate")
    let report = try #require(try store.store.read { try request.table($0) })
    #expect(
      report.definition.first
        == "not known: no user of the days before counts; perhaps there was no country=DE yet. If there was, ask for "
        + "earlier days with --from and --to. The days before are cut, as the data begin on 2026-01-03",
      "\(report.definition)")
  }

  /// No event has the country, so there is nothing to compare with, as with `--where`.
  @Test(arguments: [false, true]) func aGroupOfNobodyIsRefused(why: Bool) throws {
    let store = try TestStore(lines: Self.viewers(20, paying: 5, day: 2, #","country":"DE""#) + [Self.end(40)])
    func report(_ option: String) throws -> Report {
      var request = try ReportRequest(.funnel, [ReportRequest.Given(option, ["country=Germany"])])
      if why, option == "compare" { request.drivers = DriverQuestion(column: "paid_rate") }
      return try #require(try store.store.read { try request.table($0) })
    }
    let (compared, filtered) = (try report("compare"), try report("where"))
    #expect(compared.rows.isEmpty && compared.emptyNote == filtered.emptyNote)
    #expect(
      compared.emptyNote
        == "Nothing matches country=GERMANY. Without it: 20 viewers. Countries are two capital letters, such as DE. "
        + "country has DE (20 viewers).")
  }

  /// The data begin within the days before, or before them.
  @Test func daysBeforeTheDataAreTold() throws {
    let store = try TestStore(lines: Self.viewers(10, paying: 0, day: 9) + [Self.end(40)])
    func report(_ words: [String: String]) throws -> Report {
      let request = try ReportRequest(.funnel, words.map { ReportRequest.Given($0.key, [$0.value]) })
      return try #require(try store.store.read { try request.table($0) })
    }
    let days = ["by": "none", "from": "2026-01-12", "to": "2026-01-19", "compare": "previous"]
    // Before is 5 to 11 January, and day 9 is the 10th.
    #expect(
      try report(days).asOf.flatMap(\.warnings) == [
        "the data begin on 2026-01-10, after the first of the days before: `--compare 2026-01-10..2026-01-12` leaves out what "
          + "is missing"
      ])
    let later = ["by": "none", "from": "2026-01-19", "to": "2026-01-26", "compare": "previous"]
    #expect(try report(later).asOf.flatMap(\.warnings) == [])
  }

  /// The data end after 12 January, 5 of 7 days: before are the first 5 of its days.
  @Test func daysThatAreNotOverAreNamedAsFarAsTheyGo() throws {
    let store = try TestStore(
      lines: Self.viewers(30, paying: 10, day: 2) + Self.viewers(30, paying: 20, day: 9) + [Self.end(12)])
    let days = ["from": "2026-01-08", "to": "2026-01-15", "horizon": "1", "compare": "previous"]
    var request = try ReportRequest(.funnel, days.map { ReportRequest.Given($0.key, [$0.value]) })
    request.drivers = DriverQuestion(column: "paid_rate")
    let report = try #require(try store.store.read { try request.table($0) })
    #expect(report.parameters.first { $0.name == "before_from" }?.value == "2026-01-01")
    #expect(report.parameters.first { $0.name == "before_to" }?.value == "2026-01-06")
    #expect(try render(report, as: .table).contains("Before: 1 Jan to 5 Jan 2026."))
  }

  /// 1 of 7 and 2 of 5 pay: shares of fewer than 10 are not shown, and no segment has the 20 users of a search.
  @Test func fewUsersAreNotSearched() throws {
    let store = try TestStore(
      lines: Self.viewers(7, paying: 1, day: 2) + Self.viewers(5, paying: 2, day: 9) + [Self.end(40)])
    let days = ["from": "2026-01-08", "to": "2026-01-15"]
    var request = try ReportRequest(.funnel, days.map { ReportRequest.Given($0.key, [$0.value]) })
    request.drivers = DriverQuestion(column: "paid_rate")
    let text = try render(#require(try store.store.read { try request.table($0) }), as: .table)
    let lines = text.split(separator: "\n")
    let total = try #require(lines.first { $0.hasPrefix("total") })
    #expect(total.split(separator: " ").dropFirst().allSatisfy { ["all", "–"].contains($0) })
    #expect(lines.joined(separator: " ").contains("Chance alone can explain the change; nothing was searched"))
  }

  /// 20 and 60 of 100 pay, in either app: the rows of both are one family (9.6), and the notes say so. Names of apps stay
  /// as they are.
  @Test func rowsOfAllAppsAreTestedTogether() throws {
    let own = Self.viewers(100, paying: 20, day: 2) + Self.viewers(100, paying: 60, day: 9) + [Self.end(40)]
    let store = try TestStore(lines: own + own.map { $0.replacing("\"demo\"", with: "\"other\"") })
    func text(_ apps: [String], why: Bool) throws -> String {
      let days = ["by": "none", "from": "2026-01-08", "to": "2026-01-15", "compare": "previous"]
      var request = try ReportRequest(
        .funnel, days.map { ReportRequest.Given($0.key, [$0.value]) } + [ReportRequest.Given("app", apps)])
      if why { request.drivers = DriverQuestion(column: "paid_rate") }
      return try render(#require(try store.store.read { try request.table($0) }), as: .table)
    }
    let note = "corrected for the number of rows compared in all apps (Holm)"
    #expect(try text(["demo", "other"], why: false).replacing("\n", with: " ").contains(note))
    #expect(
      try text(["demo"], why: false).replacing("\n", with: " ").contains(
        "corrected for the number of rows compared (Holm)"))
    let why = try text(["demo", "other"], why: true)
    let change = "more than chance explains the change"
    #expect(why.contains("\ndemo: \(change)") && why.contains("other: \(change)"), "\(why)")
  }

  /// The last full week is that of Monday, 19 January. Its users see the paywall on the 25th and count 10 days later, but
  /// the data end on the 31st. Those of the week before see it on the 13th.
  @Test func theWeekThatCountsIsNamed() throws {
    let store = try TestStore(
      lines: [5, 12, 24].flatMap { Self.viewers(10, paying: 1, day: $0) } + [Self.end(31)])
    func report(why: Bool, days: [ReportRequest.Given]) throws -> Report {
      let words: [ReportRequest.Given] = [
        .init("by", ["none"]), .init("horizon", ["10"]), .init("compare", ["previous"]),
      ]
      var request = try ReportRequest(.funnel, words + days)
      if why { request.drivers = DriverQuestion(column: "paid_rate") }
      return try #require(try store.store.read { try request.table($0) })
    }
    let clause = "the newest full week that counts starts on 2026-01-12 (--from 2026-01-12 --to 2026-01-19)"
    let newest: [ReportRequest.Given] = [.init("from", ["2026-01-19"]), .init("to", ["2026-01-26"])]
    #expect(
      try report(why: false, days: newest).asOf.flatMap(\.warnings) == ["no user of these days counts yet; \(clause)"])
    #expect(
      try report(why: true, days: newest).definition.first
        == "not known: no user of these days counts yet; \(clause)")
    // Without days, that week is compared: 10 users of the 13th with 10 of the 6th.
    let table = try Table(csv: render(report(why: false, days: []), as: .csv))
    #expect(table.cells("before now now_from now_to", of: "demo", "users") == "10 10 2026-01-12 2026-01-19")
    #expect(try report(why: true, days: []).parameter("from") == "2026-01-12")
  }

  /// The data begin on 10 January: sales of the week after cannot be split against the week before them.
  @Test func driversNeedTheDaysBefore() throws {
    let store = try TestStore(lines: Self.viewers(10, paying: 10, day: 9) + [Self.end(40)])
    var request = try ReportRequest(.revenue, [.init("from", ["2026-01-10"]), .init("to", ["2026-01-17"])])
    request.drivers = DriverQuestion(column: "gross")
    let why = try #require(try store.store.read { try request.table($0) })
    #expect(why.rows.isEmpty)
    #expect(why.emptyNote == "Not known: the data begin on 2026-01-10, after the days before.")
    #expect(why.parameter("from") == "2026-01-10" && why.parameter("to") == "2026-01-17")
  }

  /// 15 and 30 users of one event each: SciPy's `2 * binom.sf(29, 45, .5)` and `binomtest(30, 45).proportion_ci()` as odds.
  @Test func countsOfUsersAreTestedExactly() throws {
    let store = try TestStore(
      lines: Self.viewers(15, paying: 0, day: 2) + Self.viewers(30, paying: 0, day: 9) + [Self.end(40)])
    let table = try compared(
      store, .funnel, ["by": "none", "from": "2026-01-08", "to": "2026-01-15", "compare": "previous"])
    #expect(
      table.cells("before now change lift lift_low lift_high p word method", of: "demo", "users")
        == "15 30 15 1.000000 0.042886 2.999858 0.0356978 up binomial")
    // No one pays on either side: no number to test, and of viewers the same share.
    #expect(
      table.cells("before now change p word", of: "demo", "paid_rate") == "0.000000 0.000000 0.000000 - chance")
    #expect(table.cells("before now p word reason", of: "demo", "paid_users") == "0 0 - unknown nothing on either side")
  }

  /// 40 and 80 of 200 viewers pay 10 at once: worth 2 and 4 each. The variances of both means are 0.2 · 0.8 · 10² ÷ 200 and
  /// 0.4 · 0.6 · 10² ÷ 200, so the change is 2 ± 1.96 · √0.2 = 1.12 to 2.88. Those of 499 resamples are within 6% of these, as
  /// a rule, which moves the bounds by 0.03.
  @Test func valuesAreTestedByTheirResamples() throws {
    let store = try TestStore(
      lines: Self.viewers(200, paying: 40, day: 2) + Self.viewers(200, paying: 80, day: 9) + [Self.end(40)])
    let days = ["by": "none", "from": "2026-01-08", "to": "2026-01-15", "compare": "previous"]
    let table = try compared(store, .value, days)
    let key = ["demo", "USD", "value_1"]
    #expect(
      table.cells("before now change lift word method reason", of: "demo", "USD", "value_1")
        == "2.00 4.00 2.00 1.000000 up bootstrap -")
    let row = try #require(table.rows.first { $0.starts(with: key) })
    let bounds = try ["change_low", "change_high"].map { try #require(table.number($0, in: row)) }
    #expect(abs(bounds[0] - 1.12) < 0.12 && abs(bounds[1] - 2.88) < 0.12, "\(bounds)")
    #expect(table.cells("before now method", of: "demo", "USD", "users") == "200 200 binomial")
    #expect(table.cells("before now method", of: "demo", "USD", "monthly_purchases") == "40 80 binomial")
    #expect(throws: OptionError.self) { try compared(store, .value, days.merging(["pairs": "true"]) { $1 }) }
  }

  /// 20 in February and 40 in March, of 28 and 31 days: per day, expected shares are 28 and 31 of 59 (SciPy as above).
  @Test func monthsOfDifferentLengthAreComparedByDay() throws {
    let store = try TestStore(
      lines: Self.viewers(20, paying: 0, day: 40) + Self.viewers(40, paying: 0, day: 70) + [Self.end(120)])
    let table = try compared(
      store, .funnel, ["by": "none", "from": "2026-03-01", "to": "2026-04-01", "compare": "previous"])
    #expect(table.cells("before_days now_days", of: "demo", "users") == "28.000000 31.000000")
    #expect(
      table.cells("before now change lift_low lift_high p word", of: "demo", "users")
        == "20 40 17.857143 0.031404 2.261611 0.037643 up")
  }

  /// a pays 10 on both sides, b 20 now, c 10 before: x = 0, 20, −10, so 10 ± 1.96·√500, p = 0.654721 (SciPy's `norm.sf`).
  @Test func amountsAreTestedByUser() throws {
    let store = try TestStore(lines: [
      Events.conversion("a", ms: Events.days(1), "10"),
      Events.line(
        "renewal", "a", ms: Events.days(9), #","plan":"monthly","product_id":"pro","price":10,"currency":"USD""#),
      Events.conversion("b", ms: Events.days(9), "20"), Events.conversion("c", ms: Events.days(2), "10"), Self.end(40),
    ])
    let table = try compared(
      store, .revenue, ["by": "none", "from": "2026-01-08", "to": "2026-01-15", "compare": "previous"])
    #expect(
      table.cells("before now change change_low change_high p word before_n now_n method", of: "demo", "USD", "revenue")
        == "20.00 30.00 10.00 -33.83 53.83 0.654721 chance 2 2 normal")
  }

  /// a brings 10 a month on both days, b 20 and c 10 on the later one: x = 0, 20, 10, so 30 ± 1.96·√500, p = 0.179712
  /// (SciPy's `norm.sf`). Three subscriptions instead of one: 2 ± 1.96·√2, p = 0.157299.
  @Test func recurringRevenueIsComparedBetweenTwoDays() throws {
    let store = try TestStore(lines: [
      Events.conversion("a", ms: Events.days(2), "10"), Events.conversion("b", ms: Events.days(9), "20"),
      Events.conversion("c", ms: Events.days(10), "10"), Self.end(20),
    ])
    let words = ["by": "none", "from": "2026-01-08", "to": "2026-01-15", "compare": "previous"]
    let table = try compared(store, .mrr, words)
    #expect(
      table.cells("before now change change_low change_high p word before_n now_n method", of: "demo", "USD", "mrr")
        == "10.00 40.00 30.00 -13.83 73.83 0.179712 chance 1 3 normal")
    #expect(
      try compared(store, .subscriptions, words).cells("before now change p word", of: "demo", "active")
        == "1 3 2 0.157299 chance")
    // Whether auto-renew is off is known of today, and not of the days before.
    let open = try compared(store, .subscriptions, ["by": "none", "from": "2026-01-08", "compare": "previous"])
    let names = open.column("column")
    #expect(names.contains("active") && !names.contains("renewing") && !names.contains("in_grace"))
  }

  /// A yearly plan of 120 is 10 a month at the end of February and of March: a state does not grow with 28 and 31 days.
  @Test func statesAreNotComparedByDay() throws {
    let yearly = #","plan":"yearly","product_id":"pro","price":120,"currency":"USD""#
    let store = try TestStore(
      lines: [Events.line("conversion", "a", ms: Events.days(2), yearly), Self.end(120)])
    let table = try compared(
      store, .mrr, ["by": "none", "from": "2026-03-01", "to": "2026-04-01", "compare": "previous"])
    #expect(
      table.cells("before now change p word reason", of: "demo", "USD", "mrr")
        == "10.00 10.00 0.00 - unknown no user's amount changed")
  }

  /// Of 40 monthly subscriptions 10 are paid again, of 40 a week later 24. Without anything open, S = 0.25 and 0.6 with the
  /// variances S(1 − S) ÷ 40; p from ln(−ln S) and V ÷ (S ln S)² (SciPy's `norm.sf`).
  @Test func retentionIsTestedByItsEstimates() throws {
    func subscriptions(day: Int64, renewing: Int) -> [String] {
      (0..<40).flatMap { place -> [String] in
        let user = "s\(day)-\(place)"
        let renewal = Events.line(
          "renewal", user, ms: Events.days(day + 31),
          #","plan":"monthly","product_id":"pro","price":10,"currency":"USD""#)
        return [Events.conversion(user, ms: Events.days(day), "10")] + (place < renewing ? [renewal] : [])
      }
    }
    let store = try TestStore(
      lines: subscriptions(day: 2, renewing: 10) + subscriptions(day: 9, renewing: 24) + [Self.end(90)])
    let table = try compared(
      store, .retention, ["by": "none", "from": "2026-01-08", "to": "2026-01-15", "compare": "previous"])
    #expect(
      table.cells("before now change change_low change_high p word method", of: "demo", "survival_35")
        == "0.250000 0.600000 0.350000 0.147378 0.552622 0.0018561 up greenwood")
    // Everybody is there for 12 days: no variance.
    #expect(
      table.cells("before now p word reason", of: "demo", "survival_12")
        == "1.000000 1.000000 - unknown all or none on a side: the estimate has no variance")
  }

  /// Four users bring 0, 0, 10, 20 within 7 days, four later ones 0, 10, 20, 30: SciPy's
  /// `ttest_ind(b, a, equal_var=False)` and its interval; of payers 10, 20 and 10, 20, 30.
  @Test func meansAreTestedByWelch() throws {
    func users(day: Int64, _ amounts: [Int]) -> [String] {
      amounts.enumerated().flatMap { place, amount -> [String] in
        let user = "m\(day)-\(place)"
        return [Self.view(user, day: day)]
          + (amount > 0 ? [Events.conversion(user, ms: Events.days(day, ms: 1), "\(amount)")] : [])
      }
    }
    let store = try TestStore(lines: users(day: 2, [0, 0, 10, 20]) + users(day: 9, [0, 10, 20, 30]) + [Self.end(40)])
    let table = try compared(
      store, .ltv, ["by": "none", "from": "2026-01-08", "to": "2026-01-15", "compare": "previous"])
    let columns = "before now change change_low change_high p word before_n now_n method"
    #expect(
      table.cells(columns, of: "demo", "USD", "ltv_person_7")
        == "7.50 15.00 7.50 -12.57 27.57 0.389595 chance 4 4 welch")
    #expect(
      table.cells(columns, of: "demo", "USD", "ltv_payer_7")
        == "15.00 20.00 5.00 -19.88 29.88 0.561151 chance 2 3 welch")
    // Users who did not pay count, too.
    #expect(
      table.cells("before now change p word before_n now_n method", of: "demo", "USD", "persons_7")
        == "4 4 0 1 chance 4 4 binomial")
  }

  /// In each of two weeks 40 of 100 trials convert, half of them 7 d and half 9 d after their start. 7 d after the second
  /// week the second half of its last trials is not there yet: as old, the first week looked alike.
  @Test func aYoungerPeriodDoesNotLookWorse() throws {
    let lines = (0..<14).flatMap { day in
      (0..<100).flatMap { place -> [String] in
        let user = "t\(day)-\(place)"
        let paid = place < 20 ? 7 : place < 40 ? 9 : nil
        return [Events.trial(user, ms: Events.days(Int64(day)))]
          + (paid.map { [Events.conversion(user, ms: Events.days(Int64(day) + Int64($0), ms: -1), "10")] } ?? [])
      }
    }
    let store = try TestStore(lines: lines + [Self.end(22)])
    let words = ["by": "none", "from": "2026-01-08", "to": "2026-01-15", "compare": "previous", "as-of": "2026-01-22"]
    let equal = try compared(store, .trials, words)
    #expect(equal.cells("before now change word", of: "demo", "converted") == "260 260 0 chance")
    let known = try compared(store, .trials, words.merging(["ages": "known"]) { $1 })
    #expect(
      known.cells("before now word before_as_of", of: "demo", "converted") == "280 260 chance 2026-01-22T00:00:00.000Z")
  }

  /// Each side of a comparison is the plain report with the options that the row names.
  @Test func bothSidesArePlainReports() throws {
    let store = try TestStore(paths: [Fixtures.package.appendingPathComponent("SampleData/events").path])
    for kind in [
      ReportKind.funnel, .trials, .cancellations, .revenue, .refunds, .retention, .mrr, .subscriptions, .ltv,
    ] {
      let table = try compared(
        store, kind, ["by": "variant", "from": "2026-02-01", "to": "2026-03-01", "compare": "previous", "app": "steps"])
      #expect(!table.rows.isEmpty)
      for (side, days) in [("now", ["2026-02-01", "2026-03-01"]), ("before", ["2026-01-01", "2026-02-01"])] {
        guard let row = table.rows.first, let place = table.columns.firstIndex(of: "\(side)_as_of") else { continue }
        let plain = try store.table(
          kind.name, "--by", "variant", "--app", "steps", "--from", days[0], "--to", days[1], "--as-of", row[place])
        let keys = table.columns.firstIndex(of: "column") ?? 0
        for row in table.rows {
          let own = plain.rows.first { $0.prefix(keys) == row.prefix(keys) }
          let value = plain.columns.firstIndex(of: row[keys]).flatMap { place in own.map { $0[place] } } ?? ""
          #expect(row[table.columns.firstIndex(of: side) ?? 0] == value, "\(kind.name) \(row.prefix(keys + 1))")
        }
      }
    }
  }

  /// iOS against Android and the other way round: the change has the other sign, and p is the same.
  @Test func swappingTheSidesNegates() throws {
    let (ios, android) = (#","platform":"ios""#, #","platform":"android","x":1"#)
    let store = try TestStore(
      lines: Self.viewers(80, paying: 20, day: 2, ios) + Self.viewers(100, paying: 40, day: 2, android) + [Self.end(40)]
    )
    let one = try compared(store, .funnel, ["by": "none", "where": "platform=ios", "compare": "platform=android"])
    // Without a filter, now is everybody else.
    let other = try compared(store, .funnel, ["by": "none", "compare": "platform=ios"])
    for column in ["users", "paid_users", "paid_rate"] {
      #expect(one.cells("before now p", of: "demo", column) == other.cells("now before p", of: "demo", column))
    }
    #expect(one.cells("change", of: "demo", "paid_rate") == "-0.150000")
    #expect(other.cells("change", of: "demo", "paid_rate") == "0.150000")
  }

  @Test(arguments: [
    (["compare": "2026-01-05..2026-01-10", "from": "2026-01-08", "to": "2026-01-15"], "overlaps"),
    (["compare": "previous", "from": "2027-01-01"], "--from is 2027-01-01, but the data end on"),
    (["compare": "2026-01-10..2026-01-05", "from": "2026-02-08", "to": "2026-02-15"], "the second day must be after"),
    (["compare": "2026-01-05..2026-01-10"], "give --from and --to"),
    (["compare": "2026-01-20..2026-01-25", "from": "2026-01-01", "to": "2026-01-15"], "give the later days to --from"),
    (["compare": "previous", "by": "month"], "rows of two periods would not pair"),
    (["compare": "variant=a", "where": "variant=a,b"], "must not share users"),
    (["compare": "next"], "previous, a period such as 2026-01, two days such as"),
    (["compare": "colour=red"], "not a dimension"),
  ])
  func wrongSidesAreRefused(words: [String: String], message: String) throws {
    let store = try TestStore(lines: Self.viewers(3, paying: 1, day: 2) + [Self.end(40)])
    let error = #expect(throws: (any Error).self) { try compared(store, .funnel, words) }
    #expect(error.map { "\($0)".contains(message) } == true, "\(String(describing: error))")
  }

  /// Without days, the last full week against the one before; a row that only one side has is on no side's account.
  @Test func theLastFullWeekIsTheDefault() throws {
    // 2026-01-05 is a Monday; the data end on Sunday the 25th.
    let lines = Self.viewers(10, paying: 5, day: 12) + Self.viewers(10, paying: 5, day: 19, #","country":"DE""#)
    let store = try TestStore(lines: lines + [Self.end(25)])
    let table = try compared(store, .funnel, ["by": "country", "compare": "previous", "horizon": "1"])
    #expect(
      table.cells("now_from now_to before_from word reason now", of: "demo", "DE", "users")
        == "2026-01-19 2026-01-26 2026-01-12 unknown no such row before 10")
  }
}
