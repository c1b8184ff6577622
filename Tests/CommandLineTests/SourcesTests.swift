import Foundation
import Testing

/// Vendor files from the command line to the reports.
@Suite struct SourcesTests {
  private static func webhook(_ type: String, _ id: String, _ more: String = "") -> String {
    #"{"api_version":"1.0","event":{"type":"\#(type)","id":"\#(id)","event_timestamp_ms":1772323260000,"app_id":"A","app_user_id":"a","aliases":["P"],"product_id":"pro","period_type":"NORMAL","purchased_at_ms":1772323200000,"expiration_at_ms":1775001600000,"environment":"PRODUCTION","price_in_purchased_currency":6.99,"currency":"EUR","original_transaction_id":"T\#(id)","store":"APP_STORE"\#(more)}}"#
      + "\n"
  }

  private static let visits =
    "profile_id,customer_user_id,store,paywall_showed_at,developer_id,paywall_name,ab_test_name\n"
    + "P,,app_store,2026-02-28 23:00:00,settings_card,Blue,colours\n"

  /// The alias attributes one service's purchase to another service's paywall.
  @Test func billingMeetsPaywalls() throws {
    try Folder.with { folder in
      try folder.write(Self.webhook("INITIAL_PURCHASE", "1") + Self.webhook("TEST", "2"), to: "webhooks.jsonl")
      try folder.write(Self.visits, to: "visits.csv")
      let result = try folder.run("ingest", "--app", "steps", "webhooks.jsonl", "visits.csv")
      #expect(
        result.status == 0
          && result.output.hasPrefix("2 files (0 skipped, 0 failed), 3 events, 0 duplicates, 1 rejected, "))
      #expect(result.errors == "rejected: not mapped 1; see `tollgate quarantine list`\n")
      let funnel = try folder.run(
        "funnel", "--by", "entry_point,variant", "--as-of", "2026-06-01T00:00:00Z", "--format", "csv")
      #expect(funnel.output.contains("steps,settings_card,Blue,1,0,0,1,1,"))
      let health = try folder.run("health", "--format", "csv")
      #expect(health.output.contains("(all),quarantined: not mapped: revenuecat:TEST,1,"))
      let list = try folder.run("quarantine", "list", "--reason", "not mapped", "--format", "csv")
      #expect(list.output.contains("webhooks.jsonl,2,1,not mapped,revenuecat:TEST,"))
      #expect(try folder.run("doctor", "--rebuild-check").status == 0)
      // A repeated delivery, in another file.
      try folder.write(Self.webhook("INITIAL_PURCHASE", "1"), to: "again.jsonl")
      let again = try folder.run("ingest", "--app", "steps", "again.jsonl")
      #expect(again.output.hasPrefix("1 file (0 skipped, 0 failed), 0 events, 2 duplicates, 0 rejected, "))
    }
  }

  /// A failed charge reported twice is one event, in whatever order the files arrive.
  @Test func aFailedChargeIsOneBillingIssue() throws {
    let grace = #","grace_period_expiration_at_ms":1776000000000"#
    let issue = Self.webhook("BILLING_ISSUE", "1", grace + #","transaction_id":"X""#)
    let cancellation = Self.webhook("CANCELLATION", "1", #","cancel_reason":"BILLING_ERROR","transaction_id":"X""#)
    for files in [[issue, cancellation], [cancellation, issue], [issue + cancellation]] {
      try Folder.with { folder in
        for (place, text) in files.enumerated() {
          try folder.write(text, to: "\(place).jsonl")
          #expect(try folder.run("ingest", "\(place).jsonl").status == 0)
        }
        try folder.withSQL(
          "CREATE TABLE seen AS SELECT event, grace_ends_at FROM events WHERE event IN ('billing_issue', 'cancellation')",
          on: "tollgate.db"
        ) {}
        let check =
          "CREATE TABLE wanted AS SELECT 1 / (COUNT(*) = 1 AND MIN(event) = 'billing_issue' AND MIN(grace_ends_at) IS NOT NULL) AS ok FROM seen; CREATE TABLE checked (ok INTEGER NOT NULL); INSERT INTO checked SELECT ok FROM wanted"
        try folder.withSQL(check, on: "tollgate.db") {}
      }
    }
  }

  /// Native events name their plan; a plan given for their products has no effect, and a message says so.
  @Test func aPlanForNativeFilesHasNoEffectAndThatIsSaid() throws {
    try Folder.with { folder in
      try folder.write(Folder.events, to: "native.jsonl")
      let native = try folder.run("ingest", "--plan", "pro=weekly", "native.jsonl")
      #expect(native.status == 0 && native.errors.contains("--plan has no effect"), "\(native.errors)")
      try folder.write(Self.webhook("INITIAL_PURCHASE", "1", #","expiration_at_ms":1773532800000"#), to: "web.jsonl")
      let vendors = try folder.run("ingest", "--plan", "pro=weekly", "web.jsonl")
      #expect(vendors.status == 0 && !vendors.errors.contains("--plan"), "\(vendors.errors)")
    }
  }

  @Test func aMissingPlanIsMendedByARetry() throws {
    try Folder.with { folder in
      let webhook = Self.webhook("INITIAL_PURCHASE", "1", #","expiration_at_ms":1773532800000"#)
      try folder.write(webhook, to: "webhooks.jsonl")
      let result = try folder.run("ingest", "--strict", "webhooks.jsonl")
      #expect(result.status == 3 && result.errors.contains("missing:plan 1"))
      #expect(try folder.run("quarantine", "retry").output == "0 lines accepted, 1 still rejected\n")
      #expect(
        try folder.run("quarantine", "retry", "--plan", "pro=weekly").output
          == "1 line accepted, 0 still rejected\n")
      #expect(
        try folder.run("subscriptions", "--format", "csv", "--as-of", "2026-03-05T00:00:00Z").output.contains("A,"))
      #expect(try folder.run("doctor", "--rebuild-check").status == 0)
    }
  }

  @Test func aDryRunStoresNothing() throws {
    try Folder.with { folder in
      let lines = (1...12).map { Self.webhook("RENEWAL", "\($0)") }.joined() + Self.webhook("TEST", "x")
      try folder.write(lines, to: "webhooks.jsonl")
      let result = try folder.run("ingest", "--dry-run", "webhooks.jsonl")
      #expect(result.status == 0 && result.errors == "")
      let printed = result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      #expect(printed.prefix { $0.hasPrefix(#"{"app":"A","#) }.count == 2)
      for line in [
        "1 file (0 failed), 24 events, 0 duplicates, 0 conflicts, 0 left out; nothing is stored", "  renewal 12",
        "  identify 12",
        "1 would be rejected", "  not mapped: revenuecat:TEST 1",
      ] {
        #expect(printed.contains(line), "\(line)")
      }
      #expect(try folder.names == ["webhooks.jsonl"])
      let json = try folder.run("ingest", "--dry-run", "--format", "json", "--strict", "webhooks.jsonl")
      #expect(json.status == 3)
      let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
      #expect(object["kinds"] as? [String: Int] == ["renewal": 12, "identify": 12])
      #expect(object["quarantined"] as? [String: Int] == ["not mapped: revenuecat:TEST": 1])
      #expect((object["sample"] as? [String])?.count == 2)
    }
  }

  @Test func aFileOfAnotherVendorFailsAndTheOthersAreRead() throws {
    try Folder.with { folder in
      try folder.write(Self.webhook("RENEWAL", "1"), to: "a.jsonl")
      try folder.write(Self.visits, to: "b.csv")
      let result = try folder.run("ingest", "--source", "revenuecat", "a.jsonl", "b.csv")
      #expect(result.status == 3 && result.output.hasPrefix("1 file (0 skipped, 1 failed), 2 events, "))
      #expect(
        result.errors
          == "tollgate: b.csv: nothing ingested: is a file of adapty, not of revenuecat; name its own format with --source, or leave --source out\n"
      )
    }
  }

  @Test func aMappingReadsWhatHasNoAdapter() throws {
    try Folder.with { folder in
      try folder.write(
        "{name: n, user: u, time: t, app: {value: steps}, events: {seen: {kind: paywall_impression, fields: {entry_point: from}}}}",
        to: "m.yaml")
      try folder.write(
        "n,u,t,from\nseen,ann,2026-03-01 10:00:00,settings\nplayed,ann,2026-03-01 10:00:00,\n", to: "e.csv")
      let result = try folder.run("ingest", "--mapping", "m.yaml", "e.csv")
      #expect(
        result.status == 0
          && result.output.hasPrefix("1 file (0 skipped, 0 failed), 1 event, 0 duplicates, 1 rejected, "))
      // After the mapping is fixed, the remaining lines are read.
      try folder.write("{name: n, user: u, time: t, app: {value: steps}, events: {played: activity}}", to: "m.yaml")
      #expect(
        try folder.run("quarantine", "retry", "--mapping", "m.yaml").output
          == "1 line accepted, 0 still rejected\n")
    }
  }
}
