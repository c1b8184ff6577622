import EventModel
import Testing

@testable import Ingest

/// Exports as analysts of other countries and with other habits have them. Each expected field, kind and length is read off
/// the lines of the table.
@Suite struct StrangersExportTests: ProposalOfLines {
  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Trials on 1 to 12 January are paid 14 days later. Read with the day first, 01/05 is 1 May, and no length is seen.
  @Test(arguments: [nil, "month-first"])
  func trialsAreMeasuredWithTheMonthFirst(dates: String?) throws {
    let lines = (1...12).flatMap { user in
      [
        "u\(user),01/\(Self.two(user))/2026 10:00,trial_started,pro_monthly,",
        "u\(user),01/\(Self.two(user + 14))/2026 10:00,subscription_started,pro_monthly,9.99",
      ]
    }
    let found = try Self.proposal(["user_id,time,event,product,price"] + lines) { $0.dates = dates }
    #expect(found.yaml.contains("dates: month-first"), "\(found.yaml)")
    #expect(
      found.yaml.contains("trial_started: {kind: trial_start, fields: {trial_days: {value: \"14\"}}}"), "\(found.yaml)")
  }

  /// A column with `9,99 €` beside `US$9.99` is read amount by amount.
  @Test func amountsMayHaveEitherSign() throws {
    let prices = ["\"9,99 €\"", "US$9.99", "£9.99"]
    let lines = (1...12).map {
      "u\($0),2026-01-\(Self.two($0))T10:00:00Z,subscription_started,pro_monthly,\(prices[$0 % 3])"
    }
    let found = try Self.proposal(["user_id,time,event,product,price"] + lines)
    #expect(found.yaml.contains("decimal: any"), "\(found.yaml)")
    #expect(Self.path("price", found) == "price")
  }

  /// No word of the names is known, but the lengths of trials stand in the records of one name alone.
  @Test(arguments: [("E310", EventKind.trialStart), ("E100", nil)] as [(String, EventKind?)])
  func lengthsTellTheNameOfTrials(name: String, kind: EventKind?) throws {
    let lines = (1...12).flatMap { user in
      [
        "u\(user),2026-01-\(Self.two(user))T09:00:00Z,E100,,,",
        "u\(user),2026-01-\(Self.two(user))T10:00:00Z,E310,pro_monthly,,7",
        "u\(user),2026-01-\(Self.two(user + 7))T10:00:00Z,subscription_started,pro_monthly,9.99,",
      ]
    }
    let found = try Self.proposal(["user_id,time,event,product,price,trial_days"] + lines)
    #expect(Self.kind(name, found) == kind, "\(found.names)")
    // An answer is kept.
    let ignored = try Self.proposal(["user_id,time,event,product,price,trial_days"] + lines) {
      $0.events.updateValue(nil, forKey: "E310")
    }
    #expect(Self.kind("E310", ignored) == nil)
  }

  /// All 12 records of `E310` have a product and lie 2 to 7 days before their users' first payment; those of `E330` lie
  /// after it.
  @Test func aNameThatMayBeThatOfTrialsIsSaid() throws {
    let lines = (1...12).flatMap { user in
      [
        "u\(user),2026-01-\(Self.two(user))T10:00:00Z,E310,pro_monthly,",
        "u\(user),2026-01-\(Self.two(user + 2 + user % 6))T10:00:00Z,subscription_started,pro_monthly,9.99",
        "u\(user),2026-01-\(Self.two(user + 9))T10:00:00Z,E330,pro_monthly,",
      ]
    }
    let found = try Self.proposal(["user_id,time,event,product,price"] + lines)
    let said = found.warnings.filter { $0.contains("=trial_start") }
    #expect(said.count == 1, "\(found.warnings)")
    #expect(
      said.first?.hasPrefix("E310 (12 records): left out, though its records have a product and 12 of them come before")
        == true,
      "\(said)")
  }

  /// A word that is not known, and `started`: 12 records with a product, 7 days before their users' first payment.
  @Test(arguments: [
    ("taster_started", "taster_started=ignore"),
    ("Start Introductory Offer", "'Start Introductory Offer=ignore'"),
  ])
  func anUnknownStartMayBeThatOfTrials(name: String, option: String) throws {
    let lines = (1...12).flatMap { user in
      [
        "u\(user),2026-01-\(Self.two(user))T10:00:00Z,\(name),pro_monthly,",
        "u\(user),2026-01-\(Self.two(user + 7))T10:00:00Z,subscription_started,pro_monthly,9.99",
      ]
    }
    let found = try Self.proposal(["user_id,time,event,product,price"] + lines)
    #expect(found.warnings.contains { $0.contains("--event \(option)") }, "\(found.warnings)")
    #expect(Self.kind(name, found) == .trialStart && found.yaml.contains("trial_days: {value: \"7\"}"), "\(found.yaml)")
  }

  /// One object for each part of a user's life; `started_at` alone would be a payment.
  @Test func partsOfObjectsTellKinds() throws {
    let lines = (1...12).map { user in
      let day = Self.two(user)
      let trial =
        #""trial":{"started_at":"2026-01-\#(day)T10:05:00Z","ends_at":"2026-01-\#(Self.two(user + 7))T10:05:00Z"}"#
      let paid =
        #""subscription":{"first_paid_at":"2026-01-\#(Self.two(user + 7))T10:05:00Z","price":9.99,"currency":"USD"}"#
      return
        #"{"user_id":"u\#(user)","paywall":{"first_seen_at":"2026-01-\#(day)T10:00:00Z"},\#(trial),\#(paid),"product":"pro_monthly"}"#
    }
    let found = try #require(try ProposalTests.proposals([("users.ndjson", lines)])["users"])
    #expect(found.missing.isEmpty, "\(found.missing)")
    #expect(
      found.names.compactMap(\.kind) == [.paywallImpression, .trialStart, .conversion], "\(found.names)")
    #expect(Self.path("trial_ends_at", found) == "trial.ends_at", "\(found.fields)")
  }

  /// Both the trial and the subscription have an end; that of the trial is no event of its own.
  @Test func endsOfTrialsAreNoFurtherEnd() throws {
    let header = "user_id,state,product_id,trial_started_at,trial_ended_at,first_paid_at,ended_at,price,currency"
    let lines = (1...12).map { user in
      let (start, end) = ("2026-01-\(Self.two(user)) 10:00:00", "2026-01-\(Self.two(user + 7)) 10:00:00")
      return "u\(user),expired,pro_monthly,\(start),\(end),\(end),2026-02-\(Self.two(user + 7)) 10:00:00,9.99,USD"
    }
    let found = try Self.proposal([header] + lines)
    #expect(found.names.compactMap(\.kind) == [.trialStart, .conversion, .expiration], "\(found.names)")
    #expect(found.names.map(\.name).contains("ended_at"))
    #expect(Self.path("trial_ends_at", found) == "trial_ended_at", "\(found.fields)")
  }

  /// No name means a price or a variant, but one column has a currency in each value and one has `control`.
  @Test func valuesTellPricesAndVariants() throws {
    let lines = (1...24).flatMap { user -> [String] in
      let own = user % 2 == 0 ? "control" : "b"
      let day = Self.two(user)
      return [
        "u\(user),2026-01-\(day)T10:00:00Z,paywall_view,\(own),,7,",
        "u\(user),2026-01-\(day)T10:05:00Z,subscription_started,\(own),pro_monthly,7,\"¥1,980\"",
      ]
    }
    let found = try Self.proposal(["user_id,time,event,p1,product,p2,p3"] + lines)
    #expect(Self.path("price", found) == "p3" && Self.path("variant", found) == "p1", "\(found.fields)")
    #expect(found.yaml.contains("currency: {path: p3, like: {\"*¥*\": JPY}}"), "\(found.yaml)")
  }

  /// `E401` has the amounts of first payments and comes once for each user with a renewal, so it is the first payment. The
  /// renewals behind trials are none, and 7 days stay 7.
  @Test func anUnknownPaymentIsTheFirst() throws {
    let lines = (1...12).flatMap { user in
      [
        "u\(user),2026-01-\(Self.two(user))T10:00:00Z,trial_started,pro_monthly,,7",
        "u\(user),2026-01-\(Self.two(user + 7))T10:00:00Z,E401,pro_monthly,9.99,",
        "u\(user),2026-02-\(Self.two(user + 7))T10:00:00Z,subscription_renewed,pro_monthly,9.99,",
      ]
    }
    let found = try Self.proposal(["user_id,time,event,product,price,trial_days"] + lines)
    #expect(Self.kind("subscription_renewed", found) == .renewal, "\(found.names)")
    #expect(Self.path("trial_days", found) == "trial_days", "\(found.warnings)")
    #expect(Self.kind("E401", found) == .conversion, "\(found.names)")
  }

  /// Three digits behind each comma are thousands: yen have no cents, and of dollars it is said.
  @Test(arguments: [("¥", 0), ("$", 1)])
  func commasOfThousands(sign: String, warnings: Int) throws {
    let lines = (1...12).map {
      "u\($0),2026-01-\(Self.two($0))T10:00:00Z,subscription_started,pro_monthly,\($0 % 2 == 0 ? "\(sign)980" : "\"\(sign)6,800\"")"
    }
    let found = try Self.proposal(["user_id,time,event,product,price"] + lines)
    #expect(found.yaml.contains("decimal: \".\""), "\(found.yaml)")
    #expect(found.warnings.count { $0.contains("if commas are decimal") } == warnings, "\(found.warnings)")
  }

  /// A table of users has their id alone; one of trials has ids of its own.
  @Test(arguments: [("users.csv", true), ("trials.csv", false)])
  func anIDOfATableOfUsersIsTheUser(name: String, isUser: Bool) throws {
    let lines = (1...12).map { user in
      "\(10_000 + user),2026-01-\(Self.two(user))T10:00:00Z,2026-01-\(Self.two(user))T10:05:00Z,"
        + "2026-01-\(Self.two(user + 7))T10:05:00Z,pro_monthly,9.99,USD"
    }
    let header = "id,paywall_seen_at,trial_started_at,first_paid_at,product,price,currency"
    let found = try ProposalTests.proposals([(name, [header] + lines)]).values.first
    #expect(Self.path("user_id", try #require(found)) == (isUser ? "id" : nil))
  }

  /// A table of users in German.
  @Test func germanColumnsAreRead() throws {
    let header =
      "Kundennummer;Paywall zuerst gesehen;Probeabo gestartet;Probeabo endet;Erste Zahlung;Tarif;Preis;Testgruppe"
    let lines = (1...12).map { user in
      let end = "\(Self.two(user + 13)).01.2026 10:05:30"
      return
        "K\(10_000 + user);\(Self.two(user)).01.2026 10:00:07;\(Self.two(user + 6)).01.2026 10:05:30;\(end);\(end);"
        + "Plus Monatsabo;9,99 €;\(user % 2)"
    }
    let found = try Self.proposal([header] + lines)
    #expect(found.missing.isEmpty && Self.path("user_id", found) == "Kundennummer", "\(found.missing) \(found.fields)")
    #expect(found.names.compactMap(\.kind) == [.paywallImpression, .trialStart, .conversion], "\(found.names)")
    #expect(Self.path("variant", found) == "Testgruppe" && Self.path("price", found) == "Preis", "\(found.fields)")
  }

  /// Names in Japanese have no spaces.
  @Test func japaneseColumnsAreRead() throws {
    let lines = (1...12).flatMap { user in
      [
        "2026/01/\(Self.two(user)) 10:00:07,u\(user),課金画面表示,設定,,,",
        "2026/01/\(Self.two(user)) 10:05:09,u\(user),無料体験開始,,pro_monthly,,7",
        "2026/01/\(Self.two(user + 7)) 10:05:09,u\(user),購入完了,,pro_monthly,980,",
        "2026/01/\(Self.two(user + 8)) 10:05:09,u\(user),解約,,pro_monthly,,",
      ]
    }
    let found = try Self.proposal(["日時,ユーザーID,イベント,表示元,商品ID,金額,体験日数"] + lines)
    #expect(found.missing.isEmpty, "\(found.missing)")
    #expect(
      Self.kind("課金画面表示", found) == .paywallImpression && Self.kind("無料体験開始", found) == .trialStart, "\(found.names)")
    #expect(Self.kind("購入完了", found) == .payment && Self.kind("解約", found) == .cancellation, "\(found.names)")
    for (field, column) in [("entry_point", "表示元"), ("price", "金額"), ("trial_days", "体験日数"), ("product_id", "商品ID")] {
      #expect(Self.path(field, found) == column, "\(found.fields)")
    }
  }

  /// The plans that these words mean.
  @Test(
    arguments: [
      ("Lumen Plus Monatsabo", .monthly), ("Jahresabo", .yearly), ("jährlich", .yearly), ("Lumen mensuel", .monthly),
      ("annuel", .yearly), ("Plano Mensal", .monthly), ("Anual", .yearly), ("suscripción semestral", .semiannual),
      ("vierteljährlich", .quarterly), ("12 mois", .yearly), ("3 meses", .quarterly), ("月額プラン", .monthly),
      ("年額プラン", .yearly),
      ("abbonamento mensile", .monthly), ("Abonament miesięczny", .monthly), ("Plan roczny", .yearly),
      ("Plan półroczny", .semiannual), ("Aylık abonelik", .monthly), ("Yıllık", .yearly), ("연간 구독", .yearly),
      ("包月会员", .monthly), ("maandelijks", .monthly),
      ("Lumen manual", nil), ("moisture pro", nil),
    ] as [(String, Plan?)])
  func plansInOtherLanguages(name: String, plan: Plan?) { #expect(ProductPlans.plan(name: name) == plan, "\(name)") }

  /// The only column of texts with few values that no field has.
  @Test func theLikeliestNameIsToldByItsValues() throws {
    let lines = (1...24).map { "u\($0 % 9),2026-01-\(Self.two($0))T10:00:00Z,E\(100 + $0 % 4),\($0)" }
    let found = try Self.proposal(["user_id,time,code,n"] + lines)
    #expect(found.missing == ["event name"] && found.likeliest("event name") == "code", "\(found.missing)")
  }
}
