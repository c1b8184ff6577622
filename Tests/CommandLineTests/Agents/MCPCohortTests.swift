import Foundation
import Testing

/// Cohorts and notes of `tollgate mcp`: the rows are those of the command line.
@Suite struct MCPCohortTests {
  private static let cohorts = """
    cohorts:
      keen: {all: [{event: paywall_impression, at_least: 1}]}
      first: {app: steps, all: [{entry_point: home}]}
    """

  private static func with(_ body: (MCPServer) throws -> Void) throws {
    try Folder.with { folder in
      try folder.write(NightlyNotifyTests.events(0..<70), to: "events.jsonl")
      #expect(try folder.run("ingest", "events.jsonl").status == 0)
      try folder.write(cohorts, to: "cohorts.yaml")
      try body(MCPServer(folder: folder))
    }
  }

  @Test func theCatalogListsCohortsNotesAndPaths() throws {
    try Self.with { server in
      #expect(try server.folder.run("note", "add", "2026-02-16", "Price rise", "--tag", "price").status == 0)
      let catalog = try server.call("catalog", [:])
      let cohorts = catalog["cohorts"] as? [[String: Any]] ?? []
      #expect(cohorts.compactMap { $0["where"] as? String } == ["cohort:keen", "cohort:first"])
      #expect(cohorts.compactMap { $0["looks_ahead"] as? Bool } == [true, false])
      let note = (catalog["notes"] as? [[String: Any]])?.first
      #expect(note?["day"] as? String == "2026-02-16" && note?["text"] as? String == "Price rise")
      #expect((catalog["paths"] as? [[String: Any]])?.first?["name"] as? String == "checkout")
    }
  }

  @Test(arguments: ["cohort:keen", "cohort:!keen"]) func rowsAreThoseOfTheCommand(filter: String) throws {
    try Self.with { server in
      let arguments: [String: Any] = ["name": "funnel", "by": "none", "columns": "users", "where": filter]
      let content = try server.call("report", arguments)
      let csv = try server.folder.run(
        "funnel", "--by", "none", "--where", filter, "--columns", "users", "--format", "csv")
      let rows = (content["rows"] as? [[String: Any]] ?? []).compactMap { $0["users"] as? String }
      let printed = csv.output.split(whereSeparator: \.isNewline).dropFirst().compactMap {
        $0.split(separator: ",").last.map(String.init)
      }
      #expect(rows == printed, "\(content) \(csv.output)\(csv.errors)")
      if !rows.isEmpty {
        let verified = try server.call("verify", ["receipt": content["receipt"] ?? [:]])
        #expect(verified["verdict"] as? String == "same", "\(verified)")
      }
    }
  }

  @Test func aRefusalSaysWhichCohortsThereAre() throws {
    try Self.with { server in
      let refusal = try server.call("report", ["name": "funnel", "where": "cohort:kean"])
      #expect(refusal["code"] as? String == "unknown_value" && refusal["missing"] as? String == "kean", "\(refusal)")
      let attempt = refusal["try"] as? [String: Any] ?? [:]
      #expect(try server.call("report", attempt)["rows"] != nil, "\(attempt)")
    }
  }
}
