import Basics
import EventModel
import EventSupport
import FolderSupport
import Testing

@testable import Ingest

/// Exports of companies that no earlier rule knew. Each expected value is read off the lines.
@Suite struct UnseenExportTests: ProposalOfLines {
  private static func proposal(ofJSON lines: [String]) throws -> Proposal {
    try #require(try ProposalTests.proposals([("data.ndjson", lines)])["data"])
  }

  private static func day(_ day: Int, _ time: String = "10:00:00") -> String {
    let ofMonth = (day - 1) % 31 + 1
    return "2026-\(day > 31 ? "02" : "01")-\(ofMonth < 10 ? "0" : "")\(ofMonth)T\(time)Z"
  }

  /// Each line is a user with the list of his events; the user stands beside the list.
  @Test func eventsMayBeAListInTheRecordOfTheirUser() throws {
    let lines = (1...12).map { user in
      #"{"userId":"u\#(user)","country":"US","events":[{"name":"paywall_viewed","at":"\#(Self.day(user))","screen":"home"},"#
        + #"{"name":"subscription_started","at":"\#(Self.day(user, "10:05:00"))","sku":"pro_monthly","price":9.99,"currency":"USD"}]}"#
    }
    let found = try Self.proposal(ofJSON: lines)
    #expect(found.yaml.contains("\neach: events\n"), "\(found.yaml)")
    #expect(found.missing.isEmpty && found.recordCount == 24)
    #expect(Self.path("user_id", found) == "userId" && Self.path("event", found) == "events.name")
    #expect(Self.kind("subscription_started", found) == .conversion)
  }

