import Basics
import Foundation
import RandomSupport
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// `nightly --config FILE`: ingest, checks and reports of one night, with thresholds that set the exit status.
@Suite struct NightlyCommandTests {
  private static let config = """
    store: night.db
    sources:
      - files: [events/*]
    expect:
      - files: events/events-{day}.jsonl
    thresholds:
      quarantine_share: 0.01
      freshness_hours: 36
    reports:
      - report --output site
      - "funnel --by day --format csv --output 'funnel by day.csv'"
    prometheus: tollgate.prom
    """

  static func day(_ number: Int) -> String { String(format: "2026-03-%02d", number) }

  /// A day of users who see a paywall, alternating between two variants; one in ten pays.
  static func events(_ number: Int, persons: Int = 60, onlyOneVariant: Bool = false) -> String {
    (0..<persons).map { person in
      let user = "u\(number)-\(person)"
      let instant = String(format: "%@T%02d:%02d:00Z", day(number), person % 24, person % 60)
      let variant = onlyOneVariant || person % 2 == 0 ? "x" : "y"
      let impression = Folder.event(
        "paywall_impression", "i\(user)", instant, user: user,
        #","entry_point":"settings","experiment":"test","variant":"\#(variant)""#)
      guard person % 10 < 1 else { return impression }
      return impression
        + Folder.event(
          "conversion", "c\(user)", instant, user: user,
          #","plan":"monthly","product_id":"pro","price":6.99,"currency":"EUR""#)
    }.joined()
  }

  private struct Record: Decodable, Equatable {
    struct Finding: Decodable, Equatable {
      var check: String
      var message: String
      var new: Bool
    }
    var night: String
    var status: Int
    var findings: [Finding]
    var missing: [String]
  }

  private func record(_ night: String, in folder: Folder) throws -> Record {
    try JSONDecoder().decode(Record.self, from: Data(folder.text(of: "nightly/\(night).json").utf8))
  }

  /// Returns the files that a night leaves behind.
  private func traces(_ night: String, in folder: Folder) throws -> [String] {
    try ["nightly/\(night).json", "tollgate.prom", "funnel by day.csv", "site/index.html", "site/manifest.json"]
      .map { try folder.text(of: $0) } + [folder.run("quarantine", "--store", "night.db").output]
  }

  @Test func eachFaultOfThirtyNightsIsReportedOnItsNightAndOnNoOther() throws {
    // The findings and the status by night.
    let expected: [Int: (check: String, status: Int32)] = [
      9: ("missing", 4), 13: ("missing", 4), 15: ("late", 4), 18: ("duplicate", 4), 19: ("decision", 4),
      20: ("duplicate", 4),
      22: ("failed", 3), 24: ("quarantine", 4), 27: ("sample_ratio", 4),
    ]
    try Folder.with { folder in
      try folder.write(Self.config, to: "night.yaml")
      try FileManager.default.createDirectory(
        at: folder.url.appendingPathComponent("events"), withIntermediateDirectories: true)
      for night in 2...31 {
        let yesterday = night - 1
        // The file of the 8th never arrives; that of the 12th is two nights late.
        if yesterday != 8 && yesterday != 12 {
          let isBroken = yesterday == 26
          try folder.write(
            Self.events(yesterday, persons: isBroken ? 400 : 60, onlyOneVariant: isBroken)
              + (yesterday == 23 ? "no event\nno event either\n" : ""),
            to: "events/events-\(Self.day(yesterday)).jsonl")
        }
        switch night {
        case 15: try folder.write(Self.events(12), to: "events/events-\(Self.day(12)).jsonl")
        // Identical bytes under another name, and identical events in other bytes.
        case 18: try folder.write(Self.events(16), to: "events/copy.jsonl")
        case 20: try folder.write(Self.events(17) + "\n", to: "events/again.jsonl")
        case 22:
          // The start of a gzip file.
          try Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xAB]).write(
            to: folder.url.appendingPathComponent("events/cut.jsonl.gz"))
        default: break
        }
        let name = Self.day(night)
        let result = try folder.run("nightly", "--config", "night.yaml", "--night", name)
        let record = try record(name, in: folder)
        let new = record.findings.filter(\.new).map(\.check)
        #expect(result.status == expected[night]?.status ?? 0, "\(name): \(result.errors) \(result.output)")
        #expect(record.status == Int(result.status))
        #expect(new == [expected[night]?.check].compactMap { $0 }, "\(name): \(record.findings)")
        for finding in record.findings where finding.new {
          #expect(result.output.contains(finding.message) && result.errors == "")
        }
        if expected[night] != nil || night % 10 == 0 {
          let before = try traces(name, in: folder)
          let again = try folder.run("nightly", "--config", "night.yaml", "--night", name)
          #expect(again.status == result.status && again.output == result.output)
          #expect(again.errors.contains("this night already ran, at 20"), "\(again.errors)")
          #expect(try traces(name, in: folder) == before, "\(name) run again")
        }
      }
      // Open findings stay in the record and in the gauges.
      let last = try record(Self.day(31), in: folder)
      #expect(last.findings.map(\.check) == ["failed", "sample_ratio"])
      #expect(last.missing == ["events/events-{day}.jsonl 2026-03-08"])
      let gauges = try folder.text(of: "tollgate.prom").split(separator: "\n")
      for line in [
        "tollgate_nightly_status 0", "tollgate_nightly_missing 1",
        "tollgate_nightly_night_timestamp_seconds 1774915200",
        #"tollgate_nightly_findings{check="sample_ratio",state="standing"} 1"#,
        #"tollgate_nightly_findings{check="missing",state="new"} 0"#,
      ] { #expect(gauges.contains(Substring(line)), "\(line)") }
      // 29 days of 60 users and the 26th with 400, each once.
      let store = try folder.run("doctor", "--rebuild-check", "--store", "night.db")
      #expect(store.status == 0)
      let earlier = try folder.run("nightly", "--config", "night.yaml", "--night", Self.day(30))
      #expect(earlier.status == 2 && earlier.errors.contains("2026-03-31"))
    }
  }

  @Test(arguments: [
    ("", ["night.yaml", "empty"]),
    ("sources: [{files: e*}]\nnotify: {digest: {numbers: [{report: ingest e, column: x}]}}", ["ingest e", "funnel"]),
    (
      "sources: [{files: e*}]\nnotify: {digest: {numbers: [{report: funnel --from 2026-01-01, column: x}]}}", ["--from"]
    ),
    ("sources: [{files: e*}]\nreports: [funnel]", ["reports", "--output"]),
    ("sources: [{files: e*}]\nreports: [funel --output x]", ["has `funel --output x`", "did you mean funnel?"]),
    ("sources: [{files: e*}]\nreports: [funnel --colour --output x]", ["reports", "--colour"]),
    ("sources: [{files: e*}]\nreports: [funnel --by hour --output x]", ["night.yaml:2: reports", "--by", "hour"]),
    ("sources: [{files: e*}]\nreports: [report --from 2026-13-01 --output x]", ["night.yaml:2", "2026-13-01"]),
    ("sources: [{files: e*}]\nreports: [funnel --known-at e1 --output x]", ["night.yaml:2: reports", "--known-at"]),
    ("sources: [{files: e*}]\nnotify: {digest: {numbers: [{report: funnel --by hour, column: x}]}}", [":2", "hour"]),
    ("sources: [{files: e*}]\nreports: [forget --user x]", ["reports", "forget --user x"]),
    ("sources: [{files: e*}]\nreports: [funnel --output 'x]", ["reports", "quote"]),
    ("sources: [{files: e*}]\nreports: [report --store x --output y]", ["--store"]),
  ]) func aWrongConfigIsRefusedWithFileKeyAndWhatToDo(yaml: String, words: [String]) throws {
    try Folder.with { folder in
      try folder.write(yaml, to: "night.yaml")
      let result = try folder.run("nightly", "--config", "night.yaml")
      #expect(result.status == 2 && result.output == "", "\(yaml)")
      for word in words { #expect(result.errors.contains(word), "\(yaml): \(result.errors)") }
      // Nothing was started.
      #expect(try folder.names == ["night.yaml"])
    }
  }

  private static func example() throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent("SampleData/nightly/nightly.yaml"), encoding: .utf8)
  }

