import Foundation
import Testing

/// Reports cached by a night or by `ingest --prepare` have the bytes of computed ones, until the next commit.
@Suite struct PrepareTests {
  private static let reports = [
    ["revenue"], ["mrr"], ["subscriptions"], ["retention"], ["ltv"], ["refunds"], ["value"], ["value", "--pairs"],
    ["paths"], ["recovery"], ["saves"], ["winback"], ["cadence"], ["gates"], ["nudges"], ["activity"], ["health"],
    ["experiments"], ["funnel", "--by", "app_version,day"], ["funnel", "--by", "country"],
    ["funnel", "--by", "platform"],
  ]

  private static func texts(_ folder: Folder) throws -> [String] {
    try reports.flatMap { command in
      try ["table", "csv", "json"].map { format in
        let result = try Program.run(command + ["--format", format], in: folder.url)
        #expect(result.status == 0, "\(command): \(result.errors)")
        return result.output
      }
    }
  }

  private static func kept(_ folder: Folder) throws -> [String] {
    try folder.rows("SELECT name FROM kept_report ORDER BY name", of: "tollgate.db")
  }

  @Test func whatWasKeptIsWhatWouldBeMade() throws {
    try Folder.with { folder in
      #expect(try folder.run("sample", "--seed", "5", "--persons", "300", "--output", "events").status == 0)
      #expect(try folder.run("ingest", "events").status == 0)
      let made = try Self.texts(folder)
      let standard = ["cancellations", "funnel", "savings", "trials"]
      #expect(try Self.kept(folder) == standard)
      #expect(try folder.run("ingest", "--prepare", "events").status == 0)
      let all = try Self.kept(folder)
      #expect(all.count == standard.count + Self.reports.count)
      #expect(try Self.texts(folder) == made)
      // No file is new, so the cached reports stay.
      #expect(try folder.run("ingest", "events").status == 0)
      #expect(try Self.kept(folder) == all)
      #expect(try folder.run("doctor", "--rebuild-check").status == 0)
      // With an option the report is computed; without one the cached report is shown, even a wrong one, which the
      // check finds.
      try folder.withSQL(
        "UPDATE kept_report SET rows = (SELECT rows FROM kept_report WHERE name = 'nudges') WHERE name = 'gates'",
        on: "tollgate.db"
      ) {
        #expect(try folder.run("gates", "--format", "csv").output == folder.run("nudges", "--format", "csv").output)
        #expect(try folder.run("gates", "--by", "country").output.contains("limit"))
        let check = try folder.run("doctor", "--rebuild-check")
        #expect(check.status == 5 && check.errors.contains("gates"), "\(check.errors)")
      }
      try folder.write("no event\n", to: "wrong.jsonl")
      // Nothing but quarantine is status 3.
      #expect(try folder.run("ingest", "wrong.jsonl").status == 3)
      #expect(try Self.kept(folder) == standard)
      #expect(try folder.run("gates", "--format", "csv").output != folder.run("nudges", "--format", "csv").output)
    }
  }

  /// A night caches reports unless told not to; run again, it keeps the existing ones.
  @Test func aNightPrepares() throws {
    try Folder.with { folder in
      try folder.write(Folder.events, to: "e.jsonl")
      try folder.write("sources: [{files: e.jsonl}]\nprepare: false", to: "night.yaml")
      #expect(try folder.run("nightly", "--config", "night.yaml", "--night", "2026-03-02").status == 0)
      #expect(try !Self.kept(folder).contains("ltv"))
      try folder.write("sources: [{files: e.jsonl}]", to: "night.yaml")
      for _ in 0..<2 {
        #expect(try folder.run("nightly", "--config", "night.yaml", "--night", "2026-03-02").status == 0)
        #expect(try Self.kept(folder).contains("ltv"))
      }
      #expect(try folder.run("doctor", "--rebuild-check").status == 0)
    }
  }
}
