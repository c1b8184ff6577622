import Foundation
import Testing

@Suite struct DiffCommandTests {
  /// Numbers of an app whose events are removed are attributed to their removal, not to the as-of.
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
      // Each app's events contain one trial.
      #expect(row["app"] == "other" && row["before"] == "1" && row["after"] == "0" && row["removed"] == "-1", "\(row)")
      #expect(row["maturity"] ?? "0" == "0", "\(row)")
    }
  }

  /// Derived by hand: new events are a payment of 20 that a refund naming it takes back in full, and another user's 40,
  /// refunded too. New events bring 60, refunds take 60, and the first payment of 10 is unaffected.
  @Test func aRefundTakesBackThePaymentThatItNames() throws {
    try Folder.with { folder in
      func event(_ kind: String, _ id: String, _ day: String, user: String, _ price: Int, _ transaction: String)
        -> String
      {
        Folder.event(
          kind, id, "2026-0\(day)T00:00:00Z", user: user,
          #","product_id":"p","plan":"monthly","price":\#(price),"currency":"USD","transaction_id":"\#(transaction)""#)
      }
      try folder.write(event("conversion", "1", "1-01", user: "a", 10, "t1"), to: "first.jsonl")
      try folder.write(
        event("renewal", "2", "2-01", user: "a", 20, "t2") + event("refund", "3", "2-05", user: "a", 20, "t2")
          + event("conversion", "4", "2-02", user: "b", 40, "t4") + event("refund", "5", "2-06", user: "b", 40, "t4"),
        to: "second.jsonl")
      #expect(try folder.run("ingest", "first.jsonl").status == 0)
      #expect(try folder.run("ingest", "second.jsonl").status == 0)
      let result = try folder.run(
        "diff", "revenue", "--by", "none", "--before-known-at", "first.jsonl", "--column", "refunded", "--format", "csv"
      )
      let lines = result.output.split(separator: "\n").map(String.init)
      #expect(lines.first?.hasSuffix(",before,after,change,maturity,new_events,refunds") == true, "\(result)")
      #expect(lines.last == "demo,USD,refunded,0.00,60.00,60.00,0.00,0.00,60.00")
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
