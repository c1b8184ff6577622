import EventModel
import FolderSupport
import Testing

@testable import Ingest

/// Files that are read in one call. Each expected kind and count is read off the lines.
@Suite struct SeveralFilesTests: ProposalOfLines {
  /// Returns the lines of a file of charges, one for each user.
  private static func charges(_ users: [String]) -> [String] {
    ["transaction_id,customer_id,created,type,product,amount_cents,currency"]
      + users.map { "tx-\($0),\($0),2026-01-20T10:00:00Z,charge,pro_monthly,999,usd" }
  }

  /// As seconds since 1970, 2026030410 is in the year 2034; with the pattern it is 10 o'clock on 4 March 2026, which is
  /// 1,772,618,400 seconds since 1970 (`date -u -d '2026-03-04 10:00' +%s`).
  @Test func recordsAreReadAgainByAnotherPatternOfTimes() throws {
    let lines = (1...20).map { "u\($0 % 10),2026030410,paywall_viewed" }
    let folder = try TemporaryDirectory()
    let path = try folder.write((["user_id,ts,event"] + lines).joined(separator: "\n") + "\n", to: "data.csv")
    var answers = ProposalAnswers()
    let group = try Onboarding.parted(Onboarding.groups(of: InputFile.discover([path])).groups, answers)[0]
    #expect(group.profile != nil)
    answers.dates = "yyyyMMddHH"
    let found = try Onboarding.proposal(of: group, answers, appName: nil)
    #expect(Set(found.views.values.joined()) == [1_772_618_400_000], "\(found.views)")
  }

  /// The trials of u1 to u9 are in the other file. Of n1 and n2, nothing says a trial.
  @Test(arguments: [([], nil), (["n1", "n2"], "the purchases of 2 users without a trial")] as [([String], String?)])
  func trialsOfOtherFilesAreKnown(others: [String], text: String?) throws {
    let users = (1...9).map { "u\($0)" }
    let events = users.flatMap {
      ["\($0),2026-01-05T10:00:00Z,Paywall Viewed,home,,", "\($0),2026-01-05T10:01:00Z,Trial Started,,pro_monthly,7"]
    }
    let found = try ProposalTests.proposals([
      ("events.csv", ["visitor_id,time,event,screen,product,trial_days"] + events),
      ("charges.csv", Self.charges(users + others)),
    ])
    let charges = try #require(found["charges"])
    #expect(Self.kind("charge", charges) == .payment, "\(charges.names)")
    let said = charges.warnings.filter { $0.contains("may not count") }
    #expect(said.count == (text == nil ? 0 : 1) && said.allSatisfy { $0.contains(text ?? "") }, "\(said)")
  }

  /// Returns the lines of a file of views without an event column, with one user each.
  private static func views(_ header: String, _ row: String) -> [String] {
    [header] + (1...12).map { "u\($0),2026-01-\($0 + 9)T10:00:00Z,\(row)" }
  }

  /// The time or the file says that something was seen, and nothing says a sale. Views of pages are no paywall views, and
  /// a plan may be what was sold.
  @Test(
    arguments: [
      ("pricing.csv", "customer_id,viewed_at,page,variant", "pricing_page,a", true),
      ("data.csv", "user_id,impression_time,placement", "home", true),
      ("paywall_exposures.csv", "user_id,time,placement", "home", true),
      ("pricing_views.csv", "user_id,created_at,screen", "home", true),
      ("data.csv", "user_id,created_at,screen", "home", false),
      ("page_views.csv", "user_id,viewed_at,page", "home", false),
      ("data.csv", "user_id,viewed_at,page,plan,status", "home,monthly,active", false),
      ("data.csv", "user_id,last_seen_at,screen", "home", false),
    ])
  func viewsNeedNoEventColumn(file: String, header: String, row: String, areViews: Bool) throws {
    let found = try ProposalTests.proposals([(file, Self.views(header, row))])
    let proposal = try #require(found.values.first)
    #expect((Self.kind("*", proposal) == .paywallImpression) == areViews, "\(proposal.names)")
    #expect(proposal.missing == (areViews ? [] : ["event name"]), "\(proposal.missing)")
    let said = proposal.warnings.contains { $0.hasPrefix("all records are read as paywall views") }
    #expect(said == areViews, "\(proposal.warnings)")
  }

