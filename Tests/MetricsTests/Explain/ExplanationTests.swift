import FolderSupport
import Foundation
import Ingest
import Lifecycle
import Metrics
import Reports
import Simulation
import Store
import Testing

/// The list of `explain` adds up to the number, for every cell and every column. The number comes from cells or events
/// counted together, the list from the units of each user; a difference would be an error of the code that reads them.
@Suite struct ExplanationTests {
  private static let sample = Result {
    try TestStore(paths: [Fixtures.package.appendingPathComponent("SampleData/events").path])
  }

  /// A few users like those of the sample, and lives with late payments, refunds and plan changes.
  private static let mixed = Result {
    try withTemporaryDirectory { (folder: URL) throws -> TestStore in
      let options = SampleOptions(seed: 5, size: .persons(90), days: 50, compression: .none, threads: 1)
      try SampleWriter(options: options).write(to: folder.path)
      let lives = RandomLives(seed: 3, persons: 40)
      try Data((lives.lines.map(\.text) + lives.reminders).map { $0 + "\n" }.joined().utf8)
        .write(to: folder.appendingPathComponent("lives.jsonl"))
      return try TestStore(paths: [folder.path])
    }
  }

  /// Columns that are not sums over users, by report; every other column must be explained.
  private static let refused: [ReportKind: Set<String>] = [
    .savings: ["price_source"],
    .activity: ["days"],
    .nudges: ["others", "others_rate", "others_reminded_soon", "reason"],
    .ltv: ["predicted_note", "tested_errors"],
    .value: ["survival", "basis_1", "basis_3", "basis_12", "basis_24", "note", "tested_errors"],
  ]

  /// Columns of a savings row whose prices no impression showed.
  private static let refusedWithoutShownPrices: Set = [
    "price_pairs", "monthly_price", "yearly_price", "shown_saving", "badge_percent", "break_even_months",
  ]

  /// Explains every number of up to `rows` rows, or of all if `TOLLGATE_EXPLAIN_ALL` is set, and adds up the lists.
  ///
  /// - Returns: How many numbers.
  private func explainAll(
    _ snapshot: StoreSnapshot, _ kind: ReportKind, _ options: ReportOptions, limit: Int? = 0, rows: Int
  ) throws -> Int {
    let report = try kind.report(snapshot, options)
    let text = Table(csv: try render(report, as: .csv))
    var explained = 0
    let isWhole = ProcessInfo.processInfo.environment["TOLLGATE_EXPLAIN_ALL"] != nil
    let step = isWhole ? 1 : max(1, (text.rows.count + rows - 1) / rows)
    for place in stride(from: 0, to: text.rows.count, by: step) {
      let row = text.rows[place]
      let cell = zip(report.columns, row).filter { $0.0.kind == .key }.map { (name: $0.0.name, value: $0.1) }
      let explainer = try Explainer(snapshot, report: kind, options: options, cell: cell)
      for (place, column) in report.columns.enumerated() where column.kind != .key {
        let what = "\(kind.name) \(cell.map(\.value)) \(column.name)"
        let explanation: Explanation
        do {
          explanation = try explainer.explanation(of: column.name, limit: limit)
        } catch let error as ExplanationError {
          switch error {
          case .refused:
            let source = report.columns.firstIndex { $0.name == "price_source" }.map { row[$0] } ?? "shown"
            let refused = (Self.refused[kind] ?? []).union(source == "shown" ? [] : Self.refusedWithoutShownPrices)
            #expect(refused.contains(column.name), "\(what): \(error)")
          case .undefined: #expect(row[place].isEmpty, "\(what): \(error)")
          default: Issue.record("\(what): \(error)")
          }
          continue
        }
        explained += 1
        if let limit { #expect(explanation.persons.count <= limit) } else { checkPersons(explanation, what) }
        check(explanation, row[place], column, what)
      }
    }
    return explained
  }

  /// Compares the printed number with the sums.
  private func check(_ explanation: Explanation, _ printed: String, _ column: ReportColumn, _ what: String) {
    guard let number = Double(printed) else {
      Issue.record("\(what) is \(printed)")
      return
    }
    let total = Double(explanation.total.millionths) / 1e6
    if explanation.isEstimate || column.kind == .low || column.kind == .high { return }
    if let of = explanation.of {
      // A rate has 6 decimals, a mean of money 2.
      #expect(
        abs(total / (Double(of.millionths) / 1e6) - number) <= (column.kind == .money ? 0.005001 : 0.000_000_501),
        "\(what)")
    } else {
      // The report's money has 2 decimals, the sum is in micro-units: they may differ by exactly half a cent.
      let difference = explanation.total.millionths - Int128((number * 1e6).rounded())
      #expect(abs(difference) <= (column.kind == .money ? 5_000 : 0), "\(what): \(total), not \(number)")
    }
    let counted = explanation.counts.first { $0.place == .counted }
    #expect(counted?.amount == explanation.total, "\(what)")
  }

