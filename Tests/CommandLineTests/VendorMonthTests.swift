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
    let counts = ["users", "trial_users", "trial_paid_users", "direct_paid_users"]
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
      #expect(
        unnamed.errors.contains("`tollgate init --yes --app tides webhooks.jsonl paywalls.jsonl`"), "\(unnamed.errors)")
      let other = try folder.run(
        "init", "--yes", "--app", "seas", "--store", "o.db", "webhooks.jsonl", "paywalls.jsonl")
      #expect(
        other.output.contains("! paywalls.jsonl is of the app tides, and for webhooks.jsonl the app seas is given")
          && other.output.contains("--store new.db --app tides webhooks.jsonl paywalls.jsonl\n"), "\(other.output)")
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

  /// Three users' events of Superwall's SDK, as Segment stores them: the paywalls of `paywalls`, each declined at first.
  private static let sdk: String = [("ann", "settings", "5"), ("bob", "settings", "6"), ("cem", "export", "7")]
    .map { user, placement, day in
      func event(_ name: String, _ second: Int, _ more: String) -> String {
        #"{"messageId":"\#(user)-\#(name)","type":"track","event":"\#(name)","timestamp":"2026-01-0\#(day)T10:00:0\#(second)Z","userId":"\#(user)","properties":{"is_superwall":true,"app_session_id":"s-\#(user)","paywall_identifier":"waves","experiment_id":"77","variant_id":"8"\#(more)}}"#
          + "\n"
      }
      let presented = #","presented_by_event_name":"\#(placement)","paywall_id":"991""#
      let product =
        presented
        + #","product_id":"tides.monthly","product_period":"month","product_raw_price":"5.49","product_currency_code":"EUR","product_trial_period_days":"7","product_raw_trial_period_price":"0""#
      return event("trigger_fire", 0, #","trigger_name":"\#(placement)","result":"present""#)
        + event("paywallResponseLoad_start", 0, presented) + event("paywall_open", 1, presented)
        + event("paywall_decline", 2, presented) + event("paywall_close", 3, presented)
        + (user == "ann" ? event("freeTrial_start", 9, product) : "")
    }.joined()

  private static func superwall(
    _ name: String, _ user: String, _ milliseconds: Int, _ end: Int, _ price: String, _ more: String = ""
  ) -> String {
    #"{"object":"event","type":"\#(name)","projectId":1,"applicationId":2,"timestamp":\#(milliseconds),"data":{"id":"\#(user):\#(milliseconds)","name":"\#(name)","periodType":"NORMAL","priceInPurchasedCurrency":\#(price),"currencyCode":"EUR","purchasedAt":\#(milliseconds),"expirationAt":\#(end),"originalAppUserId":"\#(user)","originalTransactionId":"\#(user)","store":"APP_STORE","environment":"PRODUCTION","ts":\#(milliseconds),"productId":"tides.\#(price == "39.99" ? "yearly" : "monthly")"\#(more)}}"#
      + "\n"
  }

  private static let superwallWebhooks =
    superwall("initial_purchase", "ann", 1_767_607_500_000, 1_768_212_300_000, "0")
    .replacing("NORMAL", with: "TRIAL")
    + superwall("renewal", "ann", 1_768_212_300_000, 1_770_890_700_000, "5.49", #","isTrialConversion":true"#)
    + superwall("renewal", "ann", 1_770_890_700_000, 1_773_309_900_000, "5.49")
    + superwall(
      "cancellation", "ann", 1_770_977_100_000, 1_773_309_900_000, "-5.49", #","cancelReason":"CUSTOMER_SUPPORT""#)
    + superwall("initial_purchase", "bob", 1_767_693_900_000, 1_799_229_900_000, "39.99")

  @Test func superwallsSDK() throws {
    try Folder.with { folder in
      try folder.write(Self.sdk, to: "sdk.jsonl")
      try folder.write(Self.superwallWebhooks, to: "webhooks.jsonl")
      let result = try folder.run("init", "--yes", "--app", "tides", "sdk.jsonl", "webhooks.jsonl")
      #expect(result.status == 0, "\(result.errors)")
      #expect(
        result.output.contains("freeTrial_start: left out, because Superwall's webhooks have these payments, too"))
      let mapping = try folder.text(of: "sdk.mapping.yaml")
      #expect(mapping.contains("\ninclude: superwall-sdk\n") && !mapping.contains("\nevents:"), "\(mapping)")
      try check(folder)
      let dismissals = try folder.run("export", "events", "--format", "ndjson")
      #expect(dismissals.output.components(separatedBy: "paywall_dismissal").count == 4)
      #expect(dismissals.output.components(separatedBy: #""exposure""#).count == 4)
      // The mapping reads the file alone, too.
      let checked = try folder.run("mapping", "check", "sdk.mapping.yaml", "--sample", "sdk.jsonl")
      #expect(checked.status == 0, "\(checked.errors)")
    }
  }

  /// The payments of the SDK are left to webhooks: without these, a funnel would have no payers.
  @Test func theFunnelOfSuperwallsSDKAloneIsWithheld() throws {
    try Folder.with { folder in
      try folder.write(Self.sdk, to: "sdk.jsonl")
      let result = try folder.run("init", "--yes", "--app", "tides", "sdk.jsonl")
      #expect(result.output.contains("No funnel: its shares would be too low"), "\(result)")
      #expect(
        result.output.contains("--store new.db --superwall-money sdk --app tides sdk.jsonl"), "\(result.output)")
    }
  }

  /// The payments of the SDK, if nothing else has them: ann's trial, and no renewal.
  @Test func superwallsPaymentsAreTakenOnRequest() throws {
    try Folder.with { folder in
      try folder.write(Self.sdk, to: "sdk.jsonl")
      let result = try folder.run("init", "--yes", "--app", "tides", "--superwall-money", "sdk", "sdk.jsonl")
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("tollgate ingest --superwall-money sdk --mapping sdk.mapping.yaml FILE..."))
      let trials = try report(folder, "trials", "--by", "entry_point")
      #expect(trials.map { [$0["entry_point"], $0["trials"]] } == [["settings", "1"]], "\(trials)")
      // Another reading of the same file says so.
      let other = try folder.run("ingest", "--mapping", "sdk.mapping.yaml", "sdk.jsonl")
      #expect(other.status == 0, "\(other)")
      for (arguments, message) in [
        (["ingest", "--superwall-money", "sdk", "sdk.jsonl"], "--superwall-money sdk needs --mapping"),
        (["ingest", "--superwall-money", "web", "sdk.jsonl"], "'web' is invalid"),
        (["ingest", "--superwall-money", "sdk", "--mapping", "own.yaml", "sdk.jsonl"], "has no effect: own.yaml"),
        (["init", "--superwall-money", "sdk", "--app", "a", "own.csv"], "no record is an event of Superwall's SDK"),
      ] {
        try folder.write("{name: n, user: u, time: t, events: {x: activity}}", to: "own.yaml")
        try folder.write(
          "who,when,what\nann,2026-01-01T00:00:00Z,app opened\nann,2026-01-02T00:00:00Z,x\n", to: "own.csv")
        let failed = try Program.run(arguments, in: folder.url)
        #expect(failed.status == 2 && failed.errors.contains(message), "\(arguments): \(failed)")
      }
    }
  }

  /// Without declines, the close of a paywall is its dismissal.
  @Test func closesAreDismissalsWithoutDeclines() throws {
    try Folder.with { folder in
      let text = Self.sdk.split(separator: "\n").filter { !$0.contains("paywall_decline") }.joined(separator: "\n")
      try folder.write(text, to: "sdk.jsonl")
      // Its payments are left out, as the webhooks have them.
      let result = try folder.run("init", "--yes", "--app", "tides", "sdk.jsonl")
      #expect(result.status == 3, "\(result.errors)")
      let mapping = try folder.text(of: "sdk.mapping.yaml")
      #expect(mapping.contains("include: superwall-sdk\nevents:\n  paywall_close: paywall_dismissal"), "\(mapping)")
      let events = try folder.run("export", "events", "--format", "ndjson")
      #expect(events.output.components(separatedBy: "paywall_dismissal").count == 4)
    }
  }
}
