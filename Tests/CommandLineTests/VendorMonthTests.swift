import Foundation
import Testing

/// Paywall views of an app together with the payments that a service reports, from the files to the reports.
@Suite struct VendorMonthTests {
  /// Three users who see a paywall in January: two in `settings`, one in `export`.
  private static let paywalls = [("ann", "settings", "5"), ("bob", "settings", "6"), ("cem", "export", "7")]
    .map { user, entry, day in
      #"{"event":"paywall_impression","event_id":"\#(user)","ts":"2026-01-0\#(day)T10:00:00Z","app":"tides","user_id":"\#(user)","entry_point":"\#(entry)"}"#
        + "\n"
    }.joined()

  /// Returns a report as rows of columns by name.
  private func report(_ folder: Folder, _ arguments: String...) throws -> [[String: String]] {
    let result = try Program.run(
      arguments + ["--app", "tides", "--as-of", "2026-06-01T00:00:00Z", "--format", "csv"], in: folder.url)
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
  }

  /// Checks what both services' months have in common: ann starts a trial on the day of her paywall, pays 5.49 EUR a week
  /// and a month later, and gets the second payment back; bob buys a year for 39.99 EUR; cem buys nothing.
  ///
  /// 5.49 + 5.49 + 39.99 = 50.97 gross; 50.97 − 5.49 = 45.48 net.
  private func check(_ folder: Folder) throws {
    let gross = try report(folder, "revenue", "--by", "none", "--mode", "gross", "--currency", "native")
    #expect(gross.map { [$0["currency"], $0["payments"], $0["revenue"]] } == [["EUR", "3", "50.97"]], "\(gross)")
    let net = try report(folder, "revenue", "--by", "none", "--mode", "net", "--currency", "native")
    #expect(net.map { [$0["refunds"], $0["revenue"]] } == [["1", "45.48"]], "\(net)")
    let funnel = try report(folder, "funnel", "--by", "entry_point")
    let counts = ["users", "trial", "trial_paid", "direct"]
    let cells = Dictionary(uniqueKeysWithValues: funnel.map { row in (row["entry_point"], counts.map { row[$0] }) })
    #expect(cells["settings"] == ["2", "1", "1", "1"] && cells["export"] == ["1", "0", "0", "0"], "\(funnel)")
    #expect(try folder.run("doctor", "--rebuild-check").status == 0)
  }

  private static func qonversion(_ name: String, _ user: String, _ seconds: Int, _ more: String) -> String {
    #"{"event_name":"\#(name)","user_id":"q-\#(user)","custom_user_id":"\#(user)","identity_id":"","time":\#(seconds),"created_at":\#(seconds + 9),"environment":"production","platform":"iOS",\#(more)}"#
      + "\n"
  }

  /// Times in seconds: 5 Jan 10:05, 12 Jan 10:05, 12 Feb 10:05, 13 Feb 10:05, 12 Mar 10:05; 6 Jan 10:05.
  private static let webhooks: String = {
    func month(_ transaction: Int, _ expires: Int) -> String {
      #""product_id":"tides.monthly","transaction":{"transaction_id":\#(transaction),"original_transaction_id":1,"expires":\#(expires)}"#
    }
    func money(_ value: String, _ dollars: String) -> String {
      #","revenue":{"value":\#(value),"value_usd":\#(dollars),"currency":"EUR","is_proceed":0,"proceeds_rate":85}"#
    }
    return qonversion("trial_started", "ann", 1_767_607_500, month(1, 1_768_212_300))
      + qonversion("trial_converted", "ann", 1_768_212_300, month(2, 1_770_890_700) + money("5.49", "6.00"))
      + qonversion("subscription_renewed", "ann", 1_770_890_700, month(3, 1_773_309_900) + money("5.49", "6.00"))
      + qonversion("subscription_refunded", "ann", 1_770_977_100, month(3, 1_773_309_900) + money("-5.49", "-6.00"))
      + qonversion(
        "subscription_started", "bob", 1_767_693_900,
        #""product_id":"tides.yearly","transaction":{"transaction_id":9,"original_transaction_id":9,"expires":1799229900}"#
          + money("39.99", "43.60"))
      + qonversion("trial_still_active", "ann", 1_767_780_300, month(1, 1_768_212_300))
  }()

