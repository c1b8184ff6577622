import Foundation
import Testing

/// Definitions 16.3 and 16.4: nights of the past, missed nights, and numbers without a past.
@Suite struct NightlyReplayTests {
  private static func config(_ rhythm: String = "monday") -> String {
    """
    store: night.db
    sources: [{files: "events/*"}]
    notify:
      digest: {at: \(rhythm), numbers: [{name: Viewers, report: funnel --horizon 1, column: users}]}
      alarms: {per_month: 1}
      to: [{file: message.txt, command: [sh, -c, "cat >> sent.txt"]}]
    """
  }

  private static func with(_ days: Range<Int>, low: Int? = nil, _ body: (Folder) throws -> Void) throws {
    try Folder.with { folder in
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: "events"), withIntermediateDirectories: true)
      try folder.write(Self.config(), to: "night.yaml")
      try folder.write(
        NightlyNotifyTests.events(days) { $0 == low ? 8 : 40 }, to: "events/begin.jsonl")
      try body(folder)
    }
  }

  private struct Replay: Decodable {
    struct Found: Decodable, Equatable {
      var night, number, app, day: String
      var value, expected, p, p_adjusted: Double
    }

    var nights, tested, untestable, idle, alarmed: Int
    var expected, per_month: Double
    var found: [Found]
  }

  /// 67 days of 40 viewers, but 8 on 2 March, day 60. A night with data to day e tests day e − 1, which needs day 35 or
  /// later: the nights with e = 36 to 66, 31 of them. Day 60 is tested by the night of day 62, 4 March, as data end with
  /// day 61. z = (ln 9 − ln 41) ÷ (√1.125 ÷ √40) = −9.0418, p = 2 norm.sf(9.0418) = 1.5418e-19. Of 31 nights,
  /// 31 × 12 ÷ 365.2425 = 1.0185 are expected.
  @Test func aReplayTestsEachNightWithItsOwnData() throws {
    try Self.with(0..<67, low: 60) { folder in
      #expect(try folder.run("ingest", "--store", "night.db", "events").status == 0)
      let before = try folder.names
      func replay(_ words: String...) throws -> Program.Result {
        try Program.run(["nightly", "--config", "night.yaml", "--replay"] + words, in: folder.url)
      }
      let text = try replay("40")
      #expect(text.status == 0)
      #expect(
        text.output == """
          40 nights from 2026-01-29 to 2026-03-09, 31 of them tested
          9 nights not testable: no number had 5 of the same weekdays before
          1 night with an alarm; by chance alone, 1.0 would be expected (per_month 1)
          2026-03-04  Viewers, demo, 2026-03-02: 8, expected 40, p 1.5e-19
          If something happened on such a day, such as an outage, its alarm is true.

          """, "\(text.output)\(text.errors)")
      #expect(try replay("40").output == text.output)
      let json = try JSONDecoder().decode(Replay.self, from: Data(replay("100", "--format", "json").output.utf8))
      // The first night with data has no settled day, and 33 nights are before it.
      let counts: [Int] = [json.nights, json.tested, json.untestable, json.idle, json.alarmed]
      #expect(counts == [100, 31, 36, 33, 1] as [Int])
      #expect(abs(json.expected - 31 * 12 / 365.2425) < 1e-12 && json.per_month == 1)
      let found = try #require(json.found.first)
      #expect(found.night == "2026-03-04" && found.day == "2026-03-02" && found.number == "Viewers")
      #expect(found.value == 8 && abs(found.expected - 40) < 1e-9 && found.p_adjusted == found.p)
      #expect(abs(found.p / 1.5418e-19 - 1) < 1e-3, "\(found.p)")
      // Nothing is written, and nothing is run.
      #expect(try folder.names == before)
    }
  }

  @Test(arguments: [
    (["--replay", "0"], "--replay is 0, but must be a number of nights from 1 to 3660"),
    (["--replay", "3661"], "from 1 to 3660"), (["--replay", "month"], "'month' is invalid"),
    (["--replay", "9", "--night", "2026-03-01"], "use --night or --replay, not both"),
    (["--replay", "9", "--check"], "use --check or --replay, not both"),
  ]) func aReplayThatIsNoneSaysWhy(words: [String], message: String) throws {
    try Self.with(0..<1) { folder in
      let run = try Program.run(["nightly", "--config", "night.yaml"] + words, in: folder.url)
      #expect(run.status == 2 && run.errors.contains(message), "\(run.errors)")
    }
  }

  @Test func aReplayNeedsAlarmsAndEvents() throws {
    try Self.with(0..<1) { folder in
      #expect(try folder.run("ingest", "--store", "night.db", "events").status == 0)
      try folder.write("store: night.db\nsources: [{files: \"events/*\"}]\n", to: "none.yaml")
      let none = try folder.run("nightly", "--config", "none.yaml", "--replay", "9")
      #expect(none.status == 2 && none.errors.contains("none.yaml: has no alarms to replay"), "\(none.errors)")
      let missing = try folder.run("nightly", "--config", "night.yaml", "--store", "no.db", "--replay", "9")
      #expect(missing.status == 2, "\(missing.errors)")
    }
  }

  /// The nights of 7 and 8 March are missed: that of 9 March tests 5, 6 and 7 March, and tells of the second.
  @Test func missedNightsAreCaughtUp() throws {
    try Self.with(0..<64) { folder in
      func night(_ number: Int) throws -> Program.Result {
        try folder.run("nightly", "--config", "night.yaml", "--night", NightlyNotifyTests.date(number))
      }
      #expect(try night(64).status == 0)
      try folder.write(NightlyNotifyTests.events(64..<67) { $0 == 64 ? 8 : 40 }, to: "events/next.jsonl")
      let late = try night(67)
      #expect(late.status == 4 && late.output.contains("Viewers demo: 2026-03-06 stands out"), "\(late.output)")
      #expect(
        try folder.text(of: "message.txt").contains(
          "- Viewers, demo, 6 Mar: 8, expected 40; no single segment stands out\n"))
      // A day after it was as expected: there is no alarm that could end.
      try FileManager.default.removeItem(at: folder.url.appending(path: "message.txt"))
      try folder.write(NightlyNotifyTests.events(67..<68), to: "events/last.jsonl")
      #expect(try night(68).status == 0 && (try? folder.text(of: "message.txt")) == nil)
    }
  }

  /// The file of 6 March, day 64, never comes: nobody is there on that day, and the alarm says why. On 13 March, day 71, 8
  /// viewers stand out from seven weekdays of 40, z = −1.5164 ÷ (√(8/7) ÷ √40) = −8.97. With an 0 among eight, the mean of
  /// ln(1 + x) is 3.2494, s 1.3129, t = (2.1972 − 3.2494) ÷ (1.3129 × √1.125) = −0.76, and they would not.
  @Test func daysWithoutTheirFilesAreNoReference() throws {
    try Self.with(0..<64) { folder in
      try folder.write(
        Self.config() + "\nexpect: [{files: \"events/{day}.jsonl\"}]\n", to: "night.yaml")
      func add(_ days: Range<Int>) throws {
        for day in days {
          try folder.write(
            NightlyNotifyTests.events(day..<day + 1) { $0 == 71 ? 8 : 40 },
            to: "events/\(NightlyNotifyTests.date(day)).jsonl")
        }
      }
      func night(_ number: Int) throws -> String {
        let run = try folder.run("nightly", "--config", "night.yaml", "--night", NightlyNotifyTests.date(number))
        #expect(run.status == 4, "\(run.errors)\(run.output)")
        return try folder.text(of: "message.txt")
      }
      #expect(try night(65).contains("0 of 1 files of 2026-03-06 arrived"))
      try add(65..<67)
      let first = try night(67)
      #expect(
        first.replacing("\n  ", with: " ").contains(
          "Viewers, demo, 6 Mar: 0, expected 40; no single segment stands out; note: files of this day are missing"),
        "\(first)")
      try add(67..<73)
      let second = try night(73)
      #expect(second.contains("Viewers, demo, 13 Mar: 8, expected 40; no single segment stands out\n"), "\(second)")
    }
  }

  /// Of 30 days the newest settled one is day 28, 29 January, with days 0, 7, 14 and 21 before it. Day 35 is 5 February.
  @Test func aNumberWithoutAPastIsNamed() throws {
    try Self.with(0..<30) { folder in
      try folder.write(Self.config("daily"), to: "night.yaml")
      #expect(try folder.run("nightly", "--config", "night.yaml", "--night", "2026-01-31").status == 0)
      let text = try folder.text(of: "message.txt")
      #expect(
        text.contains(
          "Not watched yet\n- Viewers, demo: 4 of 5 same weekdays before are known; watched from 5 Feb on\n"), "\(text)"
      )
      let replay = try folder.run("nightly", "--config", "night.yaml", "--replay", "3")
      #expect(
        replay.output == """
          3 nights from 2026-01-29 to 2026-01-31, 0 of them tested
          3 nights not testable: no number had 5 of the same weekdays before
          Not watched yet: Viewers, demo: 4 of 5 same weekdays before are known; watched from 5 Feb on

          """, "\(replay.output)\(replay.errors)")
    }
  }

  /// All events are of 1 January. Two whole days are compared, so that a number whose users settle after a day is there
  /// with the data of 1 January + 2 + 1 days, and the cancellations after 35 days with those of + 2 + 35 days. Nobody has
  /// had a trial.
  @Test func aNumberThatIsNotThereSaysSinceWhenItWillBe() throws {
    try Self.with(0..<1) { folder in
      try folder.write(
        """
        store: night.db
        sources: [{files: "events/*"}]
        notify:
          digest:
            at: daily
            numbers:
              - {name: Viewers, report: funnel --horizon 1, column: users}
              - {name: Cancelled, report: cancellations --app demo, column: cancelled_35_rate}
              - {name: Trials, report: trials --app demo, column: trial_to_paid_rate}
          to: [{file: message.txt}]
        """, to: "night.yaml")
      try folder.write(
        Folder.event(
          "conversion", "c", "2026-01-01T10:00:00Z", user: "u0-0",
          #","plan":"monthly","product_id":"m","price":9,"currency":"EUR""#), to: "events/paid.jsonl")
      #expect(try folder.run("nightly", "--config", "night.yaml", "--night", "2026-01-02").status == 0)
      #expect(
        try folder.text(of: "message.txt").hasSuffix(
          """
          Numbers of the day
          - Viewers, demo: not known yet, every day is too recent; known from 4 Jan on
          - Cancelled, demo: not known yet, every day is too recent; known from 7 Feb on
          - Trials, demo: not known, the last 13 weeks have none

          """))
    }
  }
}
