import Foundation
import Testing

/// Notes on days, and where they are shown.
@Suite struct NoteCommandTests {
  @Test func notesAreAdded() throws {
    try Folder.with { folder in
      let first = try folder.run("note", "add", "2026-02-16", "Price", "rise", "--app", "steps", "--tag", "price")
      #expect(first.output == "notes.yaml: note 1, 16 Feb 2026, steps: Price rise [price]\n", "\(first.errors)")
      #expect(
        try folder.run("note", "add", "2026-03-01..2026-03-04", "Outage: all", "--exclude").output
          == "notes.yaml: note 2, 1 Mar to 3 Mar 2026, all apps: Outage: all (left out by alarms)\n")
      #expect(
        try folder.text(of: "notes.yaml") == """
          - {day: 2026-02-16, app: "steps", text: "Price rise", tags: ["price"]}
          - {day: 2026-03-01..2026-03-04, text: "Outage: all", exclude: true}

          """)
      // The file is beside the store, or where it is said to be.
      try FileManager.default.createDirectory(at: folder.url.appending(path: "data"), withIntermediateDirectories: true)
      #expect(try folder.run("note", "add", "2026-02-16", "a", "--store", "data/x.db", "--quiet").output == "")
      #expect(try folder.run("note", "add", "2026-02-16", "b", "--annotations", "own.yaml").status == 0)
      #expect(try folder.text(of: "data/notes.yaml") == "- {day: 2026-02-16, text: \"a\"}\n")
      #expect(try folder.names == ["data", "notes.yaml", "own.yaml"])
    }
  }

  /// Events of `NightlyNotifyTests`, 40 viewers each day from 1 January, day 0. Of the week from 23 February, 1 to 3 March
  /// are in the note: one of its days, 40 viewers, is in that week and two in the week after, 80.
  @Test func whyListsNotesOfEitherSide() throws {
    try Folder.with { folder in
      try folder.write(NightlyNotifyTests.events(0..<70), to: "events.jsonl")
      #expect(try folder.run("ingest", "events.jsonl").status == 0)
      try folder.write(
        """
        - {day: 2026-03-01..2026-03-04, app: demo, text: Outage}
        - {day: 2026-03-05, app: other, text: Elsewhere}
        - {day: 2026-03-20, text: Later}
        """, to: "notes.yaml")
      func why(_ words: String...) throws -> Program.Result {
        try Program.run(
          ["why", "funnel", "--column", "paid_rate", "--horizon", "1", "--from", "2026-03-02", "--to", "2026-03-09"]
            + words,
          in: folder.url)
      }
      let csv = try why("--annotations", "notes.yaml", "--format", "csv").output
      let rows = csv.split(whereSeparator: \.isNewline).map {
        $0.split(separator: ",", omittingEmptySubsequences: false)
      }
      let notes = rows.filter { $0.count > 9 && $0[3] == "note" }
      #expect(notes.count == 1 && notes.first?[2] == "suspect", "\(csv)")
      #expect(notes.first.map { $0[4...8].joined(separator: "|") } == "Outage||2026-03-01..2026-03-04|40|80", "\(csv)")
      let plain = try why("--format", "csv").output
      #expect(
        !plain.contains("Outage")
          && csv.split(whereSeparator: \.isNewline).count == plain.split(whereSeparator: \.isNewline).count + 1)
      let table = try why("--annotations", "notes.yaml").output
      #expect(table.contains(#/note +Outage +1 Mar to 4 Mar/#), "\(table)")
    }
  }

  /// 40 viewers each day, of whom nobody pays, but on 11 March, day 69, only 80 viewers of a sale in version 2.0, who all
  /// pay: the version is the only segment that stands out in the week from 9 March against the week before, and the sale
  /// has its users. So has the note of that day; the one of 10 March names the sale by a tag, and the one of both days has
  /// users of another entry point, too.
  @Test func aNoteSaysWhichDriverItIs() throws {
    try Folder.with { folder in
      let day = NightlyNotifyTests.date(69)
      let sale = (0..<80).map { user in
        let time = { (minute: Int) in String(format: "%@T%02d:%02d:00Z", day, user % 20, minute) }
        return Folder.event(
          "paywall_impression", "s\(user)", time(10), user: "s\(user)", #","entry_point":"sale","app_version":"2.0""#)
          + Folder.event(
            "conversion", "c\(user)", time(20), user: "s\(user)",
            #","plan":"monthly","product_id":"pro","price":6.99,"currency":"USD","app_version":"2.0""#)
      }
      try folder.write(
        NightlyNotifyTests.events(0..<80) { $0 == 69 ? 0 : 40 } + sale.joined(), to: "events.jsonl")
      #expect(try folder.run("ingest", "events.jsonl").status == 0)
      try folder.write(
        """
        - {day: 2026-03-11, text: Sale}
        - {day: 2026-03-10, text: Poster, tags: ["entry_point=sale"]}
        - {day: 2026-03-10..2026-03-12, text: Rain, tags: [weather]}
        """, to: "notes.yaml")
      let words = [
        "why", "funnel", "--column", "paid_rate", "--horizon", "1", "--from", "2026-03-09", "--to", "2026-03-16",
        "--annotations", "notes.yaml",
      ]
      let csv = try Program.run(words + ["--format", "csv"], in: folder.url).output
      let rows = csv.split(whereSeparator: \.isNewline).map {
        $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }
      func cells(_ verdict: String, _ name: String) -> String {
        // app, rank, verdict, cut, segment, aliases, part, before_n, now_n
        rows.first { $0.count > 8 && $0[2] == verdict && $0[4] == name }.map { $0[1...8].joined(separator: "|") } ?? csv
      }
      #expect(cells("driver", "app_version=2.0").hasPrefix("1|driver|app_version|app_version=2.0|"))
      #expect(
        cells("suspect", "app_version=2.0") == "1|suspect|app_version|app_version=2.0||2026-03-11|0|80")
      #expect(cells("suspect", "Sale") == "1|suspect|note|Sale|app_version=2.0|2026-03-11|0|80")
      #expect(cells("suspect", "Poster") == "1|suspect|note|Poster|app_version=2.0|2026-03-10|0|40")
      #expect(cells("suspect", "Rain") == "|suspect|note|Rain||2026-03-10..2026-03-12|0|120")
      let table = try Program.run(words, in: folder.url).output
      #expect(table.contains(#/note +Sale +11 Mar, driver/#), "\(table)")
    }
  }

  /// 8 instead of 40 viewers on day 64, 6 March, and on three of its weekdays before, 30 January, 6 and 13 February. With
  /// them the mean of ln(1 + x) is 3.1449, s 0.7848, t = (2.1972 − 3.1449) ÷ (0.7848 × √1.125) = −1.14, p 0.29. Without them
  /// five days of 40 are left, and z = −1.5164 ÷ (√1.2 ÷ √40) = −8.76.
  @Test func excludedDaysAreNoReferenceAndAlarmsNameNotes() throws {
    try Folder.with { folder in
      let low = [29, 36, 43, 64]
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: "events"), withIntermediateDirectories: true)
      try folder.write(NightlyNotifyTests.events(0..<66) { low.contains($0) ? 8 : 40 }, to: "events/begin.jsonl")
      func night(_ notes: String) throws -> String {
        try folder.write(
          """
          store: night.db
          sources: [{files: "events/*"}]
          notes: notes.yaml
          notify:
            alarms: {numbers: [{name: Viewers, report: funnel --horizon 1, column: users}]}
            to: [{file: message.txt}]
          """, to: "night.yaml")
        try folder.write(notes, to: "notes.yaml")
        for name in try folder.names where name.hasPrefix("night.db") || ["message.txt", "nightly"].contains(name) {
          try? FileManager.default.removeItem(at: folder.url.appending(path: name))
        }
        let run = try folder.run("nightly", "--config", "night.yaml", "--night", "2026-03-08")
        #expect(run.status == 0 || run.status == 4, "\(run.errors)")
        return (try? folder.text(of: "message.txt")) ?? ""
      }
      #expect(try night("# none") == "")
      let excluded =
        "- {day: 2026-01-30, text: Strike, exclude: true}\n- {day: 2026-02-06..2026-02-14, text: Strike, exclude: true}\n"
      let text = try night(
        excluded + "- {day: 2026-03-06, text: Store outage}\n- {day: 2026-03-06, app: x, text: Not here}\n")
      #expect(
        text.replacing("\n  ", with: " ").contains(
          "Viewers, demo, 6 Mar: 8, expected 40; no single segment stands out; note: Store outage\n"),
        "\(text)")
      #expect(!text.contains("Not here"))
      // Of another app, they are not left out.
      #expect(try night(excluded.replacing("text", with: "app: x, text")) == "")
    }
  }
}
