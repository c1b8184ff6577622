import Testing

/// `health` of a store with known faults, counted in the lines below.
struct HealthTests {
  private static func line(_ id: String, _ event: String, _ day: Int, _ user: String, _ rest: String = "") -> String {
    """
    {"event_id":"\(id)","event":"\(event)","ts":"2026-03-0\(day)T00:00:00Z","app":"steps","user_id":"\(user)"\
    \(rest.isEmpty ? "" : ","){}
    """.replacing("{}", with: rest + "}")
  }

  private static let sale = #""plan":"monthly","product_id":"p","price":"6.99","currency":"USD""#

  /// Days 1, 2 and 5 of the five have an event.
  private static let lines = [
    line("a-seen", "paywall_impression", 1, "a", #""entry_point":"widgets","experiment":"x","variant":"one""#),
    line("a-again", "paywall_impression", 2, "a", #""entry_point":"widgets","experiment":"x","variant":"two""#),
    line("b-seen", "exposure", 1, "b", #""experiment":"x","variant":"one""#),
    // Purchases: a's has an impression, b's has none. Both carry one id but belong to two users.
    line("a-paid", "conversion", 2, "a", sale + #","subscription_id":"S""#),
    line("b-paid", "conversion", 2, "b", sale + #","subscription_id":"S""#),
    // Started before the data: one of the three subscriptions.
    line("c-renewed", "renewal", 2, "c", sale),
    line("d-trial", "trial_start", 5, "d", #""plan":"monthly","trial_days":7"#),
    // A repeated event, another content under its id, and three lines that are not valid events.
    line("d-trial", "trial_start", 5, "d", #""plan":"monthly","trial_days":7"#),
    line("d-trial", "trial_start", 5, "d", #""plan":"monthly","trial_days":14"#),
    line("e", "seen", 5, "e"),
    line("f", "conversion", 5, "f", #""plan":"monthly","product_id":"p""#),
    "no json",
  ]

  /// 11.2: of two versions whose five users each paid, only 1.0 tells of the store's sheet; of 3.0 one user paid.
  @Test func listsVersionsThatNeverSendSheets() throws {
    func users(_ version: String, _ count: Int, sheets: Bool) -> [String] {
      (0..<count).flatMap { place -> [String] in
        let (user, own) = ("v\(version)-\(place)", #""app_version":"\#(version)","platform":"ios""#)
        let seen = Self.line("\(user)-seen", "paywall_impression", 1, user, #""entry_point":"a","# + own)
        let sheet = Self.line("\(user)-sheet", "purchase_started", 1, user, #""entry_point":"a","# + own)
        return [seen] + (sheets ? [sheet] : []) + [
          Self.line("\(user)-paid", "conversion", 2, user, Self.sale + "," + own)
        ]
      }
    }
    let end = #"{"event_id":"end","event":"activity","ts":"2026-06-01T00:00:00Z","app":"steps","user_id":"z"}"#
    let lines = users("1.0", 5, sheets: true) + users("2.0", 5, sheets: false) + users("3.0", 1, sheets: false) + [end]
    let name = "app versions that never send purchase_started"
    let table = try TestStore(lines: lines).table("health")
    #expect(table.cells("cases of", of: "steps", name) == "1 2")
    #expect(table.cells("meaning", of: "steps", name) == "paths has no count of opened sheets for them: ios 2.0")
    let without = try TestStore(lines: users("1.0", 5, sheets: false) + [end]).table("health")
    #expect(!without.column("check").contains(name))
  }

  @Test func countsWhatIsMissingAndWhatContradicts() throws {
    let table = try TestStore(lines: Self.lines).table("health")
    func check(_ app: String, _ name: String) -> String { table.cells("cases of", of: app, name) }
    #expect(check("steps", "purchases without an impression") == "1 2")
    #expect(check("steps", "trials without an impression") == "1 1")
    #expect(check("steps", "impressions without an entry point") == "0 2")
    #expect(check("steps", "persons in two variants of an experiment") == "1 2")
    #expect(check("steps", "subscriptions that began before the data") == "1 3")
    #expect(check("steps", "subscription ids of two persons") == "1 -")
    #expect(check("steps", "days without an event") == "2 5")
    #expect(check("(all)", "failed files") == "0 1")
    #expect(check("(all)", "duplicate lines") == "1 12")
    #expect(check("(all)", "conflicting lines") == "1 12")
    #expect(check("(all)", "quarantined: missing:price") == "1 12")
    #expect(check("(all)", "quarantined: not_json_object") == "1 12")
    #expect(check("(all)", "quarantined: unknown_kind") == "1 12")
  }

  /// Days 1 to 5: 20 impressions a day but none on day 3, so that a day without any is not chance. Conversions come on
  /// days 1 and 5 only, so that the days between may be.
  @Test func daysWithoutEventsAreToldBySource() throws {
    var lines = [1, 2, 4, 5].flatMap { day in
      (0..<20).map { Self.line("i\(day)-\($0)", "paywall_impression", day, "u\($0)", #""entry_point":"widgets""#) }
    }
    lines += [1, 5].map { Self.line("p\($0)", "conversion", $0, "u\($0)", Self.sale) }
    let table = try TestStore(lines: lines).table("health")
    func check(_ name: String) -> String { table.cells("cases of severity", of: "steps", name) }
    #expect(check("days without an event") == "1 5 warning")
    #expect(check("days without an event of paywall-impressions") == "1 5 warning")
    #expect(check("days without an event of conversions") == "3 5 notice")
    #expect(table.cells("days", of: "steps", "days without an event of paywall-impressions") == "2026-03-03")
    // The last cell, as the meaning has a comma.
    let conversions = table.rows.first { $0.contains("days without an event of conversions") }
    #expect(conversions?.last == "2026-03-02..2026-03-04")
    #expect(
      table.cells("affects", of: "steps", "days without an event of conversions").hasPrefix("funnel trials savings"))
  }

  /// From day 1 to 9, 3 conversions a day in the first week and 60 on the days after it. Of 18 in six days of the week, 7 ×
  /// e^−3 = 0.35 days without any are expected. On day 8 a file may be missing: of 81 in eight days, 9 × e^−10.1 = 0.0004.
  @Test func aSourceThatBeginsHasFewEvents() throws {
    func severity(without gap: Int) throws -> String {
      let lines = (1...9).filter { $0 != gap }.flatMap { day in
        (0..<(day < 8 ? 3 : 60)).map { Self.line("p\(day)-\($0)", "conversion", day, "u\(day)-\($0)", Self.sale) }
      }
      return try TestStore(lines: lines).table("health").cells(
        "cases severity", of: "steps", "days without an event of conversions")
    }
    #expect(try severity(without: 4) == "1 notice")
    #expect(try severity(without: 8) == "1 warning")
  }

  /// `steps` has an event on 9 March. `quiet` ends on the 2nd, 7 days before, of the 9 since its first; `late` ends 6 days
  /// before. `slow` ends 8 days before, but was without an event for 27 days of February.
  @Test func anAppWhoseDataEndBeforeThoseOfOthersIsFound() throws {
    func activity(_ app: String, _ days: [String]) -> [String] {
      days.map { day in
        #"{"event_id":"\#(app)\#(day)","event":"activity","ts":"2026-\#(day)T00:00:00Z","app":"\#(app)","user_id":"u"}"#
      }
    }
    let lines =
      activity("steps", ["03-01", "03-09"]) + activity("quiet", ["03-01", "03-02"])
      + activity("late", ["03-02", "03-03"]) + activity("slow", ["02-01", "03-01"])
    let store = try TestStore(lines: lines)
    let check = "days since the last event"
    let table = try store.table("health")
    #expect(table.cells("cases of severity days", of: "quiet", check) == "7 9 warning 2026-03-03..2026-03-09")
    #expect(["steps", "late", "slow"].map { table.cells("cases", of: $0, check) } == ["no row", "no row", "no row"])
    // Alone it is found as well; as known on the 8th, only six days were missing.
    #expect(try store.table("health", "--app", "quiet").cells("cases", of: "quiet", check) == "7")
    #expect(
      try store.table("health", "--as-of", "2026-03-09T00:00:00Z").cells("cases", of: "quiet", check) == "no row")
  }

  /// On 1 to 7 March 10 users a day see the paywall at `map` first, and on 1 to 5 March 10 each at `gone` and, but
  /// for the 3rd and 4th, at `rare`; the 8th is not over. Two days without any of 10 a day come by chance in e^(−20) of cases.
  /// `rare` was without viewers for two days before. If `map` had none on the 7th, the app's paywalls would be missing.
  @Test func anEntryPointThatLosesItsViewersIsFound() throws {
    func lines(_ entry: String, _ days: [Int]) -> [String] {
      days.flatMap { day in
        (0..<10).map {
          Self.line(
            "\(entry)\(day)-\($0)", "paywall_impression", day, "\(entry)\(day)-\($0)", #""entry_point":"\#(entry)""#)
        }
      }
    }
    let names = ["gone", "rare", "map"].map { "days since the last viewer of \($0)" }
    func found(_ ofMap: [Int]) throws -> [String] {
      let store = try TestStore(
        lines: lines("map", ofMap) + lines("gone", Array(1...5)) + lines("rare", [1, 2, 5])
          + [Self.line("end", "activity", 8, "end", #""country":"US""#)])
      let table = try store.table("health")
      return names.map { table.cells("cases of severity days", of: "steps", $0) }
    }
    #expect(try found(Array(1...7)) == ["2 7 warning 2026-03-06..2026-03-07", "no row", "no row"])
    #expect(try found(Array(1...6)) == ["no row", "no row", "no row"])
  }

  /// Hours from event to receipt; one event has no receipt time.
  @Test func eventsAreCountedByHowLateTheyCame() throws {
    let hours = [-48, -2, 0, 1, 24, 25, 48, 49, 168, 169, 720, 721]
    var lines = hours.enumerated().map { place, hours in
      Self.line("e\(place)", "activity", 3, "u", #""received_at":\#(1_772_496_000_000 + hours * 3_600_000)"#)
    }
    lines.append(Self.line("unstamped", "activity", 3, "u"))
    let table = try TestStore(lines: lines).table("health")
    func check(_ name: String) -> String { table.cells("cases of severity", of: "steps", name) }
    #expect(check("events received 1 to 2 d late") == "2 12 warning")
    #expect(check("events received 2 to 7 d late") == "2 12 warning")
    #expect(check("events received 7 to 30 d late") == "2 12 warning")
    #expect(check("events received over 30 d late") == "1 12 warning")
    #expect(check("events received over 1 min before they happened") == "1 12 warning")
    #expect(check("events received over 1 d before they happened") == "1 12 warning")
    // One that lies 6 days after the end of the data, which it does not set.
    lines.append(Self.line("ahead", "activity", 9, "u", #""received_at":1772496000000"#))
    let later = try TestStore(lines: lines).table("health")
    let name = "events received over 1 d before they happened"
    #expect(later.cells("cases of severity", of: "steps", name) == "2 13 warning")
    #expect(later.cells("cases of", of: "steps", "events received over 30 d late") == "1 12")
  }

  private static func impression(_ id: String, _ day: Int, _ user: String, _ variant: String) -> String {
    line(
      id, "paywall_impression", day, user,
      #""entry_point":"widgets","experiment":"x","variant":"\#(variant)","price_yearly":19.99,"currency":"USD""#)
  }

  private static func joins(_ user: String, _ previous: String) -> String {
    line("join-\(user)", "identify", 6, user, #""previous_user_id":"\#(previous)""#)
  }

  /// `anon-a` saw `one` and `a` paid: only the join gives the conversion its credit. `b` has a trial under one id and
  /// paid under the other: only the join connects them. `c` saw `one` and `two` under two ids, and the join makes it
  /// crossed. `d` is joined with an id without events; `e` is not joined, and has no later events.
  private static let people = [
    impression("a-seen", 1, "anon-a", "one"), line("a-paid", "conversion", 2, "a", sale), joins("a", "anon-a"),
    line("b-trial", "trial_start", 1, "anon-b", #""plan":"monthly","trial_days":7,"product_id":"p""#),
    line("b-paid", "conversion", 5, "b", sale), joins("b", "anon-b"),
    impression("c-seen", 1, "anon-c", "one"), impression("c-again", 2, "c", "two"), joins("c", "anon-c"),
    impression("d-seen", 1, "d", "one"), line("d-paid", "conversion", 2, "d", sale), joins("d", "anon-d"),
    impression("e-seen", 1, "e", "one"),
    line("f-assigned", "exposure", 1, "f", #""experiment":"x","variant":"none""#),
  ]

  @Test func whatJoinsChangeIsCounted() throws {
    let store = try TestStore(lines: Self.people)
    let table = try store.table("health")
    func check(_ name: String) -> String { table.cells("cases of", of: "steps", name) }
    #expect(check("persons of several ids") == "4 6")
    // a and c, of the five users exposed to a variant.
    #expect(check("persons whose variants a join changed") == "2 5")
    #expect(check("persons crossed by a join") == "1 5")
    #expect(check("conversions that a join changed") == "2 3")
    #expect(check("persons in two variants of an experiment") == "1 5")
    #expect(check("variants without impressions") == "1 3")
    // Only e, of the paywall's users.
    #expect(check("persons with impressions and no later identity") == "1 4")
    // a and d bought monthly although only yearly was shown; b has no impression.
    #expect(check("purchases of what the paywall did not show") == "2 2")
    // The experiment excludes c, and counts joined users once.
    let experiments = try store.report("experiments", [])
    let counts = experiments.rows.map { row in
      zip(experiments.columns, row).filter { ["persons", "crossed"].contains($0.0.name) }.map(\.1)
    }
    #expect(counts == [[.count(4), .count(1)]])
  }

  /// Without the joins each id is a separate user, and nothing has changed.
  @Test func withoutJoinsNothingIsChanged() throws {
    let table = try TestStore(lines: Self.people.filter { !$0.contains("identify") }).table("health")
    #expect(table.cells("cases of severity", of: "steps", "persons of several ids") == "0 - ok")
    #expect(table.cells("cases of", of: "steps", "persons in two variants of an experiment") == "0 6")
  }

  @Test func aCleanStoreIsWell() throws {
    let seen = Self.line("a", "paywall_impression", 1, "a", #""entry_point":"widgets""#)
    let report = try TestStore(lines: [seen]).report("health", [])
    let severity = try #require(report.columns.firstIndex { $0.name == "severity" })
    #expect(report.rows.allSatisfy { $0[severity] == .text("ok") })
    #expect(report.rows.count > 7)
  }
}
