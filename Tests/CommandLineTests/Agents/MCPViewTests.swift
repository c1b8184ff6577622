import Foundation
import Testing

/// Saved views of `tollgate mcp`: the rows are those of `tollgate view`.
@Suite struct MCPViewTests {
  private static let views = """
    views:
      settings:
        report: funnel
        by: entry_point
        where: {entry_point: settings}
        columns: [users, paid_rate]
        note: Is the paywall in the settings seen?
      days: {report: funnel, by: [day, entry_point], from: last 28 days, limit: 1}
      all: {report: funnel, by: [day, entry_point], horizon: 1}
    """

  private static func with(_ views: String?, _ body: (MCPServer) throws -> Void) throws {
    try Folder.with { folder in
      try folder.write(NightlyNotifyTests.events(0..<70), to: "events.jsonl")
      #expect(try folder.run("ingest", "events.jsonl").status == 0)
      if let views { try folder.write(views, to: "views.yaml") }
      try body(MCPServer(folder: folder))
    }
  }

  @Test func theCatalogListsThem() throws {
    try Self.with(Self.views) { server in
      let views = try server.call("catalog", [:])["views"] as? [[String: Any]] ?? []
      #expect(views.compactMap { $0["name"] as? String } == ["settings", "days", "all"])
      #expect(views.first?["note"] as? String == "Is the paywall in the settings seen?")
      #expect(views.first?["report"] as? String == "funnel" && views.last?["note"] is NSNull)
      let command = views.first?["command"] as? String ?? ""
      #expect(try server.folder.run("view").output.contains("settings: \(command)\n"), "\(command)")
    }
    try Self.with(nil) { server in
      let views = try server.call("catalog", [:])["views"] as? [Any]
      #expect(views?.isEmpty == true)
    }
  }

  @Test func aViewHasItsRows() throws {
    try Self.with(Self.views) { server in
      for name in ["settings", "all"] {
        let content = try server.call("report", ["view": name])
        let rows = content["rows"] as? [[String: Any]] ?? []
        let names = (content["columns"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
        let lines = rows.map { row in names.map { row[$0] as? String ?? "" }.joined(separator: ",") }
        let csv = try server.folder.run("view", name, "--format", "csv").output
        let printed = csv.split(whereSeparator: \.isNewline).map(String.init)
        #expect([names.joined(separator: ",")] + lines == Array(printed.prefix(51)), "\(content)")
        #expect(content["rows_total"] as? Int == printed.count - 1)
        let verified = try server.call("verify", ["receipt": content["receipt"] ?? [:]])
        #expect(verified["verdict"] as? String == "same", "\(verified)")
      }
    }
  }

  @Test func limitAndColumnsAreTheAgentsOwn() throws {
    try Self.with(Self.views) { server in
      #expect(try server.call("report", ["view": "days"])["rows_given"] as? Int == 1)
      #expect(try server.call("report", ["view": "days", "limit": 3])["rows_given"] as? Int == 3)
      let rows = try server.call("report", ["view": "settings", "columns": ["users"], "by": NSNull()])["rows"]
      #expect((rows as? [[String: Any]])?.first?.keys.contains("paid_rate") == false)
      // A client may send every argument that it does not use as null.
      #expect(try server.call("report", ["name": "funnel", "view": NSNull()])["rows"] != nil)
    }
  }

  @Test(arguments: [
    (["view": "setings"], "unknown_value", "setings"), (["view": "settings", "by": "day"], "ambiguous", "by"),
    (["view": "settings", "name": "funnel"], "ambiguous", "name"), (["view": ""], "unknown_value", "view"),
  ]) func aRefusalSaysWhichViewsThereAre(arguments: [String: String], code: String, missing: String) throws {
    try Self.with(Self.views) { server in
      let refusal = try server.call("report", arguments)
      #expect(refusal["code"] as? String == code && refusal["missing"] as? String == missing, "\(refusal)")
      #expect((refusal["known"] as? [String])?.isEmpty == false)
      let attempt = refusal["try"] as? [String: Any] ?? [:]
      #expect(try server.call("report", attempt)["rows"] != nil, "\(attempt)")
    }
    try Self.with(nil) { server in
      let refusal = try server.call("report", ["view": "settings"])
      #expect(refusal["code"] as? String == "unknown_value" && refusal["try"] is NSNull, "\(refusal)")
    }
  }

  @Test func aWrongFileIsSaidAtTheStart() throws {
    try Self.with("views: {a: {report: funel}}") { server in
      let run = try server.folder.run("mcp", input: "")
      #expect(run.status == 2 && run.errors.contains("views.yaml:1: views.a.report is funel"), "\(run.errors)")
      let none = try server.folder.run("mcp", "--views", "none.yaml", input: "")
      #expect(none.status == 2 && none.errors.contains("none.yaml"), "\(none.errors)")
    }
  }
}
