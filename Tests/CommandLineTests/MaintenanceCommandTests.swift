import Foundation
import Testing

/// Refusals of `doctor`, `backup`, `vacuum`, `prune` and `forget`.
@Suite struct MaintenanceCommandTests {
  /// Writing to a store would keep a damaged page's content and remove the seal that reveals it.
  @Test func aBrokenSealIsKept() throws {
    try Folder.with { folder in
      try folder.makeStore()
      #expect(try folder.run("doctor", "--seal").status == 0)
      var bytes = try Data(contentsOf: folder.url.appendingPathComponent("tollgate.db"))
      bytes[bytes.count - 100] ^= 1
      try bytes.write(to: folder.url.appendingPathComponent("tollgate.db"))
      try folder.write("{}\n", to: "more.jsonl")
      for command in [
        ["doctor"], ["doctor", "--repair"], ["vacuum"], ["prune", "--older-than", "30"], ["forget", "--user", "a"],
        ["backup", "copy.db"], ["ingest", "more.jsonl"], ["quarantine", "retry"],
      ] {
        let result = try Program.run(command, in: folder.url)
        #expect(result.status == 5, "\(command)")
        #expect(result.errors.contains("has changed since it was sealed. Restore a backup"), "\(result.errors)")
        #expect(try folder.names.contains("tollgate.db.seal") && !folder.names.contains("copy.db"), "\(command)")
      }
    }
  }

  /// Reports of raw events say since when events are complete; reports of facts do not need to.
  @Test func reportsOfRawEventsSayThatSomeWerePruned() throws {
    try Folder.with { folder in
      try folder.makeStore()
      // The first event of a user stays.
      try folder.write(
        ["2025-09-01", "2025-09-05", "2025-12-31"].map { Folder.event("activity", $0, "\($0)T00:00:00Z", user: "q") }
          .joined(), to: "activity.jsonl")
      #expect(try folder.run("ingest", "activity.jsonl").status == 0)
      let note = "prune removed raw events before"
      #expect(try !folder.run("activity", "--by", "month").output.contains(note))
      let pruned = try folder.run("prune", "--older-than", "30")
      #expect(pruned.output.contains("activity: 2\n"), "\(pruned.output)")
      for command in [["activity", "--by", "month"], ["gates"], ["nudges"], ["health"]] {
        let report = try Program.run(command, in: folder.url)
        #expect(report.output.contains(note), "\(report.output)")
        // Machine-readable formats have no place for the note, so it is printed as a warning.
        for format in ["csv", "json"] {
          let report = try Program.run(command + ["--format", format], in: folder.url)
          #expect(report.errors.contains(note) && !report.output.contains(note), "\(report.errors)")
        }
      }
      #expect(try folder.run("funnel", "--format", "csv").errors == "")
      #expect(try !folder.run("funnel").output.contains(note))
      // Own metrics read events; the program's read facts, as long as all exposures count.
      try folder.write(
        "metrics: [{name: seen, kind: proportion, event: activity, window: [0, 8]}]", to: "own.yaml")
      #expect(try folder.run("experiment", "test", "--config", "own.yaml", "--format", "csv").errors.contains(note))
      #expect(try folder.run("experiment", "test", "--format", "csv").errors == "")
      // A later, smaller pruning restores nothing.
      let before = try folder.run("gates").output
      #expect(try folder.run("prune", "--older-than", "60").status == 0)
      #expect(try folder.run("gates").output == before)
    }
  }

  /// Missing keys and dictionary entries, and an empty file, are each named, and no command crashes.
  @Test(arguments: [
    ("DELETE FROM event_key", "5 events have 0 keys"), ("DELETE FROM user_key", "3 users have 0 keys"),
    ("DELETE FROM context WHERE id = 1", "entry 1 of context is not there"),
    ("DELETE FROM client WHERE id = 1", "1 of client"),
    ("DELETE FROM terms WHERE id = 1", "entry 1 of terms is not there"),
    ("DELETE FROM name WHERE id = 3", "entry 3 of name is not there"),
    ("DELETE FROM name WHERE id = (SELECT MAX(id) FROM name)", "of name, which"),
  ])
  func whatEventsNeedAndIsGoneIsNamed(sql: String, message: String) throws {
    try Folder.with { folder in
      try folder.makeStore()
      try folder.withSQL(sql, on: "tollgate.db") {}
      for command in [["doctor"], ["doctor", "--repair"], ["backup", "copy.db"]] {
        let result = try Program.run(command, in: folder.url)
        #expect(result.status == 5 && result.errors.contains(message), "\(command): \(result.status) \(result.errors)")
      }
      #expect(try !folder.names.contains("copy.db"))
      // A report that folds again also names the damage.
      let report = try folder.run("funnel", "--grace", "4")
      #expect([0, 5].contains(report.status))
      if message.hasSuffix("client") {
        #expect(report.errors.contains("entry 1 of client, which a row of facts has, is not there"))
      }
    }
  }