  /// A subscription has the times of its trial and its end, and a payment an amount, so neither was seen.
  @Test func aKindOfWhatWasSeenSparesSubscriptionsAndPayments() throws {
    let subscriptions = (1...9).map { "u\($0),pro_monthly,2026-01-1\($0)T10:00:00Z,2026-01-2\($0)T10:00:00Z" }
    let sales = (1...9).map { "u\($0),2026-01-1\($0)T10:00:00Z,pro_monthly,9.99,USD" }
    let found = try ProposalTests.proposals([
      ("subscriptions.csv", ["user_id,plan,trial_started_at,canceled_at"] + subscriptions),
      ("sold.csv", ["user_id,ts,product,price,currency"] + sales),
      ("other.csv", Self.views("user_id,ts,screen", "home")),
    ]) { $0.events["*"] = .paywallImpression }
    #expect(found["other"].flatMap { Self.kind("*", $0) } == .paywallImpression)
    #expect(found["sold"]?.missing == ["event name"])
    let kept = try #require(found["subscriptions"])
    #expect(Set(kept.names.compactMap(\.kind)) == [.trialStart, .cancellation], "\(kept.names)")
    let note = "`--event '*=paywall_impression'` is not for this file"
    #expect(kept.notes.contains { $0.contains(note) }, "\(kept.notes)")
  }

  /// Each record has a page and the event `viewed`; with `played` beside it, that one is left out.
  @Test(arguments: [["viewed"], ["viewed", "played"]])
  func viewedIsAPaywallView(events: [String]) throws {
    let lines = (1...12).map { "u\($0),2026-01-\($0 + 9)T10:00:00Z,\(events[$0 % events.count]),pricing_page" }
    let found = try Self.proposal(["user_id,time,event,page"] + lines)
    #expect(Self.kind("viewed", found) == .paywallImpression && found.missing.isEmpty, "\(found.names)")
    #expect(Self.kind("played", found) == nil)
    #expect(found.warnings.contains { $0.contains("`--event viewed=ignore`") }, "\(found.warnings)")
  }

  /// 999 cents are 9.99, and 999 yen stay as they are, since a yen has no cents. No subscription costs 999 dollars. A scale may
  /// be an option's.
  @Test(
    arguments: [
      ("amount_cents", "USD", nil, "÷ 100: 999 → 9.99"), ("amount_cents", "JPY", nil, nil),
      ("price", "USD", nil, "÷ 100: 999 → 9.99"), ("price", "JPY", nil, nil),
      ("price", "USD", "{path: price, scale: 0.001}", "× 0.001: 999 → 0.999"),
    ] as [(String, String, String?, String?)])
  func scaledAmountsAreSaid(column: String, currency: String, value: String?, said: String?) throws {
    let lines = (1...9).map { "u\($0),2026-01-1\($0)T10:00:00Z,subscription_started,pro_monthly,999,\(currency)" }
    let found = try Self.proposal(["user_id,ts,event,product,\(column),currency"] + lines) {
      if let value { ($0.fields["price"], $0.values["price"]) = (column, value) }
    }
    let price = try #require(found.fields.first { $0.name == "price" })
    #expect(price.scaled == said, "\(found.yaml)")
  }

