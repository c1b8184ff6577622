import EventModel
import FolderSupport
import Testing

@testable import Ingest

/// Exports in shapes that no earlier rule knew. Each expected field, kind and value is read off the lines.
@Suite struct NewCompanyTests: ProposalOfLines {
  /// Returns the proposal for lines of JSON.
  private static func proposal(ofJSON lines: [String]) throws -> Proposal {
    try #require(try ProposalTests.proposals([("data.ndjson", lines)])["data"])
  }

  /// Each user's payments have the numbers 1, 2 and so on, so number 1 is the first. Where one series counts the payments
  /// of all users, or a user's numbers fall, the numbers say nothing of it.
  @Test(arguments: [(["1", "2", "1", "2"], true), ([], false), (["2", "1", "2", "1"], false)] as [([String], Bool)])
  func numberedPaymentsTellTheFirst(numbers: [String], isTold: Bool) throws {
    let days = ["2026-01-05", "2026-02-05", "2026-01-06", "2026-02-06"]
    var lines = ["user_id,ts,event,product,amount,currency,payment_no"]
    for pair in 1...8 {
      for place in 0..<4 {
        let number = numbers.isEmpty ? "\(lines.count)" : numbers[place]
        lines.append("u\(pair)-\(place / 2),\(days[place])T10:00:00Z,payment,pro_monthly,9.99,USD,\(number)")
      }
    }
    let found = try Self.proposal(lines)
    #expect(found.yaml.contains("- {kind: conversion, when: {payment_no: \"1\"}}") == isTold, "\(found.yaml)")
    #expect(found.yaml.contains("- {kind: renewal, when: {not: {payment_no: \"1\"}}}") == isTold, "\(found.yaml)")
  }

  /// 30 and 365 days are a month and a year; 12 months are a year. 45 days are no plan.
  @Test(
    arguments: [
      ("duration_days", ["30", "365"], ["monthly", "yearly"]), ("period_months", ["1", "12"], ["monthly", "yearly"]),
      ("duration_days", ["45", "365"], nil),
    ] as [(String, [String], [String]?)])
  func lengthsOfPlansMayBeNumbers(column: String, lengths: [String], plans: [String]?) throws {
    let lines = (1...12).map {
      "u\($0),2026-01-\($0 + 9)T10:00:00Z,subscription_started,gold\($0 % 2),\(lengths[$0 % 2]),9.99,USD"
    }
    let found = try Self.proposal(["user_id,ts,event,product_id,\(column),price,currency"] + lines)
    guard let plans else {
      #expect(Self.path("plan", found) == nil, "\(found.fields)")
      return
    }
    #expect(Self.path("plan", found) == column, "\(found.fields)")
    for (length, plan) in zip(lengths, plans) {
      #expect(found.yaml.contains("\"\(length)\": \(plan)"), "\(found.yaml)")
    }
  }

  /// The subscription of u1 is created in its trial, that of u2 is paid at once.
  @Test func subscriptionsThatAreCreatedInATrialAreTrials() throws {
    let lines = (1...9).flatMap { user in
      [
        "t\(user),2026-01-0\(user)T10:00:00Z,subscription_created,in_trial,pro_monthly,,",
        "t\(user),2026-01-\(user + 7 < 10 ? "0" : "")\(user + 7)T10:00:00Z,payment_succeeded,active,pro_monthly,9.99,USD",
      ]
    }
    let found = try Self.proposal(["user_id,ts,event,status,plan,amount,currency"] + lines)
    #expect(found.yaml.contains("kind: trial_start, when: {status: in_trial}"), "\(found.yaml)")
    #expect(found.leftOut.isEmpty, "\(found.leftOut)")
  }

  /// All records are of Japan, and 980 has no cents, so it is yen. Of 9.80, or with a second country, nothing is known.
  @Test(arguments: [("980", ["JP"], true), ("9.80", ["JP"], false), ("980", ["JP", "US"], false)])
  func theOnlyCountryTellsAmountsWithoutCents(amount: String, countries: [String], isYen: Bool) throws {
    let lines = (1...12).map {
      "u\($0),2026-01-\($0 + 9)T10:00:00Z,subscription_started,pro_monthly,\(amount),\(countries[$0 % countries.count])"
    }
    let found = try Self.proposal(["user_id,ts,event,product_id,price,country"] + lines)
    #expect(found.yaml.contains("\ncurrency: JPY") == isYen, "\(found.yaml)")
    #expect(found.warnings.contains { $0.contains("`--currency CODE` changes it") } == isYen, "\(found.warnings)")
  }