  private func checkPersons(_ explanation: Explanation, _ what: String) {
    #expect(explanation.persons.count == explanation.personCount, "\(what)")
    var sum = explanation.rounding.millionths
    for person in explanation.persons {
      sum += person.amount.millionths
      #expect(!person.user.isEmpty && !person.reasons.isEmpty, "\(what)")
      // No user counts without an event.
      #expect(!person.events.isEmpty, "\(what), \(person.user)")
    }
    #expect(sum == explanation.total.millionths, "\(what)")
    #expect(Set(explanation.persons.map(\.user)).count == explanation.personCount, "\(what)")
  }

  private static func options(_ kind: ReportKind, _ by: [Metrics.Dimension]) -> ReportOptions {
    var options = ReportOptions()
    options.by = kind == .activity ? [.month] + by : by
    return options
  }

  @Test(arguments: ReportKind.explained)
  func everyNumberOfTheSampleIsTheSumOfWhatIsListed(kind: ReportKind) throws {
    try Self.sample.get().store.read { snapshot in
      let explained = try explainAll(snapshot, kind, Self.options(kind, [.variant]), rows: 1)
      #expect(explained > 1)
    }
  }

  /// Options that only facts or events can answer, or that change the units of a row.
  @Test(arguments: ReportKind.explained)
  func everyNumberIsSoUnderOtherOptions(kind: ReportKind) throws {
    let store = try Self.mixed.get()
    try store.store.read { snapshot in
      var all = Self.options(kind, [.entryPoint, .plan])
      if kind == .activity { all.by = [.month, .entryPoint] }
      if ![.cadence, .gates, .activity].contains(kind) { all.attribution = .all }
      all.grace = 9 * day
      all.unit = .view
      all.mode = .proceeds
      all.storeFee = .none
      var explained = try explainAll(snapshot, kind, all, limit: nil, rows: 8)
      var zoned = Self.options(kind, kind == .activity ? [.platform] : [.month])
      zoned.timeZone = "America/New_York"
      zoned.showsMovement = true
      zoned.isByPeriod = true
      zoned.isByRefundDay = true
      zoned.asOf = 1_780_000_000_000
      if kind != .mrr && kind != .subscriptions { zoned.filters = [.init(dimension: .variant, values: ["a"])] }
      explained += try explainAll(snapshot, kind, zoned, limit: nil, rows: 8)
      #expect(explained > 10)
    }
  }

  /// Derived by hand. `a` sees the paywall on day 0 and converts a trial of 7 d; `b` is family-shared; `c` pays
  /// directly; `d` came less than 7 + 7 + 3 days before the as-of.
  private static let lines = [
    #"{"event_id":"a1","event":"paywall_impression","ts":"2026-03-01T00:00:00Z","app":"x","user_id":"a","entry_point":"settings"}"#,
    #"{"event_id":"a2","event":"trial_start","ts":"2026-03-01T01:00:00Z","app":"x","user_id":"a2","trial_days":7,"plan":"monthly","product_id":"m"}"#,
    #"{"event_id":"a3","event":"conversion","ts":"2026-03-08T01:00:00Z","app":"x","user_id":"a2","product_id":"m","plan":"monthly","price":"5","currency":"EUR"}"#,
    #"{"event_id":"a4","event":"identify","ts":"2026-03-01T00:30:00Z","app":"x","user_id":"a2","previous_user_id":"a"}"#,
    #"{"event_id":"b1","event":"paywall_impression","ts":"2026-03-01T00:00:00Z","app":"x","user_id":"b","entry_point":"settings"}"#,
    #"{"event_id":"b2","event":"conversion","ts":"2026-03-01T02:00:00Z","app":"x","user_id":"b","product_id":"m","plan":"monthly","price":"5","currency":"EUR","ownership":"family_shared"}"#,
    #"{"event_id":"c1","event":"paywall_impression","ts":"2026-03-02T00:00:00Z","app":"x","user_id":"c","entry_point":"settings"}"#,
    #"{"event_id":"c2","event":"conversion","ts":"2026-03-02T00:01:00Z","app":"x","user_id":"c","product_id":"m","plan":"monthly","price":"5","currency":"EUR"}"#,
    #"{"event_id":"d1","event":"paywall_impression","ts":"2026-03-20T00:00:00Z","app":"x","user_id":"d","entry_point":"settings"}"#,
    #"{"event_id":"e1","event":"paywall_impression","ts":"2026-03-01T00:00:00Z","app":"x","user_id":"e","entry_point":"route_map"}"#,
  ]

