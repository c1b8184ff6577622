import Foundation
import Testing

/// Refusals of `tollgate mcp`: the arguments of each `try` are answered when they are sent as they are.
@Suite struct MCPRefusalTests {
  /// Two users, one in each variant, with a property; data from 1 January to 1 March.
  private static func with(_ body: (MCPServer) throws -> Void) throws {
    try Folder.with { folder in
      try folder.makeStore()
      let more = Folder.event(
        "paywall_impression", "20", "2026-01-03T10:00:00Z", user: "d",
        #","entry_point":"settings","variant":"x","properties":{"channel":"ads"}"#)
      try folder.write(more, to: "more.jsonl")
      #expect(try folder.run("ingest", "more.jsonl").status == 0)
      try body(MCPServer(folder: folder))
    }
  }

  @Test(arguments: [
    ("report", #"{"name":"funnel","by":"property:chanel"}"#, "unknown_dimension", "property:channel"),
    ("report", #"{"name":"funnel","where":"property:colour=red"}"#, "unknown_dimension", "property:channel"),
    ("report", #"{"name":"funnel","where":"property:channel=tv"}"#, "unknown_value", nil),
    ("report", #"{"name":"funnel","where":{"variant":null}}"#, "out_of_range", nil),
    ("report", #"{"name":"funnel","where":{"variant":[]}}"#, "out_of_range", nil),
    ("report", #"{"name":"funnel","app":"Demo","by":"varient"}"#, "unknown_dimension", "variant"),
    ("report", #"{"name":"funnel","as_of":"2020-01-01"}"#, "no_such_data", nil),
    ("report", #"{"name":"trials","define":"adaptly"}"#, "out_of_range", "adapty"),
    ("report", #"{"name":"revenue","mode":"prozeeds"}"#, "out_of_range", "proceeds"),
    ("report", #"{"name":"quarantine","reason":"missing_ts"}"#, "unknown_value", nil),
    ("reconcile", #"{"app":"demo","vendor":"adapty","metric":"mmr"}"#, "out_of_range", "mrr"),
    (
      "why", #"{"report":"funnel","column":"paid_rates","from":"2026-01-02","to":"2026-01-03"}"#, "unknown_column",
      "paid_rate"
    ),
    ("explain", #"{"report":"funnel"}"#, "unknown_column", nil),
  ])
  func eachTryIsAnswered(tool: String, arguments: String, code: String, nearest: String?) throws {
    try Self.with { server in
      let asked = try JSONSerialization.jsonObject(with: Data(arguments.utf8)) as? [String: Any] ?? [:]
      let refusal = try server.call(tool, asked)
      #expect(refusal["code"] as? String == code, "\(refusal)")
      if let nearest { #expect((refusal["known"] as? [String])?.first == nearest, "\(refusal)") }
      let attempt = try #require(refusal["try"] as? [String: Any], "\(refusal)")
      #expect(try server.call(tool, attempt)["rows"] != nil, "\(attempt)")
    }
  }

  /// No cancellation is taken back in any app.
  @Test func withoutAnyDataThereIsNothingToTry() throws {
    try Self.with { server in
      let refusal = try server.call("report", ["name": "saves", "app": "demo", "from": "2026-01-01"])
      #expect(refusal["code"] as? String == "no_such_data" && refusal["try"] is NSNull, "\(refusal)")
    }
  }

  @Test func blanksInListsAndLimitsThatAreTextsAreRead() throws {
    try Self.with { server in
      let content = try server.call(
        "report", ["name": "funnel", "by": "variant, platform", "columns": "users, immature", "limit": "1"])
      let rows = content["rows"] as? [[String: Any]] ?? []
      #expect(rows.count == 1 && rows.first?["users"] as? String == "2", "\(content)")
      #expect(
        (content["notes"] as? [String])?.contains(
          "1 of 2 rows are given: narrow the report, sort it, or pass a larger limit") == true, "\(content)")
    }
  }

  @Test func daysBeyondTheDataAreTold() throws {
    try Self.with { server in
      func notes(_ from: String) throws -> [String] {
        try server.call("report", ["name": "funnel", "by": "none", "from": from])["notes"] as? [String] ?? [from]
      }
      let (before, within) = (try notes("2025-12-31"), try notes("2026-01-01"))
      #expect(before == ["demo has data of 2026-01-01 to 2026-03-01: a period that goes beyond is not complete"])
      #expect(within.isEmpty)
    }
  }

  /// One tool has the options of all reports, whose defaults differ.
  @Test func theToolSaysTheDefaultOfEachReport() throws {
    try Self.with { server in
      let tools = try server.result("tools/list")["tools"] as? [[String: Any]] ?? []
      let report = tools.first { $0["name"] as? String == "report" }?["inputSchema"] as? [String: Any]
      let properties = report?["properties"] as? [String: [String: Any]] ?? [:]
      let mode = properties["mode"]?["description"] as? String ?? ""
      #expect(mode.contains("(default: proceeds in value; net in revenue"), "\(mode)")
      let by = properties["by"]?["description"] as? String ?? ""
      #expect(by.contains("variant in funnel") && by.contains("month in revenue"), "\(by)")
    }
  }
}
