import Foundation
import Testing

/// Definitions 16.10: notes on days, and where they are shown.
@Suite struct NoteCommandTests {
  @Test func notesAreAddedListedAndRemoved() throws {
    try Folder.with { folder in
      let none = try folder.run("note", "list")
      #expect(
        none.status == 0 && none.output == "notes.yaml: has no notes; add one with `tollgate note add DAY TEXT`\n")
      let first = try folder.run("note", "add", "2026-02-16", "Price", "rise", "--app", "steps", "--tag", "price")
      #expect(first.output == "notes.yaml: note 1, 16 Feb 2026, steps: Price rise [price]\n", "\(first.errors)")
      #expect(try folder.run("note", "add", "2026-03-01..2026-03-04", "Outage: all", "--exclude").status == 0)
      #expect(
        try folder.text(of: "notes.yaml") == """
          - {day: 2026-02-16, app: "steps", text: "Price rise", tags: ["price"]}
          - {day: 2026-03-01..2026-03-04, text: "Outage: all", exclude: true}

          """)
      #expect(
        try folder.run("note").output == """
          1  16 Feb 2026, steps: Price rise [price]
          2  1 Mar to 3 Mar 2026, all apps: Outage: all (left out by alarms)

          """)
      #expect(try folder.run("note", "remove", "3").status == 2)
      #expect(
        try folder.run("note", "remove", "1").output == "notes.yaml: removed 16 Feb 2026, steps: Price rise [price]\n")
      #expect(try folder.run("note", "list", "--quiet").output.hasPrefix("1  1 Mar to 3 Mar 2026"))
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
      #expect(table.contains(#/note +Outage +2026-03-01/#), "\(table)")
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
      #expect(text.contains("Viewers, demo, 6 Mar: 8, expected 40; no single place; note: Store outage\n"), "\(text)")
      #expect(!text.contains("Not here"))
      // Of another app, they are not left out.
      #expect(try night(excluded.replacing("text", with: "app: x, text")) == "")
    }
  }
}
