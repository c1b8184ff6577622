import Foundation
import Testing

@Suite struct DiffCommandTests {
  /// What an app had whose events are gone went with them; the as-of has no part in it.
  @Test func anAppThatIsGoneIsRemoved() throws {
    try Folder.with { folder in
      try folder.makeStore()
      let events = try String(contentsOf: folder.url.appending(path: "events.jsonl"), encoding: .utf8)
      try folder.write(
        events
          + events.replacingOccurrences(of: #""app":"demo""#, with: #""app":"other""#),
        to: "both.jsonl")
      #expect(try folder.run("ingest", "--store", "both.db", "both.jsonl").status == 0)
      let result = try folder.run(
        "diff", "trials", "--by", "none", "--before-store", "both.db", "--column", "trials", "--format", "csv")
      let lines = result.output.split(separator: "\n").map {
        $0.split(separator: ",", omittingEmptySubsequences: false)
      }
      #expect(result.status == 0 && lines.count == 2, "\(result.output)\(result.errors)")
      let row = Dictionary(uniqueKeysWithValues: zip(lines[0], lines[1]))
      // One trial is in the events of each app.
      #expect(row["app"] == "other" && row["before"] == "1" && row["after"] == "0" && row["removed"] == "-1", "\(row)")
      #expect(row["maturity"] ?? "0" == "0", "\(row)")
    }
  }

  @Test func theEarlierReportComesFirst() throws {
    try Folder.with { folder in
      try folder.makeStore()
      let result = try folder.run("diff", "trials", "--before-as-of", "2026-01-09", "--as-of", "2026-01-05")
      #expect(result.status == 2 && result.errors.contains("swap them"), "\(result.errors)")
      #expect(try folder.run("diff", "trials", "--before-as-of", "2026-01-05", "--as-of", "2026-01-09").status == 0)
    }
  }
}
