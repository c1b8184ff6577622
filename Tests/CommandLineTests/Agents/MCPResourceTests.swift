import Foundation
import Testing

/// The resources of `tollgate mcp`, and how a person starts it off. Codes are those of the protocol:
/// 2025-11-25 has -32002 for a resource that is not there, and 2026-07-28 has -32602 (SEP-2164).
@Suite struct MCPResourceTests {
  private static func with(_ words: [String] = [], isModern: Bool = true, _ body: (MCPServer) throws -> Void) throws {
    try Folder.with { folder in
      try folder.makeStore()
      try body(MCPServer(folder: folder, words: words, isModern: isModern))
    }
  }

  private static func page(_ name: String) throws -> String {
    var package = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { package.deleteLastPathComponent() }
    return try String(
      contentsOf: package.appendingPathComponent("Sources/Metrics/Metrics.docc/\(name).md"), encoding: .utf8)
  }

  /// The numbers of the rules, as a reader finds them: the digits behind an item's first asterisks, up to the end of the
  /// heading.
  private static func rules() throws -> [String] {
    try ["Definitions", "Decisions"].flatMap { name in
      try page(name).components(separatedBy: "\n- **").dropFirst().flatMap { item in
        item.components(separatedBy: "**")[0].components(separatedBy: CharacterSet(charactersIn: " ,"))
          .filter { $0.wholeMatch(of: #/D?[0-9]+\.[0-9]+/#) != nil }
      }
    }
  }

  @Test(arguments: [true, false]) func everyResourceOfTheListCanBeRead(isModern: Bool) throws {
    try Self.with(isModern: isModern) { server in
      let list = try server.result("resources/list")
      #expect((list["ttlMs"] as? Int != nil) == isModern && (list["cacheScope"] as? String == "private") == isModern)
      let resources = list["resources"] as? [[String: Any]] ?? []
      let uris = resources.compactMap { $0["uri"] as? String }
      #expect(Set(uris).count == uris.count && !uris.contains { $0.hasPrefix("tollgate://plans/") })
      let rules = try Self.rules()
      #expect(rules.count > 100 && rules.allSatisfy { uris.contains("tollgate://definitions/\($0)") })
      let answers = try server.answers(uris.map { ("resources/read", ["uri": $0]) })
      for (uri, answer) in zip(uris, answers) {
        let result = answer["result"] as? [String: Any]
        let contents = result?["contents"] as? [[String: Any]]
        #expect(contents?.count == 1 && contents?.first?["uri"] as? String == uri, "\(answer)")
        #expect((result?["ttlMs"] as? Int != nil) == isModern)
        let text = contents?.first?["text"] as? String ?? ""
        #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
      }
      let templates = try server.result("resources/templates/list")["resourceTemplates"] as? [[String: Any]]
      #expect(
        templates?.compactMap { $0["uriTemplate"] as? String } == [
          "tollgate://definitions/{rule}", "tollgate://reports/{name}", "tollgate://plans/{experiment}",
        ])
    }
  }

  private static func object(_ answer: [String: Any]) throws -> [String: Any] {
    let contents = answer["contents"] as? [[String: Any]]
    let text = contents?.first?["text"] as? String ?? ""
    return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
  }

  @Test func aRuleHasTheTextOfItsPage() throws {
    try Self.with { server in
      let read = try Self.object(try server.result("resources/read", ["uri": "tollgate://definitions/2.10"]))
      let text = read["text"] as? String ?? ""
      // The page's lines of the rule, without the marks of a list.
      let start = try #require(try Self.page("Definitions").components(separatedBy: "- **2.10 ").last)
      let own = "**2.10 " + start.components(separatedBy: "\n- **")[0].replacing("\n  ", with: "\n")
      #expect(text == own && text.hasPrefix("**2.10 Attribution.**") && !text.contains("]("), "\(text)")
      let columns = read["columns"] as? [[String: Any]] ?? []
      #expect(columns.contains { $0["report"] as? String == "nudges" || $0["report"] as? String == "cadence" })
      let called = try server.call("definition", ["rule": "2.10"])
      #expect(NSDictionary(dictionary: read) == NSDictionary(dictionary: called))
    }
  }

  /// Units and rules of `paid_rate` are those of Funnel's page and of definitions 3.4.
  @Test func aReportHasItsColumnsAndOptions() throws {
    try Self.with { server in
      let read = try Self.object(try server.result("resources/read", ["uri": "tollgate://reports/funnel"]))
      let columns = read["columns"] as? [[String: Any]] ?? []
      let paid = columns.first { $0["column"] as? String == "paid_rate" }
      #expect(paid?["unit"] as? String == "share" && (paid?["rule"] as? String)?.contains("3.4") == true)
      let options = (read["options"] as? [String: Any])?["properties"] as? [String: Any] ?? [:]
      #expect(options["as_of"] != nil && options["compare"] != nil)
      #expect(read["why"] as? Bool == true && read["question"] as? String != nil)
    }
  }

  @Test(arguments: [true, false]) func whatIsNotThereHasItsCode(isModern: Bool) throws {
    try Self.with(isModern: isModern) { server in
      for (uri, message) in [
        ("tollgate://definitions/99.9", "no rule 99.9"), ("tollgate://reports/funel", "did you mean funnel?"),
        ("tollgate://plans/test", "has no plans"), ("tollgate://plan/test", "tollgate://plans/{experiment}"),
        ("file:///etc/passwd", "is not a resource"), ("tollgate://reports/%", "is not a resource"), ("", "is not"),
        ("tollgate://plans/..%2Ftollgate.db", "has no plans"),
      ] {
        let error = try server.error("resources/read", ["uri": uri])
        #expect(error["code"] as? Int == (isModern ? -32602 : -32002), "\(uri): \(error)")
        #expect((error["message"] as? String)?.contains(message) == true, "\(error)")
        #expect((error["data"] as? [String: Any])?["uri"] as? String == uri)
      }
      for (method, params) in [
        ("resources/read", [:]), ("resources/read", ["uri": 1]), ("prompts/get", [:]),
        ("prompts/get", ["name": "daily_review"]), ("prompts/get", ["name": "readout"]),
        ("prompts/get", ["name": "readout", "arguments": ["experiment": ""]]),
        ("prompts/get", ["name": "readout", "arguments": ["experiment": 1]]),
        ("prompts/get", ["name": "readout", "arguments": ["test"]]),
        ("prompts/get", ["name": "weekly_review", "arguments": ["ap": "steps"]]),
      ] as [(String, [String: Any])] {
        #expect(try server.error(method, params)["code"] as? Int == -32602, "\(method) \(params)")
      }
    }
  }

  @Test(arguments: [true, false]) func bothRevisionsSayWhatThereIs(isModern: Bool) throws {
    try Self.with(isModern: isModern) { server in
      let method = isModern ? "server/discover" : "initialize"
      let result = try server.result(method, isModern ? [:] : ["protocolVersion": "2025-06-18", "capabilities": [:]])
      let capabilities = result["capabilities"] as? [String: Any] ?? [:]
      #expect(Set(capabilities.keys) == ["tools", "resources", "prompts"])
    }
  }

  @Test func plansAreThoseOfTheFolder() throws {
    let name = "Größe 50%/A"
    let plan = "experiment: \(name)\nprimary: paid\nhypothesis: \"Bigger text\"\n"
    try Self.with(["--plans", "plans"]) { server in
      try FileManager.default.createDirectory(
        at: server.folder.url.appending(path: "plans"), withIntermediateDirectories: true)
      let empty = try server.error("resources/read", ["uri": "tollgate://plans/x"])
      #expect((empty["message"] as? String)?.contains("folder of plans is empty") == true, "\(empty)")
      try server.folder.write(plan, to: "plans/a.yaml")
      let resources = try server.result("resources/list")["resources"] as? [[String: Any]] ?? []
      let found = resources.first { ($0["uri"] as? String)?.hasPrefix("tollgate://plans/") == true }
      // RFC 3986: the bytes C3 B6, C3 9F, 20, 25 and 2F in hexadecimal digits.
      #expect(found?["uri"] as? String == "tollgate://plans/Gr%C3%B6%C3%9Fe%2050%25%2FA")
      #expect(found?["name"] as? String == name && found?["description"] as? String == "Bigger text")
      let read = try server.result("resources/read", ["uri": found?["uri"] as? String ?? ""])
      let contents = (read["contents"] as? [[String: Any]])?.first
      #expect(contents?["text"] as? String == plan && contents?["mimeType"] as? String == "application/yaml")
      let other = try server.error("resources/read", ["uri": "tollgate://plans/B"])
      #expect((other["message"] as? String)?.contains("expected one of \(name)") == true, "\(other)")
      // Wrong files are said at the start, and what becomes wrong later, with the answer.
      try server.folder.write("experiment: a\nprimery: paid\n", to: "plans/b.yaml")
      let run = try server.folder.run("mcp", "--plans", "plans", input: "")
      #expect(run.status == 2 && run.errors.contains("plans/b.yaml:2") && run.output == "", "\(run.errors)")
      let none = try server.folder.run("mcp", "--plans", "nowhere", input: "")
      #expect(none.status == 2 && none.errors.contains("nowhere: no such folder"), "\(none.errors)")
    }
  }

  @Test func promptsNameToolsAndRulesAndNoNumbers() throws {
    try Self.with { server in
      let prompts = try server.result("prompts/list")["prompts"] as? [[String: Any]] ?? []
      #expect(prompts.compactMap { $0["name"] as? String } == ["weekly_review", "readout", "why_did_it_move"])
      let tools = try server.result("tools/list")["tools"] as? [[String: Any]] ?? []
      let reports = try server.call("catalog", [:])["reports"] as? [[String: Any]] ?? []
      let known = Set((tools + reports).compactMap { $0["name"] as? String })
      let rules = try Self.rules()
      for prompt in prompts {
        let arguments = prompt["arguments"] as? [[String: Any]] ?? []
        let names = arguments.compactMap { $0["name"] as? String }
        let values = Dictionary(uniqueKeysWithValues: names.map { ($0, "own \"\($0)\"\nvalue") })
        let result = try server.result("prompts/get", ["name": prompt["name"] ?? "", "arguments": values])
        let message = (result["messages"] as? [[String: Any]])?.first
        let text = (message?["content"] as? [String: Any])?["text"] as? String ?? ""
        #expect(message?["role"] as? String == "user")
        let named = text.matches(of: #/`([^`]+)`/#).map { String($0.1) }
        #expect(named.count > 2 && named.allSatisfy(known.contains), "\(named)")
        let plain = text.replacing(#/\n[1-9]\. /#, with: "\n")
        let numbers = plain.matches(of: #/D?[0-9][0-9.]*[0-9]/#).map { String($0.0) }
        #expect(numbers.count > 3 && numbers.allSatisfy(rules.contains), "\(numbers)")
        // A value stays on its line, in quotes.
        #expect(names.allSatisfy { text.contains(#"own \"\#($0)\"\nvalue"#) }, "\(text)")
        #expect(!text.contains("  ") && text.contains(#/[a-z]\.$/#), "\(text)")
        // Only what is required has to be given.
        let required = arguments.filter { $0["required"] as? Bool == true }.compactMap { $0["name"] as? String }
        let least = try server.result(
          "prompts/get", ["name": prompt["name"] ?? "", "arguments": values.filter { required.contains($0.key) }])
        #expect(least["messages"] != nil && least["ttlMs"] == nil)
      }
    }
  }
}
