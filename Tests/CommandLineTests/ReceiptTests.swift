import Foundation
import Testing

/// Receipts of reports, and reports made again from them.
@Suite struct ReceiptTests {
  private static func receipt(_ folder: Folder) throws -> [String: Any] {
    let data = Data(try folder.text(of: "r.json").utf8)
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  /// A third user, whose events change the numbers of the two before.
  private static let later = Folder.event(
    "paywall_impression", "9", "2026-01-03T10:00:00Z", user: "d",
    #","entry_point":"settings","experiment":"test","variant":"x""#)

  @Test(arguments: [
    ["funnel"], ["trials", "--by", "country"], ["revenue", "--by", "month"], ["mrr", "--last", "60d"], ["health"],
    ["experiments"], ["funnel", "--compare", "previous", "--from", "2026-01-02", "--to", "2026-01-03"],
    ["explain", "funnel", "--cell", "variant=x", "--column", "paid_users"], ["rates", "list"],
    ["retention", "--limit", "1"], ["trials", "--define", "adapty"],
    ["quarantine", "list"], ["value", "--pairs"], ["funnel", "--known-at", "events.jsonl"],
    ["why", "funnel", "--column", "paid_rate", "--last", "60d"], ["why", "experiment", "test", "--column", "paid"],
    ["why", "mrr", "--from", "2026-01-08", "--to", "2026-01-10", "--compare", "previous"],
  ])
  func anUnchangedStoreGivesTheSameBytes(words: [String]) throws {
    try Folder.with { folder in
      try folder.makeStore()
      let made = try Program.run(words + ["--receipt", "r.json"], in: folder.url)
      #expect(made.status == 0, "\(made.errors)")
      let verified = try folder.run("verify", "r.json")
      #expect(verified.status == 0 && verified.output.hasPrefix("same: "), "\(verified.output)\(verified.errors)")
    }
  }

  /// The hash is of the bytes that the receipt's command prints.
  @Test func theCommandPrintsTheHashedBytes() throws {
    try Folder.with { folder in
      try folder.makeStore()
      _ = try folder.run("funnel", "--receipt", "r.json")
      let receipt = try Self.receipt(folder)
      let command = receipt["command"] as? [String] ?? []
      #expect(command.contains("--as-of=demo=2026-03-01T00:00:00.001Z") && command.contains("--by=variant"))
      try folder.write(try Program.run(command, in: folder.url).output, to: "printed.json")
      let sum = Process()
      sum.executableURL = URL(fileURLWithPath: "/usr/bin/sha256sum")
      sum.arguments = [folder.path("printed.json")]
      let pipe = Pipe()
      sum.standardOutput = pipe
      try sum.run()
      let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      sum.waitUntilExit()
      #expect(text.hasPrefix(receipt["sha256"] as? String ?? "none"))
    }
  }

  @Test func laterFilesDoNotMatter() throws {
    try Folder.with { folder in
      try folder.makeStore()
      _ = try folder.run("funnel", "--receipt", "r.json")
      let before = try folder.run("funnel", "--format", "csv").output
      try folder.write(Self.later, to: "later.jsonl")
      _ = try folder.run("ingest", "later.jsonl")
      #expect(try folder.run("funnel", "--format", "csv").output != before)
      let verified = try folder.run("verify", "r.json")
      #expect(verified.status == 0 && verified.output.hasPrefix("same: 2 rows"), "\(verified.output)")
    }
  }

  /// Health counts the users of an app whose ids are joined: a and b, and later d.
  @Test func healthIsOfTheFilesOfItsReceipt() throws {
    try Folder.with { folder in
      try folder.makeStore()
      try folder.write(
        Folder.event("identify", "8", "2026-01-02T11:00:00Z", user: "b", #","previous_user_id":"c""#),
        to: "joined.jsonl")
      _ = try folder.run("ingest", "joined.jsonl")
      _ = try folder.run("health", "--receipt", "r.json")
      let before = try folder.run("health", "--format", "csv").output
      try folder.write(Self.later, to: "later.jsonl")
      _ = try folder.run("ingest", "later.jsonl")
      #expect(try folder.run("health", "--format", "csv").output != before)
      let verified = try folder.run("verify", "r.json")
      #expect(verified.status == 0 && verified.output.hasPrefix("same: "), "\(verified.output)")
    }
  }

  @Test func aForgottenUserAndAnotherStoreAreTold() throws {
    try Folder.with { folder in
      try folder.makeStore()
      _ = try folder.run("funnel", "--receipt", "r.json")
      _ = try folder.run("forget", "--user", "b")
      let forgotten = try folder.run("verify", "r.json")
      #expect(forgotten.status == 5)
      #expect(forgotten.output.hasPrefix("cannot: 1 of its 5 events were removed since by `tollgate forget`"))
      try folder.write(Self.later, to: "later.jsonl")
      _ = try folder.run("ingest", "--store", "other.db", "later.jsonl")
      let other = try folder.run("verify", "r.json", "--store", "other.db")
      #expect(other.status == 5 && other.output.hasPrefix("cannot: this is another store"))
    }
  }

  /// The report depends on a file of people besides the events.
  @Test(arguments: [
    (
      ["funnel", "--where", "cohort:first"], "cohorts.yaml", "cohorts: {first: {all: [{entry_point: settings}]}}",
      "cohorts: {first: {all: [{entry_point: widgets}]}}"
    ),
    (["experiment", "test", "--config", "plan.yaml"], "plan.yaml", "primary: paid", "primary: trial_start"),
    (
      ["why", "experiment", "test", "--config", "plan.yaml"], "plan.yaml", "primary: paid", "primary: trial_start"
    ),
  ])
  func anEditedFileIsTold(words: [String], file: String, before: String, after: String) throws {
    try Folder.with { folder in
      try folder.makeStore()
      try folder.write(before + "\n", to: file)
      let made = try Program.run(words + ["--receipt", "r.json"], in: folder.url)
      #expect(made.status == 0, "\(made.errors)")
      let files = try Self.receipt(folder)["files"] as? [String: String] ?? [:]
      #expect(files.count == 1 && files.keys.first?.hasSuffix(file) == true, "\(files)")
      #expect(try folder.run("verify", "r.json").output.hasPrefix("same: "))
      try folder.write(after + "\n", to: file)
      let edited = try folder.run("verify", "r.json")
      #expect(edited.status == 5 && edited.output.hasPrefix("cannot: the file "), "\(edited.output)\(edited.errors)")
      #expect(edited.output.contains("\(file) changed since, and "), "\(edited.output)")
      try folder.write(before + "\n", to: file)
      #expect(try folder.run("verify", "r.json").status == 0)
    }
  }

  /// A receipt whose hash and mark of the second row are those of other bytes.
  @Test func theFirstRowThatDiffersIsNamed() throws {
    try Folder.with { folder in
      try folder.makeStore()
      _ = try folder.run("funnel", "--receipt", "r.json")
      var receipt = try Self.receipt(folder)
      receipt["sha256"] = String(repeating: "0", count: 64)
      let marks = receipt["row_marks"] as? String ?? ""
      receipt["row_marks"] = String(marks.prefix(4)) + (marks.hasSuffix("0000") ? "ffff" : "0000")
      try folder.write(
        String(decoding: try JSONSerialization.data(withJSONObject: receipt), as: UTF8.self), to: "r.json")
      let verified = try folder.run("verify", "r.json")
      #expect(verified.status == 4)
      #expect(verified.output.hasPrefix(#"differs: row 2 is now {"app":"demo","variant":"y""#), "\(verified.output)")
      #expect(verified.output.hasSuffix("so someone may have edited the receipt\n"), "\(verified.output)")
    }
  }

  @Test(arguments: [
    ("\"rows\":2", "\"rows\":9", 4, "differs: the receipt says 9 rows, but its report has 2; the data and tollgate"),
    ("--by=variant", "--by=varient", 2, "the receipt's command does not work, so it may have been edited: varient"),
    ("--app=demo", "--app=dmeo", 2, "does not work, so it may have been edited: no app dmeo"),
    ("\"sha256\"", "\"sha\"", 2, "the receipt's sha256 is missing or is not what tollgate writes"),
    ("\"tollgate\"", "\"tool\"", 2, "r.json: this is not a receipt: pass one that tollgate wrote"),
  ])
  func anEditedReceiptIsTold(old: String, new: String, status: Int32, words: String) throws {
    try Folder.with { folder in
      try folder.makeStore()
      _ = try folder.run("funnel", "--app", "demo", "--receipt", "r.json")
      let text = try folder.text(of: "r.json")
      #expect(text.contains(old), "\(text)")
      try folder.write(text.replacing(old, with: new), to: "r.json")
      let verified = try folder.run("verify", "r.json")
      #expect(verified.status == status, "\(verified.output)\(verified.errors)")
      #expect((verified.output + verified.errors).contains(words), "\(verified.output)\(verified.errors)")
    }
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"tollgate":"0.1.0","command":["funnel"]}"#,
    #"{"tollgate":"0.1.0","command":["funnel","--output","x","--format","json"],"store":{"files":0,"events":0,"digest":"","rates":""},"rows":0,"sha256":""}"#,
    #"{"tollgate":"0.1.0","command":["ingest","x"],"store":{"files":0,"events":0,"digest":"","rates":""},"rows":0,"sha256":""}"#,
  ])
  func wrongReceiptsAreRefused(text: String) throws {
    try Folder.with { folder in
      try folder.makeStore()
      let verified = try folder.run("verify", "-", input: text)
      #expect(verified.status == 2 && verified.output == "" && !verified.errors.isEmpty)
      #expect(!FileManager.default.fileExists(atPath: folder.path("x")))
    }
  }
}
