import Foundation
import Testing

/// The wire of `tollgate mcp`: the codes are those of JSON-RPC 2.0 and of the protocol's revision.
@Suite struct MCPCommandTests {
  private static let meta =
    #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#

  private static func call(_ id: Int, _ tool: String, _ arguments: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments),\#(meta)}}"#
  }

  private static func answers(_ lines: [String]) throws -> [[String: Any]] {
    try Folder.with { folder in
      try folder.makeStore()
      let done = try folder.run("mcp", input: lines.joined(separator: "\n") + "\n")
      #expect(done.status == 0 && done.errors == "", "\(done.errors)")
      return try done.output.split(separator: "\n").map { line in
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      }
    }
  }

  private static func code(_ answer: [String: Any]?) -> Int? { (answer?["error"] as? [String: Any])?["code"] as? Int }

  @Test(arguments: [
    ("{", -32700), (String(repeating: "x", count: 1 << 20 + 1), -32700), ("[]", -32602), (#"{"id":1}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, -32601),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#, -32602),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
      -32022
    ),
    (call(1, "no_such", "{}"), -32602), (call(1, "report", "[]"), -32602),
  ])
  func wrongLinesHaveTheirCodes(line: String, code: Int) throws {
    let answers = try Self.answers([line, #"{"jsonrpc":"2.0","id":"p","method":"ping"}"#])
    #expect(answers.count == 2 && Self.code(answers.first) == code)
    #expect(answers.last?["id"] as? String == "p" && answers.last?["result"] != nil)
  }

  @Test func theHandshakeOpensTheTools() throws {
    let answers = try Self.answers([
      #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}"#,
      #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, #"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    ])
    let first = answers.first?["result"] as? [String: Any]
    #expect(first?["protocolVersion"] as? String == "2025-06-18")
    let tools = (answers.last?["result"] as? [String: Any])?["tools"] as? [[String: Any]]
    #expect(
      tools?.compactMap { $0["name"] as? String } == [
        "catalog", "report", "why", "experiment", "explain", "definition", "health", "reconcile", "verify",
      ])
  }

  /// Two users of one app, one in each variant; the one of x pays (``Folder/events``).
  @Test func numbersAreTextsWithAReceipt() throws {
    let answers = try Self.answers([
      Self.call(1, "report", #"{"name":"funnel"}"#), Self.call(2, "report", #"{"name":"funnel","app":"dema"}"#),
    ])
    let byID = Dictionary(uniqueKeysWithValues: answers.map { ($0["id"] as? Int ?? 0, $0["result"] as? [String: Any]) })
    let content = byID[1]??["structuredContent"] as? [String: Any]
    let rows = content?["rows"] as? [[String: Any]]
    #expect(rows?.first?["paid_rate"] as? String == "1.000000" && rows?.last?["paid_rate"] as? String == "0.000000")
    #expect((content?["receipt"] as? [String: Any])?["rows"] as? Int == 2)
    #expect(byID[2]??["isError"] as? Bool == true)
    let refusal = byID[2]??["structuredContent"] as? [String: Any]
    #expect(refusal?["code"] as? String == "unknown_app" && refusal?["known"] as? [String] == ["demo"])
    #expect((refusal?["try"] as? [String: Any])?["app"] as? String == "demo")
  }

  /// Payments in two currencies without a rate have no sum whose change could be split. Both users are
  /// of the last minute, so that none is old enough; nobody had a trial.
  @Test func refusalsSayWhichReasonItIs() throws {
    try Folder.with { folder in
      try folder.write(
        ["EUR", "USD"].enumerated().map { place, currency in
          Folder.event(
            "paywall_impression", "i\(place)", "2026-03-01T00:00:00Z", user: "u\(place)",
            #","entry_point":"settings","variant":"x""#)
            + Folder.event(
              "conversion", "c\(place)", "2026-03-01T00:01:00Z", user: "u\(place)",
              #","plan":"monthly","product_id":"m","price":9,"currency":"\#(currency)""#)
        }.joined(), to: "events.jsonl")
      #expect(try folder.run("ingest", "events.jsonl", "--store", "s.db").status == 0)
      let server = MCPServer(folder: folder, words: ["--store", "s.db"])
      func refusal(_ tool: String, _ arguments: [String: Any]) throws -> [String: Any] {
        try server.call(tool, arguments)
      }
      let money = try refusal("why", ["report": "revenue", "column": "gross", "from": "2026-03-01"])
      #expect(money["code"] as? String == "missing_rates" && money["missing"] as? String == "EUR, USD", "\(money)")
      let cut = try refusal(
        "why", ["report": "funnel", "column": "paid_rate", "from": "2026-03-01", "cut": "property:nosuch"])
      #expect(
        cut["code"] as? String == "out_of_range"
          && cut["message"] as? String == "cut is property:nosuch, but no event has the property nosuch", "\(cut)")
      let young = try refusal("report", ["name": "funnel", "columns": ["paid_rate"]])
      #expect(young["code"] as? String == "not_matured", "\(young)")
      let trials = try refusal("report", ["name": "trials"])
      #expect(trials["code"] as? String == "no_such_data" && trials["try"] is NSNull, "\(trials)")
      let key = try refusal("explain", ["report": "funnel", "key": ["variant": "xx"], "column": "immature"])
      #expect(key["known"] as? [String] == ["x"], "\(key)")
      let attempt = (key["try"] as? [String: Any])?["key"] as? [String: String]
      #expect(attempt == ["variant": "x"], "\(key)")
    }
  }
}