  @Test func aPersonIsListedWithTheEventsThatDecided() throws {
    let store = try TestStore(lines: Self.lines)
    let explanation = try store.store.read { snapshot in
      try Explainer(
        snapshot, report: .funnel, options: Self.options(.funnel, [.entryPoint]), cell: [("entry_point", "settings")]
      ).explanation(of: "paid_users")
    }
    #expect(explanation.persons.map(\.user) == ["a", "c", "b", "d"])
    #expect(explanation.persons.map { $0.amount.millionths } == [1_000_000, 1_000_000, 0, 0])
    #expect(explanation.persons[0].users == ["a", "a2"])
    #expect(explanation.persons[0].events.map(\.id) == ["a1", "a4", "a2", "a3"])
    #expect(
      explanation.persons[0].events[2].role
        == "opens an introductory trial until 2026-03-08T01:00:00.000Z, deadline 2026-03-11T01:00:00.000Z (2.2); "
        + "converted 2026-03-08T01:00:00.000Z (2.3)")
    #expect(explanation.persons[2].reasons == ["no purchase (3.2)"])
    #expect(explanation.persons[2].events.map(\.role).last == "left out: family-shared (1.5)")
    #expect(
      explanation.persons[3].reasons == ["too recent to count: less than 17 days since the first paywall view (3.3)"])
    #expect(
      explanation.counts.map { "\($0.place.rawValue) \($0.amount.millionths / 1_000_000) \($0.reason)" } == [
        "in 2 users who paid at once, or after a trial that started within 7 days",
        "out 1 too recent to count: less than 17 days since the first paywall view (3.3)",
        "out 0 first paid later (3.4)",
        "out 1 no purchase (3.2)", "elsewhere 0 in other rows of the app",
      ])
  }

  /// Derived by hand: 5 and 40 are shown to a twice and to b once, 6 and 40 to c; d's impression has one price.
  @Test func pricesAreThoseOfImpressions() throws {
    func seen(_ user: String, _ number: Int, _ prices: String) -> String {
      #"{"event_id":"\#(user)\#(number)","event":"paywall_impression","ts":"2026-03-0\#(number)T00:00:00Z","app":"x","user_id":"\#(user)","entry_point":"settings","currency":"EUR",\#(prices)}"#
    }
    let pair = #""price_monthly":"5","price_yearly":"40""#
    let store = try TestStore(lines: [
      seen("a", 1, pair), seen("a", 2, pair), seen("b", 1, pair),
      seen("c", 1, #""price_monthly":"6","price_yearly":"40""#), seen("d", 1, #""price_monthly":"5""#),
    ])
    func explain(_ column: String) throws -> Explanation {
      try store.store.read { snapshot in
        try Explainer(
          snapshot, report: .savings, options: Self.options(.savings, [.entryPoint]),
          cell: [("entry_point", "settings"), ("currency", "EUR")]
        ).explanation(of: column)
      }
    }
    let price = try explain("monthly_price")
    #expect(price.persons.map(\.user) == ["a", "b", "c"] && price.isEstimate)
    #expect(price.persons.map { $0.amount.millionths / 1_000_000 } == [2, 1, 0])
    #expect(price.counts.map { $0.amount.millionths / 1_000_000 } == [3, 1])
    #expect(price.persons[1].events.map(\.role) == ["shows 5.00 monthly and 40.00 yearly, EUR (5.1)"])
    #expect(try explain("price_pairs").total.millionths == 4_000_000)
  }

  /// Derived by hand, for settings: a and c buy in euros, f in dollars, b nothing; d is immature.
  @Test func usersOfAValueAreAllThere() throws {
    let store = try TestStore(
      lines: Self.lines + [
        #"{"event_id":"f1","event":"paywall_impression","ts":"2026-03-02T00:00:00Z","app":"x","user_id":"f","entry_point":"settings"}"#,
        #"{"event_id":"f2","event":"conversion","ts":"2026-03-02T00:01:00Z","app":"x","user_id":"f","product_id":"m","plan":"monthly","price":"5","currency":"USD"}"#,
      ])
    let explanation = try store.store.read { snapshot in
      try Explainer(
        snapshot, report: .value, options: Self.options(.value, [.entryPoint]),
        cell: [("entry_point", "settings"), ("currency", "EUR")]
      ).explanation(of: "value_1")
    }
    #expect(explanation.persons.map(\.user) == ["a", "c", "b", "f"])
    #expect(
      explanation.counts.map { "\($0.place.rawValue) \($0.amount.millionths / 1_000_000)" } == [
        "in 2", "out 1", "out 1",
      ])
    #expect(explanation.persons.last?.reasons == ["users who bought in other currencies only"])
  }

  @Test func pagesAreParts() throws {
    let store = try TestStore(lines: Self.lines)
    let pages = try (0...4).map { offset in
      try store.store.read { snapshot in
        try Explainer(
          snapshot, report: .funnel, options: Self.options(.funnel, [.entryPoint]), cell: [("entry_point", "settings")]
        ).explanation(of: "users", offset: offset, limit: 1)
      }
    }
    #expect(pages.flatMap(\.persons).map(\.user) == ["a", "b", "c", "d"])
    #expect(pages.allSatisfy { $0.personCount == 4 && $0.total.millionths == 3_000_000 })
  }

  /// In the order of ``pagesAreParts()``, c is the third of four; an id that none of them has is an error.
  @Test func oneUserIsShownByAnId() throws {
    let store = try TestStore(lines: Self.lines)
    func explanation(of user: String) throws -> Explanation {
      try store.store.read { snapshot in
        try Explainer(
          snapshot, report: .funnel, options: Self.options(.funnel, [.entryPoint]), cell: [("entry_point", "settings")]
        ).explanation(of: "users", user: user)
      }
    }
    let shown = try explanation(of: "c")
    #expect(shown.persons.map(\.user) == ["c"] && shown.offset == 2 && shown.personCount == 4)
    let error = #expect(throws: ExplanationError.self) { try explanation(of: "C") }
    #expect(error?.description.contains("none of the 4 users") == true)
  }

  /// More keys lead to no row whose prices add up.
  @Test func severalRowsWithoutAnExplanationAreRefusedAtOnce() throws {
    let more =
      #"{"event_id":"e2","event":"conversion","ts":"2026-03-01T00:01:00Z","app":"x","user_id":"e","product_id":"m","plan":"monthly","price":"5","currency":"EUR"}"#
    let store = try TestStore(lines: Self.lines + [more])
    try store.store.read { snapshot in
      for (column, message) in [
        ("monthly_price", "it comes from the prices paid most often"), ("monthly_purchases", "--cell matches"),
      ] {
        let error = #expect(throws: ExplanationError.self) {
          _ = try Explainer(
            snapshot, report: .savings, options: Self.options(.savings, [.entryPoint]), cell: [("currency", "EUR")],
            column: column)
        }
        #expect(error?.description.contains(message) == true, "\(error.map(String.init(describing:)) ?? "")")
      }
    }
  }

  @Test(arguments: [
    ("funnel", "entry_point=nowhere", "users", "no row has entry_point=nowhere; print"),
    ("funnel", "entry_point=settingz", "users", "did you mean settings?"),
    ("funnel", "variant=x", "users", "no row has variant=x"),
    ("funnel", "currency=EUR", "users", "the cell names currency"),
    ("funnel", "", "users", "--cell matches 2 rows; add entry_point=VALUE"),
    ("funnel", "entry_point=settings", "user", "--column is user"),
    ("funnel", "entry_point=settings", "app", "names a row"),
    ("funnel", "entry_point=route_map", "trial_to_paid_rate", "is empty in this cell"),
    ("savings", "entry_point=settings,currency=EUR", "monthly_price", "it comes from the prices paid most often"),
  ])
  func wrongQuestionsSayWhatIsWrong(report: String, cell: String, column: String, message: String) throws {
    let store = try TestStore(lines: Self.lines)
    let keys = cell.split(separator: ",").map { part in
      let words = part.split(separator: "=")
      return (name: String(words[0]), value: String(words[1]))
    }
    let kind = try #require(ReportKind.named(report))
    try store.store.read { snapshot in
      let error = #expect(throws: ExplanationError.self) {
        let by: Metrics.Dimension = keys.first?.name == "variant" ? .variant : .entryPoint
        _ = try Explainer(snapshot, report: kind, options: Self.options(kind, [by]), cell: keys).explanation(of: column)
      }
      #expect(error?.description.contains(message) == true, "\(error.map(String.init(describing:)) ?? "")")
    }
  }
}