  /// An event has the same id when the user's record has changed, and another one for another user.
  @Test func elementsOfAListAreEventsOfTheirOwn() throws {
    let yaml = "{app: {value: a}, name: l.n, user: u, time: l.t, each: l, events: {e: activity}}"
    func read(_ record: String) throws -> [String] {
      let settings = SourceSettings(mapping: try MappingFile(yaml: yaml, file: "m"))
      return try Reading(Array(record.utf8), settings).events.map { "\($0.userID) \($0.eventID)" }
    }
    let first = try read(#"{"u":"ann","k":1,"l":[{"n":"e","t":1772323200},{"n":"e","t":1772323201}]}"#)
    let later = try read(#"{"u":"ann","k":2,"l":[{"n":"e","t":1772323201},{"n":"e","t":1772323200}]}"#)
    let other = try read(#"{"u":"ben","k":1,"l":[{"n":"e","t":1772323200}]}"#)
    #expect(first.count == 2 && Set(first) == Set(later) && Set(first).isDisjoint(with: other))
    #expect(try read(#"{"u":"ann","l":[]}"#).isEmpty)
  }

  @Test(arguments: [
    ("betalingsmur vist", EventKind.paywallImpression), ("prøveperiode startet", .trialStart),
    ("abonnement fornyet", .renewal), ("beløb refunderet", .refund), ("abonnement udløbet", .expiration),
    ("abonnement kjøpt", .payment), ("tilaus uusittu", .renewal), ("předplatné zrušeno", .cancellation),
    ("langganan diperpanjang", .renewal), ("подписка продлена", .renewal), ("пейволл показан", .paywallImpression),
  ])
  func wordsOfOtherLanguages(name: String, kind: EventKind) { #expect(KindWords.meaning(of: name) == .kind(kind)) }

  @Test(arguments: [
    ("premium_monat", Plan.monthly), ("premium_jahr", .yearly), ("abonnement_måned", .monthly),
    ("abonnement_år", .yearly), ("premium_anual", .yearly), ("paket_bulanan", .monthly),
  ])
  func productsNameTheirPlan(product: String, plan: Plan) { #expect(ProductPlans.plan(name: product) == plan) }

  /// Nothing tells the currency of 12,900, so it is asked for; of Korea alone it is won. 1,299.50 may be dollars.
  @Test(arguments: [
    ("\"12,900\"", "", true), ("\"12,900\"", "KR", false), ("\"1,299.50\"", "", false), ("9.99", "", false),
  ])
  func amountsWithoutCentsNeedACurrency(amount: String, country: String, isAsked: Bool) throws {
    let lines = (1...24).map { "u\($0),\(Self.day($0)),subscription_started,pro_monthly,\(amount),\(country)" }
    let found = try Self.proposal(["user_id,ts,event,product_id,price,country"] + lines)
    #expect((found.amountsWithoutCurrency?.path == "price") == isAsked)
    #expect(found.yaml.contains("\ncurrency: KRW") == (country == "KR"), "\(found.yaml)")
  }

  /// Prices in rupiah have no cents though ISO 4217 gives it some, so 49.000 is 49,000.
  @Test(arguments: [("49.000", "IDR", true), ("49.000", "USD", false)])
  func pointsPartThousandsOfRupiah(amount: String, currency: String, isParted: Bool) throws {
    let lines = (1...24).map { "u\($0),\(Self.day($0)),subscription_started,pro_monthly,\(amount),\(currency)" }
    let found = try Self.proposal(["user_id,ts,event,product_id,price,currency"] + lines)
    #expect(found.yaml.contains("\ndecimal: \",\"") == isParted, "\(found.yaml)")
  }

  /// In views, `se_label` is the screen and `se_property` the variant; in purchases, the product and the currency.
  @Test func columnsMayMeanAnotherFieldInOtherEvents() throws {
    let lines = (1...24).flatMap { user in
      [
        "struct,u\(user),\(Self.day(user)),paywall,view,\(user % 3 == 0 ? "home" : "settings"),\(user % 2 == 0 ? "control" : "treatment"),",
        "struct,u\(user),\(Self.day(user, "10:05:00")),subscription,purchase,pro_monthly,USD,9.99",
      ]
    }
    let header = "event,user_id,derived_tstamp,se_category,se_action,se_label,se_property,se_value"
    let found = try Self.proposal([header] + lines)
    let yaml = found.yaml
    #expect(yaml.contains("variant: {path: se_property, values: {USD: null}}"), "\(yaml)")
    #expect(yaml.contains("currency: {path: se_property, values: {control: null, treatment: null}}"), "\(yaml)")
    #expect(yaml.contains("product_id: {path: se_label, values: {home: null, settings: null}}"), "\(yaml)")
    #expect(yaml.contains("entry_point: {path: se_label, values: {pro_monthly: null}}"), "\(yaml)")
  }

  /// `gold_m` ends a month after its payment, and `gold_y` a year. The end of a trial says nothing of its plan.
  @Test func plansAreMeasured() throws {
    let lines = (1...12).flatMap { user in
      [
        "u\(user),\(Self.day(user)),trial_started,gold_m,,,\(Self.day(user + 7))",
        "u\(user),\(Self.day(user + 7)),subscription_started,gold_m,9.99,USD,2026-02-\(user + 7 < 10 ? "0" : "")\(user + 7)T10:00:00Z",
        "v\(user),\(Self.day(user)),subscription_started,gold_y,59.99,USD,2027-01-\(user < 10 ? "0" : "")\(user)T10:00:00Z",
      ]
    }
    let found = try Self.proposal(["user_id,ts,event,product_id,price,currency,expires_at"] + lines)
    #expect(
      found.yaml.contains("plan: {path: product_id, values: {gold_m: monthly, gold_y: yearly, \"*\": null}}"),
      "\(found.yaml)")
    #expect(found.notes.contains { $0.contains("gold_m is monthly, gold_y is yearly") }, "\(found.notes)")
  }

  /// Ten users pay five minutes behind a paywall view, so these payments are first ones; ten hours behind, they may be
  /// renewals. The views may be in another file.
  @Test(arguments: [("10:05:00", true, false), ("20:00:00", false, false), ("10:05:00", true, true)])
  func purchasesBehindAViewAreFirstOnes(time: String, isComplete: Bool, areApart: Bool) throws {
    let views = (1...10).map { "u\($0),\(Self.day($0)),paywall_view,,," }
    let payments = (1...10).map { "u\($0),\(Self.day($0, time)),charge,pro_monthly,9.99,USD" }
    let header = "user_id,ts,event,product_id,price,currency"
    let apart = (1...10).map { "u\($0),\(Self.day($0)),paywall_view" }
    let files =
      areApart
      ? [("views.csv", ["user_id,seen_at,event"] + apart), ("charges.csv", [header] + payments)]
      : [("charges.csv", [header] + views + payments)]
    let found = try #require(try ProposalTests.proposals(files)["charges"])
    #expect(found.yaml.contains("history: complete") == isComplete, "\(found.yaml)")
    #expect(found.warnings.contains { $0.contains("--history complete") } != isComplete, "\(found.warnings)")
  }

  /// Two of 24 records are of bots. A flag that is true of most records says something else.
  @Test(arguments: [(2, true), (20, false)])
  func recordsOfNoCustomersAreLeftOut(bots: Int, isSkipped: Bool) throws {
    let lines = (1...24).map { "u\($0),\(Self.day($0)),paywall_view,home,production,\($0 <= bots)" }
    let found = try Self.proposal(["user_id,ts,event,screen,environment,isBot"] + lines)
    #expect(found.yaml.contains("\nskip: {isBot: \"true\"}\n") == isSkipped, "\(found.yaml)")
  }

  /// No paywall view has a `variant_id`, so it is no variant of a paywall.
  @Test func variantsAreInPaywallViews() throws {
    let lines = (1...24).flatMap { user in
      [
        "u\(user),\(Self.day(user)),paywall_view,\(user % 2 == 0 ? "low" : "high"),,,,",
        "u\(user),\(Self.day(user, "10:05:00")),subscription_started,\(user % 2 == 0 ? "low" : "high"),gid/\(user % 3),pro_monthly,9.99,USD",
      ]
    }
    let found = try Self.proposal(["user_id,ts,event,experiment_arm,variant_id,product_id,price,currency"] + lines)
    #expect(Self.path("variant", found) == "experiment_arm", "\(found.fields)")
  }

  /// `created_at` is the same in all records, so it is the export's; of two times in different zones, that in UTC is read.
  @Test func timesOfExportsAndOfOtherZonesAreNotRead() throws {
    let lines = (1...24).map {
      "2026-04-01 00:00:00,2026-01-10 1\($0 % 4 + 5):30:00,2026-01-10 1\($0 % 4):00:00,u\($0),paywall_view"
    }
    let found = try Self.proposal(["created_at,event_time_kolkata,event_time_utc,user_id,event"] + lines)
    #expect(Self.path("ts", found) == "event_time_utc", "\(found.fields)")
  }

  /// Each change of a subscription is a record, so `active` with an amount is a payment.
  @Test func historiesOfStatesAreEvents() throws {
    let lines = (1...12).flatMap { user in
      [
        "s\(user),u\(user),trialing,pro_monthly,,,\(Self.day(user))",
        "s\(user),u\(user),active,pro_monthly,9.99,USD,\(Self.day(user + 7))",
        "s\(user),u\(user),canceled,pro_monthly,,,\(Self.day(user + 9))",
      ]
    }
    let found = try Self.proposal(["subscription_id,user_id,status,product_id,amount,currency,valid_from"] + lines)
    #expect(Self.path("event", found) == "status", "\(found.fields)")
    #expect(Self.kind("active", found) == .payment && Self.kind("trialing", found) == .trialStart, "\(found.names)")
    let snapshot = (1...5).flatMap { user in
      (1...30).map { "s\(user),u\(user),\($0 < 8 ? "trialing" : "active"),\(Self.day($0))" }
    }
    let daily = try Self.proposal(["subscription_id,user_id,status,snapshot_date"] + snapshot)
    #expect(Self.path("event", daily) == nil, "\(daily.fields)")
  }

  /// A table with the start of trials needs no other event where another file has the payments.
  @Test func tablesMayTellTrialsAlone() throws {
    let trials = (1...12).map { "s\($0),u\($0),monthly,active,\(Self.day($0)),\(Self.day($0 + 7))" }
    let payments = (1...12).map { "u\($0),\(Self.day($0 + 7)),purchase,monthly,9.99,USD" }
    let found = try ProposalTests.proposals([
      ("subscriptions.csv", ["subscription_id,user_id,plan_code,state,trial_started_at,trial_ends_at"] + trials),
      ("transactions.csv", ["user_id,created_at,type,plan_code,amount,currency"] + payments),
    ])
    #expect(found["subscriptions"].map { Self.kind("trial_started_at", $0) } == .trialStart)
  }

  /// 09:48 in the afternoon is 21:48, whatever the words for it. 1767227400 is 1 January 2026, 00:30 UTC.
  @Test(
    arguments: [
      ("2026-01-01 오전 12:30:00", 1_767_227_400_000), ("2026-01-01 午後 9:48:05", 1_767_304_085_000),
      ("2026-01-01 9:48:05\u{202F}PM", 1_767_304_085_000), ("2026-01-01 9:48:05 p. m.", 1_767_304_085_000),
    ] as [(String, Int64)])
  func halvesOfTheDay(text: String, milliseconds: Int64) {
    #expect(DateForm.instant(ofOneReading: text)?.milliseconds == milliseconds)
  }

  /// Year, month, day, hour, minute, second and nanosecond, as Java's libraries write them.
  @Test(
    arguments: [
      ("[2026,1,1,0,30]", 1_767_227_400_000), ("[2026,1,1,21,48,5,7000000]", 1_767_304_085_007), ("[2026,13,1]", nil),
      ("[1,2,3]", nil), ("[2026,1]", nil),
    ] as [(String, Int64?)])
  func timesInParts(json: String, milliseconds: Int64?) {
    #expect(JSONNode(parsing: Array(json.utf8))?.instantOfParts == milliseconds)
  }

  /// In India, two digits stand between commas before the last three.
  @Test(arguments: [("12,99,900.50", "1299900.50"), ("1,29,900", "129900"), ("1,299.00", "1299.00"), ("12,9,900", nil)])
  func amountsGroupedAsInIndia(text: String, plain: String?) {
    #expect(ExactDecimal.ungrouped(text, .point) == plain)
    #expect(ExactDecimal.isGrouped(text) == (plain != nil))
  }

  /// Shift-JIS and GBK have two bytes a letter, so letters with marks would stand side by side; of Western languages they do
  /// not.
  @Test(
    arguments: [
      ([0x8E, 0x9E, 0x8A, 0xD4], false), ([0xCA, 0xC2, 0xBC, 0xFE], false),
      ([0x66, 0xFC, 0x72, 0x20, 0xE9, 0x74, 0xE9], true),
    ] as [([UInt8], Bool)])
  func encodingsOfOtherScriptsAreSaid(word: [UInt8], isRead: Bool) throws {
    let line = Array("u1,2026-01-01,".utf8) + word + Array("\n".utf8)
    let bytes = Array("user,time,event\n".utf8) + Array(repeatElement(line, count: 12).joined())
    let folder = try TemporaryDirectory()
    let files = try InputFile.discover([folder.write(bytes, to: "data.csv")])
    var failure: Onboarding.Failure?
    do throws(Onboarding.Failure) {
      _ = try Onboarding.groups(of: files)
    } catch {
      failure = error
    }
    #expect((failure == nil) == isRead)
    #expect(failure?.reason.contains("iconv -f ENCODING -t UTF-8") ?? isRead)
  }
}