  @Test func aRepairOfNothingMakesNoStore() throws {
    try Folder.with { folder in
      try folder.write("", to: "tollgate.db")
      for command in [["doctor"], ["doctor", "--repair"], ["vacuum"]] {
        let result = try Program.run(command, in: folder.url)
        #expect(result.status == 5 && result.errors.contains("is not a tollgate store"), "\(command): \(result.errors)")
      }
      #expect(try folder.text(of: "tollgate.db") == "")
      // The rows that identify a block's events are identical in every store.
      try FileManager.default.removeItem(atPath: folder.path("tollgate.db"))
      try folder.makeStore()
      try folder.withSQL("DELETE FROM place", on: "tollgate.db") {}
      #expect(try folder.run("doctor", "--rebuild-check").status == 5)
      #expect(try folder.run("doctor", "--repair").status == 0)
      #expect(try folder.run("doctor", "--rebuild-check").status == 0)
      let isFolder = try folder.run("doctor", "--store", ".")
      #expect(
        isFolder.status == 2 && isFolder.errors.contains(". is a folder; name a file in it"), "\(isFolder.errors)")
    }
  }

  @Test func filesThatAreGoneAreNamed() throws {
    try Folder.with { folder in
      try folder.makeStore()
      try FileManager.default.removeItem(at: folder.url.appending(path: "events.jsonl"))
      let result = try folder.run("doctor", "--files")
      #expect(result.status == 0 && result.output.contains("events.jsonl: no longer exists"), "\(result.output)")
      #expect(result.output.contains("0 unchanged, 0 changed, 1 missing"), "\(result.output)")
    }
  }

  @Test func aBackupIsAnotherFile() throws {
    try Folder.with { folder in
      try folder.makeStore()
      try folder.write("notes", to: "notes.txt")
      for (target, word) in [
        ("tollgate.db", "the store itself"), ("./tollgate.db", "the store itself"), (".", "folder"),
        ("nowhere/copy.db", "nowhere"), ("notes.txt", "not a copy of a store"),
      ] {
        let result = try folder.run("backup", target)
        #expect(result.status == 2 && result.errors.contains(word), "\(target): \(result.errors)")
      }
      #expect(try folder.text(of: "notes.txt") == "notes")
      #expect(try folder.run("backup", "copy.db").status == 0)
      #expect(try folder.run("backup", "copy.db").status == 0)
    }
  }

  /// An erasure cannot be undone: a misspelt app erases nothing, and a quarantined line is erased with its own app
  /// only.
  @Test func anErasureIsOfItsApps() throws {
    try Folder.with { folder in
      try folder.write(
        Folder.event("activity", "1", "2026-01-01T00:00:00Z", user: "person-12345")
          + #"{"event":"activity","event_id":"2","app":"other","user_id":"person-12345"}"# + "\n"
          + #"{"event":"activity","event_id":"3","app":"demo","user_id":"person-12345"}"# + "\n", to: "events.jsonl")
      #expect(try folder.run("ingest", "events.jsonl").status == 0)
      let wrong = try folder.run("forget", "--user", "person-12345", "--app", "dmeo")
      #expect(
        wrong.status == 2 && wrong.errors.contains("no app dmeo in this store; did you mean demo? Apps: demo"),
        "\(wrong.errors)")
      #expect(try folder.run("quarantine", "list", "--format", "csv").output.contains("other"))
      let events = try folder.run("export", "events").output
      let dry = try folder.run("forget", "--user", "person-12345", "--app", "demo", "--dry-run")
      #expect(dry.status == 0 && dry.output.hasPrefix("1 user with 1 id in demo: "), "\(dry)")
      #expect(try folder.run("export", "events").output == events)
      let right = try folder.run("forget", "--user", "person-12345", "--app", "demo")
      #expect(right.output.contains(#""quarantined_lines" : 1"#), "\(right.output)")
      let rest = try folder.run("quarantine", "list", "--format", "csv").output
      #expect(rest.contains("other") && !rest.contains("demo"))
    }
  }
}
