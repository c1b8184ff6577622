import Foundation
import Testing

/// The pages of the dashboard that list the users behind a number.
@Suite struct ServeExplainTests {
  /// Returns the value of an attribute of the page.
  private static func address(_ attribute: Substring) -> String {
    attribute.split(separator: "&amp;", omittingEmptySubsequences: false).joined(separator: "&")
  }

  /// Numbers link to their explanation, which equals that of the command line.
  @Test(arguments: [
    "funnel", "trials", "revenue", "mrr", "subscriptions", "retention", "ltv", "activity", "value", "experiments",
  ])
  func numbersLeadToWhatTheyComeFrom(report: String) async throws {
    try await ServeCommandTests.serving { folder, program in
      let table = try await program.get(
        "/reports/\(report)?app=demo&columns=all\(report == "activity" ? "&by=day" : "")"
      ).body
      let links = table.matches(of: /<td[^>]*><a href="([^"]*)">/).map { Self.address($0.1) }
      #expect(links.count > 2)
      for link in Set([links.first, links.last].compactMap(\.self)) {
        #expect(link.hasPrefix("/reports/\(report)/explain?"))
        let page = try await program.get(link)
        #expect(page.status == 200, "\(link): \(page.body)")
        #expect(
          page.body.contains(#"<a href="/reports/\#(report)?app=demo"#) && page.body.contains("Users and events"))
        let csv = Self.address(try #require(page.body.firstMatch(of: /href="([^"]*format=csv)"/)).1)
        let command = try #require(page.body.firstMatch(of: /<code>tollgate ([^<]*)<\/code>/)).1
        // The store's names in brackets are quoted.
        let words = command.split(separator: " ").map { String($0.replacing("&#39;", with: "")) }
        let printed = try Program.run(words, in: folder.url)
        #expect(printed.status == 0 && printed.output.contains("event_id"), "\(words): \(printed.errors)")
        #expect(try await program.get(csv).body == printed.output)
      }
    }
  }

  /// Checks with users behind them have links; checks of days and lines do not.
  @Test func checksLeadToTheirPersons() async throws {
    try await ServeCommandTests.serving { folder, program in
      let page = try await program.get("/reports/health?columns=all").body
      let links = page.matches(of: /<td[^>]*><a href="([^"]*)">/).map { Self.address($0.1) }
      #expect(links.contains { $0.contains("purchases") } && !links.contains { $0.contains("days") })
      let link = try #require(links.first { $0.contains("key=check%3Dpersons%20with%20impressions") })
      let answer = try await program.get(link)
      #expect(answer.status == 200 && answer.body.contains("Users and events"), "\(answer.body)")
      let printed = try folder.run(
        "explain", "health", "--cell", "app=demo,check=persons with impressions and no later identity", "--column",
        "cases", "--format", "csv")
      #expect(printed.status == 0 && printed.output.hasPrefix("user_id,amount,why"), "\(printed.errors)")
      let pairs = try await program.get("/reports/value?pairs=true&by=variant")
      #expect(pairs.status == 200 && !pairs.body.contains("/explain?"))
    }
  }

  @Test func personsOfANumberComePageByPage() async throws {
    try await ServeCommandTests.serving { folder, program in
      try folder.write(
        (0..<45).map {
          Folder.event("paywall_impression", "n\($0)", "2026-01-02T00:00:00Z", user: "n\($0)", #","entry_point":"new""#)
        }.joined(), to: "more.jsonl")
      #expect(try folder.run("ingest", "more.jsonl").status == 0)
      var address = "/reports/funnel/explain?by=entry_point&key=app%3Ddemo&key=entry_point%3Dnew&column=users"
      var ranges: [String] = []
      var users: Set<String> = []
      for _ in 0..<5 {
        let page = try await program.get(address).body
        ranges += page.matches(of: /Users \d+ to \d+ of \d+/).map { String($0.output) }
        users.formUnion(page.matches(of: /<bdi>(n\d+)<\/bdi>/).map { String($0.1) })
        guard let next = page.firstMatch(of: /<a class="btn" rel="next" href="([^"]*)"/) else { break }
        address = Self.address(next.1)
      }
      #expect(ranges == ["Users 1 to 20 of 45", "Users 21 to 40 of 45", "Users 41 to 45 of 45"])
      #expect(users.count == 45)
      let last = try await program.get(address).body
      let previous = Self.address(try #require(last.firstMatch(of: /<a class="btn" rel="prev" href="([^"]*)"/)).1)
      #expect(try await program.get(previous).body.contains("Users 21 to 40 of 45"))
    }
  }
}