  @Test func qonversion() throws {
    try Folder.with { folder in
      try folder.write(Self.paywalls, to: "paywalls.jsonl")
      try folder.write(Self.webhooks, to: "webhooks.jsonl")
      let unnamed = try folder.run("init", "--yes", "webhooks.jsonl", "paywalls.jsonl")
      #expect(unnamed.status == 2 && unnamed.errors.contains("Qonversion does not name the app"), "\(unnamed.errors)")
      let result = try folder.run("init", "--yes", "--app", "tides", "webhooks.jsonl", "paywalls.jsonl")
      #expect(result.status == 0, "\(result.errors)")
      try check(folder)
      // 6.00 + 6.00 + 43.60, by the payments' own rates.
      let dollars = try report(folder, "revenue", "--by", "none", "--mode", "gross", "--currency", "USD")
      #expect(dollars.map { $0["revenue"] } == ["55.60"], "\(dollars)")
      let rejected = try folder.run("quarantine", "list", "--reason", "not mapped", "--format", "csv")
      #expect(rejected.output.contains("qonversion:trial_still_active"))
      // A delivery again, in another file.
      try folder.write(Self.webhooks + "\n", to: "again.jsonl")
      let again = try folder.run("ingest", "--source", "qonversion", "--app", "tides", "again.jsonl")
      #expect(again.output.hasPrefix("1 file (0 skipped, 0 failed), 0 events, 5 duplicates, 1 rejected"), "\(again)")
    }
  }

  private static func order(
    _ id: String, _ token: String, _ at: String, _ total: String, _ details: String, _ more: String = ""
  ) -> String {
    #"{"orderId":"\#(id)","purchaseToken":"\#(token)","state":"PROCESSED","createTime":"2026-\#(at)T10:05:00Z","total":{"currencyCode":"EUR",\#(total)},"lineItems":[{"productId":"tides","subscriptionDetails":{\#(details)}}]\#(more)}"#
      + "\n"
  }

  private static func state(_ account: String, _ order: String) -> String {
    #"{"kind":"androidpublisher#subscriptionPurchaseV2","startTime":"2026-01-05T10:05:00Z","subscriptionState":"SUBSCRIPTION_STATE_ACTIVE","externalAccountIdentifiers":{"obfuscatedExternalAccountId":"\#(account)"},"lineItems":[{"productId":"tides","expiryTime":"2026-03-12T10:05:00Z","latestSuccessfulOrderId":"\#(order)"}]}"#
      + "\n"
  }

  @Test func googlePlay() throws {
    func period(_ start: String, _ end: String, _ plan: String = "monthly") -> String {
      #""basePlanId":"\#(plan)","servicePeriodStartTime":"2026-\#(start)T10:05:00Z","servicePeriodEndTime":"\#(end)T10:05:00Z""#
    }
    let refunded =
      #","orderHistory":{"refundEvent":{"eventTime":"2026-02-13T10:05:00Z","refundReason":"OTHER"}}"#
    let orders =
      Self.order(
        "GPA.1", "t1", "01-05", #""units":"0""#, period("01-05", "2026-01-12") + #","offerPhase":"FREE_TRIAL""#)
      + Self.order("GPA.1..0", "t1", "01-12", #""units":"5","nanos":490000000"#, period("01-12", "2026-02-12"))
      + Self.order(
        "GPA.1..1", "t1", "02-12", #""units":"5","nanos":490000000"#, period("02-12", "2026-03-12"), refunded
      ).replacing("PROCESSED", with: "REFUNDED")
      + Self.order(
        "GPA.2", "t2", "01-06", #""units":"39","nanos":990000000"#, period("01-06", "2027-01-06", "yearly"))
    try Folder.with { folder in
      try folder.write(Self.paywalls, to: "paywalls.jsonl")
      try folder.write(orders, to: "orders.jsonl")
      try folder.write(Self.state("ann", "GPA.1..1") + Self.state("bob", "GPA.2"), to: "states.jsonl")
      let unnamed = try folder.run("init", "--yes", "orders.jsonl", "paywalls.jsonl")
      #expect(unnamed.status == 2 && unnamed.errors.contains("Google Play does not name the app"), "\(unnamed.errors)")
      let result = try folder.run("init", "--yes", "--app", "tides", "orders.jsonl", "states.jsonl", "paywalls.jsonl")
      #expect(result.status == 0, "\(result.errors)")
      try check(folder)
      let again = try folder.run("ingest", "--source", "googleplay", "--app", "tides", "orders.jsonl", "states.jsonl")
      #expect(again.output.hasPrefix("0 files (2 skipped, 0 failed)"), "\(again)")
    }
  }
}