  /// Deterministically damaged configurations are either read or rejected with the file's name.
  @Test func aDamagedConfigIsReadOrRefusedByName() throws {
    let example = try Self.example().replacing(#/(events|webhooks)\//#, with: "")
    var random = SplitMix64(seed: 23)
    try Folder.with { folder in
      var read = 0
      for _ in 0..<120 {
        let damaged = DamagedText.of([example], using: &random)
        try folder.write(damaged, to: "damaged.yaml")
        let result = try folder.run("nightly", "--config", "damaged.yaml", "--check")
        let isRefused = result.status == 2 && result.errors.contains("damaged.yaml:")
        #expect(result.status == 0 || isRefused, "\(damaged): \(result.status) \(result.errors)")
        if result.status == 0 { read += 1 }
        #expect(try folder.names == ["damaged.yaml"])
      }
      // Otherwise the damages would test nothing.
      #expect((10...110).contains(read), "\(read)")
    }
  }

  @Test func theExampleIsSound() throws {
    try Folder.with { folder in
      try folder.write(Self.example(), to: "nightly.yaml")
      let missing = try folder.run("nightly", "--config", "nightly.yaml", "--check")
      #expect(missing.status == 2 && missing.errors.contains("sources: events/*.jsonl.zst: there is no folder "))
      try folder.write(Self.example().replacing(#/(events|webhooks)\//#, with: ""), to: "nightly.yaml")
      let result = try folder.run("nightly", "--config", "nightly.yaml", "--check")
      #expect(result.status == 0 && result.output.contains("no report has been tried"), "\(result.errors)")
    }
  }

  @Test func twoNightsOfOneStoreCannotOverlap() throws {
    try Folder.with { folder in
      try folder.write(Folder.events, to: "e.jsonl")
      try folder.write("sources: [{files: e.jsonl}]", to: "night.yaml")
      let lock = open(folder.path("tollgate.db.nightly-lock"), O_RDWR | O_CREAT, 0o600)
      defer { close(lock) }
      #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
      let refused = try folder.run("nightly", "--config", "night.yaml", "--night", "2026-03-02")
      #expect(refused.status == 5 && refused.output == "")
      #expect(refused.errors.contains("another night is running"))
      #expect(flock(lock, LOCK_UN) == 0)
      #expect(try folder.run("nightly", "--config", "night.yaml", "--night", "2026-03-02").status == 0)
      // A link leads to the same store.
      #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("link.db"), withDestinationPath: folder.path("tollgate.db"))
      let linked = try folder.run("nightly", "--config", "night.yaml", "--night", "2026-03-02", "--store", "link.db")
      #expect(linked.status == 5 && linked.errors.contains("another night is running"), "\(linked.errors)")
    }
  }

  @Test func aNightThatFailsLeavesARecordAndJSONOnTheLog() throws {
    try Folder.with { folder in
      try folder.write(Folder.events, to: "e.jsonl")
      try folder.write("sources: [{files: e.jsonl}]\nprometheus: p.prom", to: "night.yaml")
      try folder.write(String(repeating: "words\n", count: 200), to: "tollgate.db")
      let arguments = ["nightly", "--config", "night.yaml", "--night", "2026-03-02", "--log-format", "json"]
      let failed = try Program.run(arguments, in: folder.url)
      #expect(failed.status == 5)
      for line in failed.errors.split(separator: "\n") {
        let said = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
        #expect(said["level"] == "error" && said["message"]?.contains("not a tollgate store") == true)
      }
      #expect(try record("2026-03-02", in: folder).status == 5)
      #expect(try folder.text(of: "p.prom").contains("tollgate_nightly_status 5\n"))
      try FileManager.default.removeItem(atPath: folder.path("tollgate.db"))
      #expect(try Program.run(arguments, in: folder.url).status == 0)
      #expect(try record("2026-03-02", in: folder).status == 0)
    }
  }

  /// A report or check that cannot be made is a finding and does not affect others; `--check` names it before the
  /// night.
  @Test func whatCannotBeMadeCostsNothingElse() throws {
    try Folder.with { folder in
      let config = """
        sources: [{files: e.jsonl}]
        thresholds:
          quarantine_share: 0.01
        reports:
          - funnel --sort nothing --format csv --output sorted.csv
          - funnel --format csv --output nowhere/funnel.csv
          - funnel --format csv --output funnel.csv
        prometheus: nowhere/p.prom
        """
      try folder.write(Folder.events + "no event\n", to: "e.jsonl")
      try folder.write(config, to: "night.yaml")
      let unknown = try folder.run("nightly", "--config", "night.yaml", "--check")
      #expect(unknown.status == 2 && unknown.errors.contains("nowhere/funnel.csv: there is no folder "))
      #expect(unknown.errors.contains("create it with `mkdir -p "), "\(unknown.errors)")
      let night = try folder.run("nightly", "--config", "night.yaml", "--night", "2026-03-02")
      #expect(night.status == 2 && night.errors == "", "\(night.errors)")
      let record = try record("2026-03-02", in: folder)
      #expect(record.status == 2)
      #expect(record.findings.map(\.check) == ["quarantine", "output", "output", "output"])
      for word in ["nothing", "nowhere/funnel.csv", "nowhere/p.prom"] {
        #expect(record.findings.contains { $0.check == "output" && $0.message.contains(word) }, "\(word)")
      }
      #expect(try folder.text(of: "funnel.csv").hasPrefix("app,"))
    }
  }

  /// A timer's unit keeps the log as the only record of a night.
  @Test func findingsAreLoggedHoweverQuietANightIs() throws {
    try Folder.with { folder in
      try folder.write(Folder.events + "bad\n", to: "e.jsonl")
      try folder.write("sources: [{files: e.jsonl}]\nthresholds: {quarantine_share: 0.01}", to: "night.yaml")
      let night = try folder.run(
        "nightly", "--config", "night.yaml", "--night", "2026-03-02", "--quiet", "--log-format", "json")
      #expect(night.status == 4 && night.output == "")
      let said = try night.errors.split(separator: "\n").map {
        try JSONDecoder().decode([String: String].self, from: Data($0.utf8))
      }
      #expect(said.contains { $0["check"] == "quarantine" && $0["level"] == "error" }, "\(night.errors)")
      // Without a log to read, they are printed; a night that finds nothing prints nothing.
      let found = try folder.run("nightly", "--config", "night.yaml", "--night", "2026-03-02", "--quiet")
      #expect(found.status == 4 && found.output.contains("new      quarantine: ") && found.errors == "", "\(found)")
      let clean = try folder.run("nightly", "--config", "night.yaml", "--night", "2026-03-03", "--quiet")
      #expect(clean.status == 0 && clean.output == "" && clean.errors == "", "\(clean)")
    }
  }

  /// Quarantined lines count for one night, so that each night has its own share; with `repeat`, a day still missing is
  /// reported every night.
  @Test func whatIsWrongOnEachNightIsSaidOnEach() throws {
    try Folder.with { folder in
      try folder.write(
        """
        sources: {files: events}
        expect: [{files: "events/{day}", after: 1}]
        thresholds: {quarantine_share: 0.01, sample_ratio_p: 0}
        """, to: "night.yaml")
      let events = folder.url.appendingPathComponent("events")
      try FileManager.default.createDirectory(at: events, withIntermediateDirectories: true)
      for number in [1, 2] {
        try folder.write(
          Self.events(number) + String(repeating: "bad\(number)\n", count: 50), to: "events/\(Self.day(number))")
        let night = try folder.run("nightly", "--config", "night.yaml", "--night", Self.day(number + 1))
        #expect(night.status == 4 && night.output.contains("new      quarantine: 50 of "), "\(night.output)")
      }
      let missing = try folder.run("nightly", "--config", "night.yaml", "--night", Self.day(4))
      #expect(missing.status == 4 && missing.output.contains("new      missing: "), "\(missing.output)")
      try folder.write(Self.events(4), to: "events/\(Self.day(4))")
      #expect(try folder.run("nightly", "--config", "night.yaml", "--night", Self.day(5)).status == 0)
      try folder.write(Self.events(5), to: "events/\(Self.day(5))")
      try folder.write(folder.text(of: "night.yaml") + "\nrepeat: true\n", to: "night.yaml")
      let standing = try folder.run("nightly", "--config", "night.yaml", "--night", Self.day(6))
      #expect(
        standing.status == 4 && standing.output.contains("standing missing: events/{day} \(Self.day(3))"),
        "\(standing.output)")
    }
  }

  /// A night in the future would block all nights until then.
  @Test func aNightIsNotInTheFuture() throws {
    try Folder.with { folder in
      try folder.write(Self.events(1), to: "events.jsonl")
      try folder.write("sources: {files: events.jsonl}", to: "night.yaml")
      let future = try folder.run("nightly", "--config", "night.yaml", "--night", "2999-01-01")
      #expect(future.status == 2 && future.errors.contains("--night is 2999-01-01, but today is"))
      let wrong = try folder.run("nightly", "--config", "night.yaml", "--night", "2026-02-30")
      #expect(wrong.status == 2 && wrong.errors.contains("it must be a day of the calendar"), "\(wrong.errors)")
      #expect(try folder.names == ["events.jsonl", "night.yaml"])
    }
  }

  /// A store named by the environment is relative to the current folder, like any store.
  @Test func theStoreOfTheEnvironmentIsThatOfTheShell() throws {
    try Folder.with { folder in
      try FileManager.default.createDirectory(
        at: folder.url.appendingPathComponent("config"), withIntermediateDirectories: true)
      try folder.write(Self.events(1), to: "config/events.jsonl")
      try folder.write("sources: {files: events.jsonl}", to: "config/night.yaml")
      let night = try folder.run(
        "nightly", "--config", "config/night.yaml", "--night", Self.day(2), environment: ["TOLLGATE_STORE": "own.db"])
      #expect(night.status == 0, "\(night.output)\(night.errors)")
      #expect(try folder.names.contains("own.db"))
      #expect(!FileManager.default.fileExists(atPath: folder.path("config/own.db")))
    }
  }
}