  /// Exposures without a test get a name for it, or that of an option.
  @Test(arguments: [nil, "spring"])
  func exposuresWithoutATestAreRead(test: String?) throws {
    let lines = (1...12).map { "u\($0),\($0 % 2 == 0 ? "a" : "control"),2026-01-\($0 + 9)T10:00:00Z" }
    let found = try ProposalTests.proposals([("assignments.csv", ["user_id,variant,assigned_at"] + lines)]) {
      if let test { $0.values["experiment"] = "{value: \(test)}" }
    }
    let proposal = try #require(found["assignments"])
    #expect(Self.kind("*", proposal) == .exposure, "\(proposal.names)")
    #expect(
      proposal.yaml.contains("experiment: {path: variant, like: {\"*\": \(test ?? "my_test")}}"), "\(proposal.yaml)")
    #expect(proposal.experimentOfExposures == test ?? "my_test")
  }

  /// A purchase has its product in a list of one item.
  @Test func theOnlyItemOfAListIsRead() throws {
    let lines = (1...12).map {
      #"{"user":"u\#($0)","at":"2026-01-\#($0 + 9)T10:00:00Z","event":"subscription_started","items":[{"sku":"pro_monthly","unitPrice":9.99}],"currency":"EUR"}"#
    }
    let found = try Self.proposal(ofJSON: lines)
    #expect(Self.path("product_id", found) == "items[0].sku", "\(found.fields)")
    #expect(Self.path("price", found) == "items[0].unitPrice", "\(found.fields)")
    #expect(Self.kind("subscription_started", found) == .conversion)
  }

  /// Each kind of event has its fields in an object of its own, so a field has one path for each kind.
  @Test func fieldsInObjectsOfEachEventAreOne() throws {
    let lines = (1...12).flatMap { user in
      let (day, next) = (9 + user, 10 + user)
      return [
        #"{"uid":"u\#(user)","ts":"2026-01-\#(day)T10:00:00Z","event":"paywall_viewed","ev_paywall_viewed":{"variant":"control"}}"#,
        #"{"uid":"u\#(user)","ts":"2026-01-\#(day)T10:01:00Z","event":"subscription_started","ev_subscription_started":{"sku":"pro_monthly","price":9.99,"currency":"USD"}}"#,
        #"{"uid":"u\#(user)","ts":"2026-02-\#(next)T10:01:00Z","event":"subscription_renewed","ev_subscription_renewed":{"sku":"pro_monthly","price":9.99,"currency":"USD"}}"#,
      ]
    }
    let found = try Self.proposal(ofJSON: lines)
    #expect(Self.kind("subscription_started", found) == .conversion, "\(found.names)")
    #expect(Self.kind("subscription_renewed", found) == .renewal, "\(found.names)")
    #expect(
      found.yaml.contains("price: [ev_subscription_started.price, ev_subscription_renewed.price]"), "\(found.yaml)")
  }

  /// The Superwall SDK's names with columns of the app's own: the trials get the length that payments show.
  @Test func superwallsPurchasesMayHaveOtherColumns() throws {
    let lines = (1...12).flatMap { user in
      [
        #"{"event":"freeTrial_start","ts":"2026-01-\#(user + 9)T10:00:00Z","user":"u\#(user)","paywall_identifier":"p","product_identifier":"pro.monthly"}"#,
        #"{"event":"subscription_start","ts":"2026-01-\#(user + 16)T10:00:00Z","user":"u\#(user)","product_identifier":"pro.monthly","price":9.99,"currency":"USD"}"#,
      ]
    }
    let found = try #require(
      try ProposalTests.proposals([("data.ndjson", lines)]) { $0.superwallMoney = .sdk }["data"])
    #expect(
      found.yaml.contains("freeTrial_start: {kind: trial_start, fields: {trial_days: {value: \"7\"}}}"), "\(found.yaml)"
    )
  }

  /// Signs and words of other countries.
  @Test(arguments: [
    ("visualizou paywall", EventKind.paywallImpression), ("assinou", .conversion), ("reembolsou", .refund),
    ("zakup subskrypcji", .payment), ("REVOKED", .refund), ("SUBSCRIPTION_REVOKED", .refund),
    ("付费墙展示", .paywallImpression),
    ("首次付费", .conversion), ("satın aldı", .payment),
  ])
  func wordsOfEvents(name: String, kind: EventKind) { #expect(KindWords.meaning(of: name) == .kind(kind)) }

  @Test func otherRevokedThingsAreNoRefunds() { #expect(KindWords.meaning(of: "consent_revoked") == .none) }

  @Test(arguments: [("1,480円", "JPY"), ("25.00元", "CNY"), ("9,900원", "KRW"), ("149 TL", "TRY")])
  func signsOfCurrencies(text: String, code: String) {
    #expect(ExactDecimal.withoutCurrency(text).allSatisfy { $0.isNumber || $0.isPunctuation || $0 == " " })
    #expect(CurrencyTable.written.first { text.contains($0.sign) }?.code == code)
  }

  @Test(arguments: [
    ("jaarabonnement", Plan.yearly), ("maandabonnement", .monthly), ("halfjaarabonnement", .semiannual),
  ])
  func dutchPlans(name: String, plan: Plan) { #expect(ProductPlans.plan(name: name) == plan) }

  /// Apple's report names its subscriptions by Apple's ids, too.
  @Test func reportsOfSubscribersAreNotAlwaysApples() {
    let names: Set<String> = ["Event Date", "Event", "Subscriber ID", "Subscription Name"]
    #expect(VendorFormat.of(names, isCSV: true) == nil)
    #expect(VendorFormat.of(names.union(["Subscription Apple ID"]), isCSV: true) == .subscriberReport)
  }
}
