import Foundation
import Testing

/// Definitions 16: what a night tells, and that it tells it once.
@Suite struct NightlyNotifyTests {
  private static func config(_ command: String) -> String {
    """
    store: night.db
    sources: [{files: "events/*"}]
    notify:
      base_url: https://numbers.example.com/
      digest:
        numbers: [{name: Viewers, report: funnel --horizon 1 --where entry_point=settings, column: users}]
      alarms: {per_month: 1}
      to: [{file: message.txt, command: \(command)}, {format: slack, file: message.json}]
    """
  }

  static func date(_ number: Int) -> String {
    let day = Date(timeIntervalSince1970: Double(1_767_225_600 + number * 86_400))
    return String(day.ISO8601Format().prefix(10))
  }

  /// Days of 2026 from 1 January, each with its number of viewers.
  static func events(_ days: Range<Int>, viewers: (Int) -> Int = { _ in 40 }) -> String {
    days.map { number in
      (0..<viewers(number)).map { person in
        Folder.event(
          "paywall_impression", "i\(number)-\(person)",
          String(format: "%@T%02d:%02d:00Z", date(number), person % 24, person % 60), user: "u\(number)-\(person)",
          #","entry_point":"settings""#)
      }.joined()
    }.joined()
  }

  @Test func anAlarmIsToldOnceAndWhenItEnds() throws {
    try Folder.with { folder in
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: "events"), withIntermediateDirectories: true)
      func night(_ number: Int) throws -> Int32 {
        try folder.run("nightly", "--config", "night.yaml", "--night", Self.date(number)).status
      }
      func add(_ day: Int, viewers: Int = 40) throws {
        try folder.write(Self.events(day..<day + 1) { _ in viewers }, to: "events/\(day).jsonl")
      }
      try folder.write(Self.config(#"[sh, -c, "cat >> sent.txt"]"#), to: "night.yaml")
      try folder.write(Self.events(0..<64), to: "events/begin.jsonl")
      // 5 March is no Monday, and nothing stands out.
      #expect(try night(64) == 0 && (try? folder.text(of: "message.txt")) == nil)
      try add(64, viewers: 8)
      #expect(try night(65) == 0)
      // Users of 6 March have settled once a day later is known.
      try add(65)
      #expect(try night(66) == 4)
      let text = try folder.text(of: "message.txt")
      #expect(
        text.contains("Alarms\n- Viewers, demo, 6 Mar: 8, expected 40; no single segment stands out\n"), "\(text)")
      // The page of the link has the options of the number, so that it shows the same number.
      let address = "  https://numbers.example.com/reports/funnel?app=demo&from=2026-03-06&to=2026-03-07"
      #expect(
        text.removingPercentEncoding?.contains("\(address)&where=entry_point=settings&horizon=1\n") == true, "\(text)")
      #expect(try folder.text(of: "message.json").hasPrefix(#"{"text":"2026-03-08: 1 alarm","#))
      #expect(try folder.text(of: "sent.txt") == text)
      // Again, it sends nothing.
      #expect(try night(66) == 4 && folder.text(of: "sent.txt") == text)
      try add(66)
      // 9 March is a Monday: the digest comes with the end of the alarm.
      #expect(try night(67) == 0)
      let next = try folder.text(of: "message.txt")
      #expect(next.contains("- Viewers demo is back to normal"), "\(next)")
      #expect(next.contains("Numbers of the week\n- Viewers, demo, 23 Feb to 1 Mar: 280, 0"), "\(next)")
    }
  }

  @Test func aCommandThatFailsStopsNothingElse() throws {
    try Folder.with { folder in
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: "events"), withIntermediateDirectories: true)
      try folder.write(Self.config("[sh, -c, 'exit 7']"), to: "night.yaml")
      try folder.write(Self.events(0..<67), to: "events/begin.jsonl")
      let run = try folder.run("nightly", "--config", "night.yaml", "--night", Self.date(67))
      #expect(run.status == 4 && run.output.contains("output: notify: sh: ended with status 7"), "\(run.output)")
      #expect(try folder.text(of: "message.json").contains("Numbers of the week"))
    }
  }

  /// Neither a program nor notes that are not there stop a night.
  @Test func aMissingProgramAndMissingNotesAreFindings() throws {
    try Folder.with { folder in
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: "events"), withIntermediateDirectories: true)
      try folder.write(Self.config("[nosuch]") + "\nnotes: none.yaml", to: "night.yaml")
      try folder.write(Self.events(0..<67), to: "events/begin.jsonl")
      let run = try folder.run("nightly", "--config", "night.yaml", "--night", Self.date(67))
      #expect(run.status == 2 && run.errors == "", "\(run.errors)")
      for words in [
        "output: notes: night.yaml:9: notes is none.yaml, which cannot be read: there is no such file",
        "output: notify: nosuch: there is no such program in PATH; write its path, such as ./nosuch",
      ] { #expect(run.output.contains(words), "\(run.output)") }
    }
  }

  /// The command fails on 9 March and on the 10th, which has nothing to tell of its own; then it is repaired. The message
  /// of the 9th is sent once, by the next run, be it the same night or a later one.
  @Test(arguments: [67, 68]) func aMessageWhoseCommandFailedIsSentByTheNextRun(repaired: Int) throws {
    try Folder.with { folder in
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: "events"), withIntermediateDirectories: true)
      try folder.write(Self.config("[sh, -c, 'exit 7']"), to: "night.yaml")
      try folder.write(Self.events(0..<67), to: "events/begin.jsonl")
      func night(_ number: Int) throws -> Int32 {
        try folder.run("nightly", "--config", "night.yaml", "--night", Self.date(number)).status
      }
      for number in 67...repaired { #expect(try night(number) == 4) }
      let text = try folder.text(of: "message.txt")
      #expect(text.contains("Numbers of the week"))
      try folder.write(Self.config(#"[sh, -c, "cat >> sent.txt"]"#), to: "night.yaml")
      for number in [repaired, repaired, repaired + 1] { #expect(try night(number) == 0) }
      #expect(try folder.text(of: "sent.txt") == text)
    }
  }

  /// A preview has the digest on any day, and the files in their formats.
  @Test func aCheckWritesTheFilesAndRunsNoCommand() throws {
    try Folder.with { folder in
      try folder.write(Self.config(#"[sh, -c, "cat >> sent.txt"]"#), to: "night.yaml")
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: "events"), withIntermediateDirectories: true)
      try folder.write(Self.events(0..<67), to: "events/begin.jsonl")
      #expect(try folder.run("ingest", "--store", "night.db", "events/begin.jsonl").status == 0)
      let check = try Program.run(["nightly", "--config", "night.yaml", "--check"], in: folder.url)
      #expect(check.status == 0 && check.output.hasSuffix(", no errors; wrote message.txt, message.json\n"), "\(check)")
      // Of the night that it is asked for, in the message, too.
      let words = ["nightly", "--config", "night.yaml", "--check", "--night", "2026-03-09"]
      let asked = try Program.run(words, in: folder.url)
      #expect(asked.output.contains("no errors for the night of 2026-03-09; wrote"), "\(asked)")
      #expect(try folder.text(of: "message.txt").contains("2026-03-09"))
      // The newest week whose users are a day old: data end on 8 March.
      #expect(
        try folder.text(of: "message.txt").contains("Numbers of the week\n- Viewers, demo, 23 Feb to 1 Mar: 280, 0"))
      #expect(try folder.text(of: "message.json").hasPrefix(#"{"text":""#))
      #expect((try? folder.text(of: "sent.txt")) == nil && (try? folder.names.contains("nightly")) == false)
    }
  }

  @Test(arguments: [
    ("notify: {digest: {numbers: []}}", "notify has no to"), ("notify: {to: [{file: a}], at: x}", "at"),
    ("notify: {to: [{file: a}], verdicts: false}", "reports nothing"),
    ("notify: {alarms: {per_month: 1}, to: [{file: a}]}", "has no numbers"),
    ("notify: {to: [{file: a, format: fax}]}", "fax, but must be one of text, markdown, html, slack, json"),
    ("notify: {to: [{file: a}], digest: {numbers: [{report: cadence, column: x}]}}", "cannot be compared"),
    ("notify: {to: [{file: a}], digest: {numbers: [{report: funnel --by variant, column: users}]}}", "leave out --by"),
    ("notify: {to: [{file: a}], digest: {at: tuesday, numbers: []}}", "must be monday or daily"),
    ("notify: {to: [{file: a}], base_url: numbers}", "such as https://"),
    ("notify: {to: []}", "notify.to is empty, but must list files to write"),
    ("notify: {to: [{file: none/a}]}", "night.yaml: notify.to: there is no folder"),
    ("notify: {to: [{file: a, command: [nosuch]}]}", "notify.to: nosuch: there is no such program in PATH"),
    ("notes: none.yaml", "night.yaml:3: notes is none.yaml, which cannot be read: there is no such file"),
    ("notes: night.yaml", "night.yaml:1: store is not a key; expected one of day, app, text, tags, exclude"),
  ]) func aWrongConfigSaysWhatIsWrong(yaml: String, words: String) throws {
    try Folder.with { folder in
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: "events"), withIntermediateDirectories: true)
      try folder.write(Self.events(0..<1), to: "events/begin.jsonl")
      try folder.write("store: night.db\nsources: [{files: \"events/*\"}]\n\(yaml)\n", to: "night.yaml")
      let run = try folder.run("nightly", "--config", "night.yaml", "--check")
      #expect(run.status == 2 && run.errors.contains(words), "\(run.errors)")
    }
  }
}