  /// Nine users see the paywall and other screens, and all records have a variant, so that it says nothing of what was
  /// seen. Where a screen is called Paywall, its views alone are paywall views, and they came from the other screen.
  @Test(arguments: [("screen_view", "Paywall", true), ("screen_view", "Abo", false), ("view", "Abo", false)])
  func viewsOfOtherScreensAreNoPaywallViews(event: String, screen: String, isKnown: Bool) throws {
    let lines = (1...9).flatMap { user in
      let day = "u\(user),2026-01-1\(user)T10:0"
      let variant = user % 2 == 0 ? "a" : "b"
      return [
        "\(day)0:00Z,\(event),Home,Splash,\(variant),,", "\(day)1:00Z,\(event),\(screen),settings,\(variant),,",
        "\(day)2:00Z,subscription_started,,,\(variant),pro_monthly,9.99",
      ]
    }
    let head = "user_id,time,event,screen_name,previous_screen,variant,product,price_usd"
    let found = try Self.proposal([head] + lines)
    #expect(Self.kind(event, found) == (isKnown ? .paywallImpression : nil), "\(found.names)")
    guard isKnown else { return }
    #expect(found.yaml.contains("{not: {not: {screen_name: Paywall}}}"), "\(found.yaml)")
    #expect(found.fields.first { $0.name == "entry_point" }?.path == "previous_screen", "\(found.fields)")
  }

  /// A paywall in each record of an event says more than a page that may be one.
  @Test(arguments: ["/pricing", "/paywall"])
  func aColumnOfPaywallsSaysMoreThanAPage(path: String) throws {
    let lines = (1...9).flatMap { user in
      let day = "u\(user),2026-01-1\(user)T10:0"
      return [
        "\(day)0:00Z,page_view,app,\(path),,,", "\(day)1:00Z,page_view,app,/home,,,",
        "\(day)2:00Z,modal_view,settings,,pw_a,,", "\(day)3:00Z,subscription_started,,,,pro_monthly,9.99",
      ]
    }
    let found = try Self.proposal(["user_id,time,event,source,page_path,paywall_id,product,price_usd"] + lines)
    #expect(Self.kind("modal_view", found) == .paywallImpression, "\(found.names)")
    #expect(Self.kind("page_view", found) == nil, "\(found.names)")
  }

