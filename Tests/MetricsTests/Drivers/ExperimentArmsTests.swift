import Metrics
import Testing

/// Where the arms of an experiment differ (definitions 10.9), derived by hand.
struct ExperimentArmsTests {
  private typealias Events = ExperimentEvents

  /// Users of one arm and country, exposed on the first days. The first of them buy at once.
  private static func users(
    _ variant: String, _ country: String, _ count: Int, paying: Int, platform: String = "ios"
  ) -> [String] {
    (0..<count).flatMap { number -> [String] in
      let user = "\(variant)-\(country)-\(platform)-\(number)"
      let exposure = Events.exposure(
        user, variant, ms: Int64(number) * 60_000, #","country":"\#(country)","platform":"\#(platform)""#)
      return number < paying
        ? [exposure, Events.conversion(user, ms: Int64(number) * 60_000 + 1_000, "10")] : [exposure]
    }
  }

  private static func store(_ arms: [[String]], asOf: Int64 = Events.days(60)) throws -> TestStore {
    try TestStore(lines: arms.joined() + [Events.line("activity", "end", ms: asOf - 1)])
  }

  private func why(
    _ store: TestStore, _ column: String = "", yaml: String? = nil, cut: String? = nil, options: [String] = []
  ) throws -> Report {
    var request = ReportRequest(.experiment)
    request.options = try ReportOptions(arguments: options)
    request.experiment = ExperimentOptions(experiment: "test")
    if let yaml { request.experiment.plan = try ExperimentPlan(yaml: yaml, experiment: "test", file: "plan.yaml") }
    var question = DriverQuestion(column: column)
    if let cut { _ = try question.cut(cut) }
    request.drivers = question
    return try #require(try store.store.read { try request.table($0) })
  }

  /// Returns texts of the rows with a verdict, by columns.
  private func rows(_ report: Report, _ verdict: String, _ columns: String...) throws -> [String] {
    return try report.values(ofVerdict: verdict, columns).map { row in
      row.map { value in
        switch value {
        case .text(let text): text
        case .count(let count): "\(count)"
        case .rate(let share?): "\((share * 1e6).rounded() / 1e6)"
        case .number(let number?): "\((number * 1e3).rounded() / 1e3)"
        case .probability(let p?): "\(p)"
        default: ""
        }
      }.joined(separator: " ")
    }
  }

  /// Of 400 users in DE and 600 in US, 10% of control pay; of `anchor`, 30% in DE and 10% in US. In all 100 and 180 of 1,000.
  /// Shares of users are equal, so each part is a rate: 0.4 · 0.2 = 0.08 in DE, 0 in US.
  ///
  /// z against control: 0.2 ÷ √(v · 2/400) = 7.066 with v = 160.5/801 · 640.5/801 = 0.16023. The odds of the rest do not change,
  /// with a variance of 2 · 0.09027/600 ÷ 0.09² = 0.037147, where 0.09027 = 120.5/1201 · 1080.5/1201. Against the rest
  /// 0.2 ÷ √(v · 2/400 + v² · 0.037147) = 4.774, the nearer one to 0.
  @Test func aTreatmentThatWorksInOneCountryHasItAsDriver() throws {
    let store = try Self.store([
      Self.users("control", "DE", 400, paying: 40), Self.users("control", "US", 600, paying: 60),
      Self.users("anchor", "DE", 400, paying: 120), Self.users("anchor", "US", 600, paying: 60),
    ])
    let report = try why(store)
    #expect(report.title == "test: where “paid” differs, anchor against control")
    #expect(report.parameter("treatment") == "anchor" && report.parameter("column") == "paid")
    let sides = try rows(report, "total", "before_n", "now_n", "before_rate", "now_rate", "contribution")
    #expect(sides == ["1000 1000 0.1 0.18 0.08"])
    #expect(
      try rows(report, "driver", "rank", "segment", "part", "before_n", "now_n", "contribution", "z", "p_search") == [
        "1 country=DE rate 400 400 0.08 4.774 0.001"
      ])
    #expect(
      try rows(report, "part", "segment", "part", "contribution") == [
        "country=DE mix 0.0", "country=DE rate 0.08", "country=US mix 0.0", "country=US rate 0.0",
      ])
    #expect(
      try rows(report, "driver", "explain") == [
        "tollgate explain experiment test --app demo --key variant=anchor --column paid --where country=DE"
      ])
    #expect(
      report.definition.first
        == "the difference is not the same everywhere. Segments were searched after the fact: the verdict is that of "
        + "`tollgate experiment test`")
    // Narrowed down, there is one country, and nothing is left to search.
    let narrow = try why(store, "paid", options: ["--where", "country=US"])
    #expect(try rows(narrow, "total", "before_n", "now_n", "contribution") == ["600 600 0.0"])
    #expect(try rows(narrow, "driver", "segment").isEmpty && rows(narrow, "chance", "segment").isEmpty)
  }

  /// A treatment that works alike everywhere has no driver: 10% of control pay and 20% of `anchor`, in both countries.
  @Test func anEqualEffectHasNoDriver() throws {
    let store = try Self.store([
      Self.users("control", "DE", 400, paying: 40), Self.users("control", "US", 600, paying: 60),
      Self.users("anchor", "DE", 400, paying: 80), Self.users("anchor", "US", 600, paying: 120),
    ])
    let report = try why(store, "paid")
    #expect(try rows(report, "driver", "segment").isEmpty)
    #expect(report.definition.first?.hasPrefix("no segment is shown to differ from the rest. Segments") == true)
    #expect(
      try rows(report, "part", "segment", "part", "contribution") == [
        "country=DE mix 0.0", "country=DE rate 0.04", "country=US mix 0.0", "country=US rate 0.06",
      ])
  }

  /// Of control 10% pay, of `a` 12%, of `b` 4%: `b` differs most.
  @Test func ofSeveralTreatmentsTheOneThatDiffersMostIsCompared() throws {
    let store = try Self.store(
      [("control", 10), ("a", 12), ("b", 4)].map { Self.users($0.0, "DE", 100, paying: $0.1) })
    let report = try why(store)
    #expect(report.title == "test: where “paid” differs, b against control")
    #expect(try rows(report, "total", "before_rate", "now_rate", "contribution") == ["0.1 0.04 -0.06"])
  }

  /// Shares of the plan's own, also of a step of a path, and of the built-in metrics have the readout's counts.
  @Test(arguments: ["paid", "trial_start", "trial_cancelled", "refunded", "own", "sheet"])
  func usersAreThoseOfTheReadout(column: String) throws {
    let hour: Int64 = 3_600_000
    let lines = ["control", "new"].flatMap { variant in
      (0..<30).flatMap { number -> [String] in
        let user = "\(variant)\(number)"
        let ms = Int64(number) * hour
        let seen = Events.exposure(user, variant, ms: ms)
        switch number % (variant == "new" ? 3 : 5) {
        case 0:
          return [seen, Events.line("purchase_started", user, ms: ms + hour), Events.trial(user, ms: ms + 2 * hour)]
        case 1: return [seen, Events.conversion(user, ms: ms + hour, "9")]
        default: return [seen, Events.line("activity", user, ms: ms + hour)]
        }
      }
    }
    let yaml = """
      metrics:
        - {name: own, kind: proportion, event: activity, window: 7}
        - {name: sheet, path: checkout, step: sheet}
      """
    let store = try Self.store([lines])
    let total = try rows(why(store, column, yaml: yaml), "total", "before_n", "now_n", "before_rate", "now_rate")
    let readout = try #require(try store.readout(yaml: yaml).metrics.first { $0.metric.name == column })
    let (control, new) = (readout.arms[0], readout.arms[1])
    func share(_ arm: ArmResult) -> String { "\(((arm.estimate ?? 0) * 1e6).rounded() / 1e6)" }
    #expect(total == ["\(control.persons) \(new.persons) \(share(control)) \(share(new))"])
    #expect(control.persons > 0)
  }

  @Test func whatIsNoShareOfUsersIsRefused() throws {
    let store = try Self.store(["control", "new"].map { Self.users($0, "DE", 30, paying: 3) })
    for (column, cut, reason) in [
      (
        "revenue", nil,
        "--column is revenue, but must be a share of users: trial_start, paid, trial_cancelled, refunded"
      ),
      ("trial_to_paid", nil, "--column is trial_to_paid, but must be a share of users"),
      ("piad", nil, "did you mean paid?"), ("paid", "variant", "--cut is variant, but experiments are split only by"),
      ("paid", "plan", "platform, store, country, app_version"),
    ] as [(String, String?, String)] {
      let error = #expect(throws: (any Error).self) { try why(store, column, cut: cut) }
      #expect("\(error.map { "\($0)" } ?? "")".contains(reason), "\(String(describing: error))")
    }
    let goal = #expect(throws: (any Error).self) { try why(store, yaml: "primary: revenue") }
    #expect("\(goal.map { "\($0)" } ?? "")".hasPrefix("the goal is revenue, which is not a share of users"))
  }

  /// Nobody is known to have stayed without usage, and outcomes of 14 days are not known after one.
  @Test func whatIsNotKnownIsSaid() throws {
    let arms = ["control", "new"].map { Self.users($0, "DE", 30, paying: 3) }
    let store = try Self.store(arms, asOf: Events.days(1))
    let early = try why(store)
    #expect(early.rows.isEmpty)
    #expect(early.emptyNote?.hasPrefix("Not known: of control, no user counts yet") == true)
    let alone = try why(Self.store([arms[0]]))
    #expect(alone.emptyNote == "Not known: there is no treatment to compare with control.")
  }

  /// D2.3 asks for 50 users of each arm, of whom 10 pay and 10 do not. In control, nine pay, then ten.
  @Test(arguments: [(9, false), (10, true)])
  func ofFewUsersItSaysWhatIsLacking(paying: Int, isEnough: Bool) throws {
    let report = try why(
      Self.store([Self.users("control", "DE", 60, paying: paying), Self.users("anchor", "DE", 60, paying: 12)]))
    let answer = report.definition[0]
    #expect(answer.contains("no segment is shown to differ from the rest") == isEnough)
    #expect(
      answer.contains(
        "too few users to say how large the difference is: each arm needs 50, with 10 who have the outcome and as many "
          + "who do not") != isEnough)
  }
}
