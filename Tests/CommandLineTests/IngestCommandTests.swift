import Foundation
import Testing

/// `ingest` reads files, directories or `-`, and prints files, events, duplicates, rejected lines and seconds.
@Suite struct IngestCommandTests {
  @Test func standardInputIsReadForADash() throws {
    try Folder.with { folder in
      let first = try folder.run("ingest", "-", input: Folder.events)
      #expect(
        first.status == 0
          && first.output.hasPrefix("1 file (0 skipped, 0 failed), 5 events, 0 duplicates, 0 rejected, "))
      let again = try folder.run("ingest", "-", input: Folder.events)
      #expect(again.output.hasPrefix("0 files (1 skipped, 0 failed), 0 events, 0 duplicates, 0 rejected, "))
      let longer = try folder.run("ingest", "-", input: Folder.events + "\n" + Folder.events)
      #expect(longer.output.hasPrefix("1 file (0 skipped, 0 failed), 0 events, 10 duplicates, 0 rejected, "))
      #expect(try folder.run("funnel", "--format", "csv").output.split(separator: "\n").count == 3)
    }
  }

  @Test func foldersAreReadInDepthWithoutHiddenFilesAndLinks() throws {
    try Folder.with { folder in
      try FileManager.default.createDirectory(atPath: folder.path("events/deep/er"), withIntermediateDirectories: true)
      let lines = Folder.events.split(separator: "\n").map(String.init)
      for (name, line) in zip(["b", "deep/a", "deep/er/c", ".hidden", "z"], lines) {
        try folder.write(line, to: "events/\(name)")
      }
      try FileManager.default.createSymbolicLink(atPath: folder.path("events/link"), withDestinationPath: "b")
      let result = try folder.run("ingest", "events")
      #expect(result.status == 0 && result.output.hasPrefix("4 files (0 skipped, 0 failed), 4 events, "))
    }
  }

  @Test func filesOfOtherCommandsAndEmptyFoldersAreTold() throws {
    try Folder.with { folder in
      try folder.write("date,currency,usd_per_unit\n2026-03-01,EUR,1.1\n", to: "rates.csv")
      try folder.write("date,spend,currency\n2026-03-01,5,USD\n", to: "ads.csv")
      try FileManager.default.createDirectory(atPath: folder.path("none"), withIntermediateDirectories: true)
      for (path, status, words) in [
        ("rates.csv", 3, "next: tollgate rates import rates.csv"),
        ("ads.csv", 3, "next: tollgate spend import ads.csv"),
        ("none", 0, "none: there is no file to read"),
      ] as [(String, Int32, String)] {
        let result = try folder.run("ingest", path)
        #expect(result.status == status && result.errors.contains(words), "\(result)")
      }
    }
  }

  /// A list over lines, on one line, pretty-printed, of more than the 1 MiB that a line may have, and of lists after
  /// one another gives what the lines give. The n-th event counts as line n.
  @Test func aListOfEventsIsReadAsItsEvents() throws {
    try Folder.with { folder in
      let events = Folder.events.split(separator: "\n").map(String.init)
      let text =
        #"{"event_id":"x","event":"activity","ts":"2026-03-01T00:00:00Z","user_id":"u","app":"a","#
        + #""properties":{"k":"]},[\\\""}}"#
      try folder.write((events + [text]).joined(separator: "\n"), to: "lines.ndjson")
      _ = try folder.run("ingest", "lines.ndjson", "--store", "lines.db")
      let wanted = try folder.run("export", "events", "--format", "csv", "--store", "lines.db").output
      let pretty = (events + [text]).map { $0.replacingOccurrences(of: ",\"", with: ",\n  \"") }
      let many = (0..<20_000).map { text.replacingOccurrences(of: "\"x\"", with: "\"x\($0)\"") }
      for (name, list) in [
        ("rows", "[" + (events + [text]).joined(separator: ",\n") + "]\n"),
        ("row", "[" + (events + [text]).joined(separator: ",") + "]"),
        ("pretty", "[\n" + pretty.joined(separator: ",\n") + "\n]\n"),
        ("two", "[" + events.joined(separator: ",") + "]\n[" + text + "]"),
      ] {
        try folder.write(list, to: "\(name).json")
        let result = try folder.run("ingest", "\(name).json", "--store", "\(name).db")
        #expect(result.status == 0, "\(name): \(result.errors)")
        let rows = try folder.run("export", "events", "--format", "csv", "--store", "\(name).db").output
        #expect(rows == wanted && rows.contains("]},["), "\(name)")
      }
      try folder.write("[" + many.joined(separator: ",") + ",{\"a\":1}]", to: "many.json")
      let result = try folder.run("ingest", "many.json", "--store", "many.db", "--format", "json")
      #expect(result.status == 0 && result.output.contains("\"events\" : 20000,"), "\(result)")
      let rejected = try folder.run("quarantine", "show", "--store", "many.db")
      #expect(rejected.errors.contains("many.json:20001: missing:event_id"), "\(rejected)")
    }
  }

  @Test func jsonHasEveryCount() throws {
    try Folder.with { folder in
      try folder.write(
        Folder.events + Folder.events.split(separator: "\n")[0] + "\nnot JSON\n"
          + Folder.event("activity", "5", "2026-03-01T00:00:00Z", user: "someone else"), to: "events.jsonl")
      try Data([0x28, 0xB5, 0x2F, 0xFD, 0x24]).write(to: folder.url.appendingPathComponent("bad.zst"))
      let result = try folder.run("ingest", "--format", "json", "events.jsonl", "events.jsonl", "bad.zst")
      #expect(result.status == 3)
      let object = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
      #expect(
        object.keys.sorted() == [
          "conflicts", "duplicates", "events", "failures", "files", "files_empty", "files_failed", "files_skipped",
          "ignored",
          "joins", "quarantined", "reported", "seconds",
        ])
      func count(_ key: String) -> Int? { (object[key] as? NSNumber)?.intValue }
      #expect(count("files") == 1 && count("files_skipped") == 1 && count("files_failed") == 1)
      #expect(count("events") == 5 && count("duplicates") == 1 && count("conflicts") == 1)
      #expect(object["quarantined"] as? [String: Int] == ["conflict": 1, "not_json_object": 1])
      #expect((object["seconds"] as? NSNumber).map { $0.doubleValue >= 0 } == true)
      let failures = try #require(object["failures"] as? [[String: String]])
      #expect(failures.map { $0["path"] } == ["bad.zst"] && failures[0]["reason"]?.isEmpty == false)
    }
  }

  @Test func quarantineListsShowsAndRetries() throws {
    try Folder.with { folder in
      try folder.write(Folder.events + "not, JSON\n", to: "events.jsonl")
      _ = try folder.run("ingest", "events.jsonl")
      let list = try folder.run("quarantine", "list", "--format", "csv")
      #expect(list.output == "file,line,id,reason,field,raw\nevents.jsonl,6,1,not_json_object,,\"not, JSON\"\n")
      let show = try folder.run("quarantine", "show", "1")
      #expect(show.output == "not, JSON\n" && show.errors.hasPrefix("events.jsonl:6: not_json_object. "))
      #expect(
        try folder.run("quarantine", "list", "--format", "csv", "--reason", "nul").output.split(separator: "\n").count
          == 1)
      #expect(try folder.run("quarantine", "retry").output == "0 lines accepted, 1 still rejected\n")
      let good = Folder.event("activity", "6", "2026-03-01T00:00:00Z", user: "c").dropLast()
      try folder.withSQL("UPDATE rejected_line SET raw = '\(good)'", on: "tollgate.db") {}
      #expect(try folder.run("quarantine", "retry", "1").output == "1 line accepted, 0 still rejected\n")
      #expect(try folder.run("doctor", "--rebuild-check").status == 0)
    }
  }

  /// Both trials are rejected, and one of two conversions: of conversions there is one.
  @Test func kindsOfWhichEveryLineIsRejectedAreSaid() throws {
    try Folder.with { folder in
      let trial = #","trial_days":7,"plan":"monthly","product_id":"pro","trial_kind":"free""#
      try folder.write(
        Folder.event("paywall_impression", "1", "2026-01-01T10:00:00Z", user: "a", #","entry_point":"settings""#)
          + Folder.event("trial_start", "2", "2026-01-01T11:00:00Z", user: "a", trial)
          + Folder.event("trial_start", "3", "2026-01-02T11:00:00Z", user: "b", trial)
          + Folder.event(
            "conversion", "4", "2026-01-02T12:00:00Z", user: "b",
            #","plan":"monthly","product_id":"pro","price":6.99,"currency":"EUR""#)
          + Folder.event("conversion", "5", "2026-01-02T12:00:00Z", user: "b", #","plan":"monthly","product_id":"pro""#)
          + Folder.event("activity", "6", "2026-03-01T00:00:00Z", user: "c"), to: "events.jsonl")
      let sentence =
        "ll 2 trial_start lines of demo were rejected (invalid:trial_kind): "
        + "`tollgate quarantine list --reason invalid:trial_kind`"
      let ingest = try folder.run("ingest", "events.jsonl")
      #expect(ingest.errors.contains("tollgate: a\(sentence)\n"), "\(ingest.errors)")
      #expect(!ingest.errors.contains("conversion lines"))
      let health = try folder.run("health", "--format", "csv").output
      #expect(health.contains("demo,every trial_start line rejected,2,2,"), "\(health)")
      #expect(!health.contains("every conversion"))
      let trials = try folder.run("trials")
      #expect(trials.output == "" && trials.errors == "tollgate: A\(sentence).\n", "\(trials)")
      let funnel = try folder.run("funnel", "--width", "200")
      #expect(funnel.output.contains("A\(sentence).") && !funnel.output.contains("no store trials"), "\(funnel.output)")
      let list = try folder.run("quarantine", "list").output
      #expect(list.contains("trial_kind: free") && list.contains("Send `trial_kind` as introductory or app"), "\(list)")
    }
  }
}