  /// Segment's table `tracks` repeats each event of the other tables without their columns. Its other events are read.
  @Test func eventsOfTracksWithATableOfTheirOwnAreLeftOut() throws {
    let head = "id,received_at,timestamp,user_id,event"
    func row(_ user: Int, _ event: String) -> String {
      "\(event)\(user),2026-01-1\(user)T10:00:02Z,2026-01-1\(user)T10:00:00Z,u\(user),\(event)"
    }
    func rows(_ event: String, _ rest: String) -> [String] { (1...9).map { row($0, event) + rest } }
    let found = try ProposalTests.proposals([
      ("paywall_viewed.csv", [head + ",source,variant"] + rows("paywall_viewed", ",home,a")),
      (
        "order_completed.csv",
        [head + ",product_id,revenue,currency"] + rows("order_completed", ",pro_monthly,9.99,USD")
      ),
      ("tracks.csv", [head] + rows("paywall_viewed", "") + rows("order_completed", "") + rows("app_opened", "")),
    ])
    let proposal = try #require(found.values.first)
    #expect(found.count == 1 && proposal.warnings.allSatisfy { !$0.contains("left out") }, "\(proposal.warnings)")
    #expect(
      Set(proposal.names.map { "\($0.name) \($0.count)" })
        == ["paywall_viewed 9", "order_completed 9", "app_opened 9"], "\(proposal.names)")
    #expect(proposal.notes.contains { $0.hasPrefix("tracks: 18 records left out") }, "\(proposal.notes)")
    #expect(!proposal.notes.contains { $0.contains("nothing was paid") }, "\(proposal.notes)")
    #expect(
      proposal.yaml.contains("{not: {$table: tracks, event: [order_completed, paywall_viewed]}}"), "\(proposal.yaml)")
  }

  /// The payments name their app and the views none, so they are of the same app. Other payments may be of two apps.
  @Test(
    arguments: [
      (["app12"], ["app12"], "app12"), (["app12", "app13"], ["app12"], nil), (["app12"], ["app12", "app13"], nil),
    ] as [([String], [String], String?)])
  func filesWithoutAnAppAreOfThatOfOthers(apps: [String], others: [String], expected: String?) throws {
    let folder = try TemporaryDirectory()
    func payments(_ apps: [String]) -> [String] {
      (1...9).map {
        "u\($0),2026-01-1\($0)T10:00:00Z,subscription_started,pro_monthly,9.99,USD,\(apps[$0 % apps.count])"
      }
    }
    let head = "user_id,ts,event,product,price,currency,app_id"
    let paths = try [
      ("payments.csv", [head] + payments(apps)),
      ("web.csv", ([head] + payments(others)).map { $0.replacing(",", with: ";") }),
      ("views.csv", Self.views("user_id,viewed_at,placement", "home")),
    ].map { try folder.write($1.joined(separator: "\n") + "\n", to: $0) }
    let groups = try Onboarding.groups(of: InputFile.discover(paths)).groups
    let answers = try Onboarding.answers(for: groups, ProposalAnswers())
    #expect(answers.map(\.othersApp) == [expected, expected, expected])
  }

  /// A model of devices comes again as users do, and is none.
  @Test func modelsOfDevicesAreNoUsers() throws {
    let lines = (1...30).map { "GPA.\($0),2026-01-10T10:00:\($0 + 10)Z,pixel\($0 % 9),pro_monthly,9.99,USD" }
    let found = try Self.proposal(
      ["Order Number,Order Charged,Device Model,SKU ID,Item Price,Currency of Sale"] + lines)
    #expect(found.missing.contains("user") && found.likeliest("user") == nil, "\(found.fields)")
    #expect(found.likeliest("event name") == nil)
  }

  /// Numbers in a column of ids are no prices, though no other column has one.
  @Test func idsAreNoPrices() throws {
    let lines = (1...30).map { "u\($0 % 9),2026-01-10T10:00:\($0 + 10)Z,paywall_viewed,\($0 % 2 * 50 + 9).99" }
    let found = try Self.proposal(["user_id,ts,event,amount_id"] + lines)
    #expect(!found.fields.contains { $0.name == "price" }, "\(found.fields)")
  }

  /// The first event is delivered twice, with two ids of deliveries and one of its own.
  @Test func eventsThatAreDeliveredTwiceCountOnce() throws {
    let lines = (1...30).flatMap { event -> [String] in
      (event == 1 ? [1, 2] : [1]).map {
        #"{"deliveryId":"d\#(event)-\#($0)","event":{"id":"e\#(event)","at":"2026-01-10T10:00:\#(event + 10)Z","#
          + #""user":{"id":"u\#(event % 9)"},"name":"paywall_viewed"}}"#
      }
    }
    let found = try Self.proposal(lines)
    #expect(found.fields.first { $0.name == "event_id" }?.path == "event.id", "\(found.fields)")
    #expect(found.notes.contains { $0.hasPrefix("event.id comes again with the same user") }, "\(found.notes)")
  }

  /// No column has a product, and twelve users pay seven days after an event of another language.
  @Test func trialsWithoutAProductAreFoundByTheirPayments() throws {
    let lines = (1...12).flatMap { user in
      [
        "u\(user),2026-01-\(user + 9)T10:00:00Z,paywall_viewed,", "u\(user),2026-01-\(user + 9)T10:05:00Z,provtid,",
        "u\(user),2026-01-\(user + 16)T10:05:00Z,subscription_started,9.99",
      ]
    }
    let found = try Self.proposal(["user_id,ts,event,price_usd"] + lines)
    let said = "provtid (12 records): read as the start of trials"
    #expect(found.warnings.contains { $0.hasPrefix(said) }, "\(found.warnings)")
  }

  /// Two of nine charges failed.
  @Test func recordsThatWereNotPaidAreSaid() throws {
    let lines = (1...9).map {
      "u\($0),2026-01-1\($0)T10:00:00Z,charge,pro_monthly,9.99,USD,\($0 > 7 ? "failed" : "succeeded")"
    }
    let found = try Self.proposal(["user_id,ts,event,product,price,currency,status"] + lines)
    #expect(found.notes.contains("2 records left out: status says that nothing was paid"), "\(found.notes)")
  }
}
