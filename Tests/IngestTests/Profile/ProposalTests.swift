import EventModel
import FolderSupport
import Testing

@testable import Ingest

/// Proposals for small tables. Each expected column, kind and warning is read off the lines of the table.
@Suite struct ProposalTests {
  /// Returns the proposals of files that are read in one call, by the names of the files.
  static func proposals(
    _ files: [(name: String, lines: [String])], _ change: (inout ProposalAnswers) -> Void = { _ in }
  ) throws -> [String: Proposal] {
    let folder = try TemporaryDirectory()
    let paths = try files.map { try folder.write($0.lines.joined(separator: "\n") + "\n", to: $0.name) }
    var answers = ProposalAnswers()
    answers.app = "acme"
    change(&answers)
    let groups = try Onboarding.parted(Onboarding.groups(of: InputFile.discover(paths)).groups, answers)
    var found: [String: Proposal] = [:]
    for (group, answers) in zip(groups, try Onboarding.answers(for: groups, answers)) {
      let proposal = try Onboarding.proposal(of: group, answers, appName: nil)
      found[Onboarding.stem(of: group.files[0])] = proposal
    }
    return found
  }

  static func proposal(
    _ lines: [String], _ change: (inout ProposalAnswers) -> Void = { _ in }
  ) throws -> Proposal {
    let found = try proposals([("data.csv", lines)], change)
    return try #require(found["data"])
  }

  private static func path(_ field: String, _ proposal: Proposal) -> String? {
    proposal.fields.first { $0.name == field }?.path
  }

  /// 30 views at 7 and 19 seconds after a minute, and 30 payments that another system wrote without seconds, as hours or as
  /// days. Those without seconds are placed at the end of their minute, after the views.
  @Test(arguments: [
    ("2026-03-%d 10:05", ""), ("2026-03-%d 10:00", "hours without minutes"),
    ("2026-03-%d", "days without the time of day"), ("2026-03-%d 10:05:11", ""),
  ])
  func cutTimesOfPaymentsAreSaid(form: String, lack: String) throws {
    let days = 1...30
    let views = days.map { "v\($0),u\($0 % 9),2026-03-\($0) 10:05:\($0 % 2 == 0 ? "07" : "19"),a" }
    let payments = days.map { "p\($0),u\($0 % 9),\(form.replacing("%d", with: "\($0)")),pro_monthly,9.99,USD" }
    func padded(_ lines: [String]) -> [String] { lines.map { $0.replacing(#/-03-(\d)\b/#) { "-03-0\($0.1)" } } }
    let found = try Self.proposals([
      ("views.csv", ["id,user_id,viewed_at,variant"] + padded(views)),
      ("payments.csv", ["id,user_id,paid_on,product,amount,currency"] + padded(payments)),
    ])
    let warnings = try #require(found["payments"]).warnings.filter { $0.contains("other times are finer") }
    #expect(warnings.count == (lack.isEmpty ? 0 : 1), "\(warnings)")
    #expect(warnings.allSatisfy { $0.hasPrefix("paid_on has \(lack)") }, "\(warnings)")
    #expect(warnings.allSatisfy { $0.contains("`--set 'ts={path: paid_on, cut: ") }, "\(warnings)")
    let isOfMinutes = form.hasSuffix("10:05")
    #expect(try #require(found["payments"]).yaml.contains("time: {path: paid_on, cut: minute}") == isOfMinutes)
    #expect(try #require(found["payments"]).notes.contains { $0.contains("end of their minute") } == isOfMinutes)
    #expect(try #require(found["views"]).warnings.isEmpty)
    // Alone, payments need no order with views.
    let alone = try Self.proposals([
      ("payments.csv", ["id,user_id,paid_on,product,amount,currency"] + padded(payments))
    ])
    #expect(try #require(alone["payments"]).warnings.allSatisfy { !$0.contains("finer") })
  }

  /// 15.000 may be 15 or 15,000 where a currency has cents. 0.990 is no number with groups, and yen have no decimals.
  @Test(arguments: [
    (["15.000", "150.000"], "GEL", true), (["15.000", "0.990"], "USD", false), (["15.00", "150.00"], "IDR", false),
    (["1.500", "15.000"], "JPY", false), (["15.000", "150.000"], "IDR", false),
  ])
  func pointsThatMayPartThousandsAreSaid(amounts: [String], currency: String, isSaid: Bool) throws {
    let lines = amounts.enumerated().map { place, amount in
      "p\(place),u\(place),2026-03-0\(place + 1)T10:00:00Z,subscription_started,pro_monthly,\(amount),\(currency)"
    }
    let found = try Self.proposal(["id,user_id,ts,event,product_id,price,currency"] + lines)
    let option = "`--set 'price={path: price, decimal: \",\"}'`"
    #expect(
      found.warnings.contains { $0.contains("if points part thousands: \(option)") } == isSaid, "\(found.warnings)")
  }

  /// Without a product, a payment needs one; of the columns that are left, a text can be it, and a number the price.
  @Test func columnsToChooseFromAreNamed() throws {
    let lines = (1...9).map { "e\($0),u\($0),2026-03-0\($0)T10:00:00Z,subscription_started,x\($0 % 2),\($0)" }
    let found = try Self.proposal(["id,user_id,ts,event,mood,steps"] + lines)
    let warning = try #require(found.warnings.first { $0.contains("left out, because conversion needs") })
    #expect(warning.contains("`--set product_id=COLUMN` names the column (mood"), "\(warning)")
    let price = warning.contains("`--set price=COLUMN` names the column (steps)") || warning.contains("price=steps")
    #expect(price || Self.path("price", found) == "steps", "\(warning) \(found.fields)")
  }

  /// Two designs in a column that no name makes the variant: without another column they are the variants.
  @Test func testsWithoutVariantsAreVariants() throws {
    let lines = (1...20).map {
      "v\($0),u\($0),2026-03-\($0 + 9)T10:00:00Z,paywall_viewed,\($0 % 2 == 0 ? "long" : "short")"
    }
    let found = try Self.proposal(["id,user_id,ts,event,test_cell"] + lines)
    #expect(Self.path("variant", found) == "test_cell" && Self.path("experiment", found) == nil, "\(found.fields)")
    #expect(found.notes.contains { $0.contains("`--set experiment=test_cell`") }, "\(found.notes)")
    #expect(!found.namesExperiment)
    let named = try Self.proposal(["id,user_id,ts,event,test_cell"] + lines) {
      $0.values["experiment"] = "{value: spring}"
    }
    #expect(
      named.namesExperiment && named.yaml.contains("experiment: {path: test_cell, like: {\"*\": spring}}"),
      "\(named.yaml)")
  }

  /// A column of texts that all name a plan, in all payments, is the product; amounts stand where a currency does, and the
  /// number of free days does not.
  @Test func productsAndAmountsAreFoundByTheirValues() throws {
    let lines = (1...20).flatMap { user in
      [
        "u\(user);2026-03-01 10:00:\(user + 9);trial started;acme.monthly;;;7",
        "u\(user);2026-03-08 10:00:\(user + 9);trial converted;acme.monthly;9,99;EUR;",
      ]
    }
    let found = try Self.proposal(["who;when;event;paket;cena;mena;dny"] + lines)
    #expect(Self.path("product_id", found) == "paket" && Self.path("price", found) == "cena", "\(found.fields)")
    #expect(Self.path("currency", found) == "mena")
  }

  /// `new` beside `renewal`, both with a product and an amount, is the first payment; without an amount it is not known.
  @Test func newPaymentsBesideRenewalsAreFirstOnes() throws {
    func lines(_ amount: String) -> [String] {
      ["id,user_id,paid_at,type,sku,amount,currency"]
        + (1...9).flatMap { user in
          [
            "n\(user),u\(user),2026-03-0\(user)T10:00:00Z,new,pro_monthly,\(amount),USD",
            "r\(user),u\(user),2026-04-0\(user)T10:00:00Z,renewal,pro_monthly,9.99,USD",
          ]
        }
    }
    func kind(_ lines: [String]) throws -> EventKind? {
      try Self.proposal(lines).names.first { $0.name == "new" }?.kind
    }
    #expect(try kind(lines("9.99")) == .conversion)
    #expect(try kind(lines("0")) == nil)
  }

  /// A subscription with the start and the end of its trial: u1 tried it and paid, u2 paid at once, u3 only tried it.
  @Test func trialsMayBeginFromATime() throws {
    let lines = [
      "contract,customer,plan_code,trial_from,trial_to,first_charge_at,unit_price,currency",
      "s1,u1,pro_monthly,2026-03-01T10:00:00Z,2026-03-08T10:00:00Z,2026-03-08T10:00:00Z,9.99,USD",
      "s2,u2,pro_monthly,,,2026-03-02T10:00:00Z,9.99,USD",
      "s3,u3,pro_yearly,2026-03-03T10:00:00Z,2026-03-10T10:00:00Z,,59.99,USD",
    ]
    let found = try Self.proposal(lines)
    let kinds = Dictionary(found.names.map { ($0.name, $0.kind) }) { first, _ in first }
    #expect(kinds["trial_from"] == .trialStart && kinds["first_charge_at"] == .conversion, "\(found.names)")
    #expect(Self.path("trial_ends_at", found) == "trial_to", "\(found.fields)")
    // All records have a plan, which is the product.
    #expect(Self.path("product_id", found) == "plan_code", "\(found.fields)")
    #expect(found.leftOut.isEmpty, "\(found.leftOut)")
  }

  /// A time of trials that no word names is said where payments are known and trials are not.
  @Test func unusedTimesOfTrialsAreSaid() throws {
    let lines = [
      "user_id,paywall_seen_at,trial_flow_at,paid_at,product,price,currency",
      "u1,2026-03-01T10:00:00Z,2026-03-01T10:01:00Z,2026-03-08T10:01:00Z,pro_monthly,9.99,USD",
      "u2,2026-03-02T10:00:00Z,2026-03-02T10:01:00Z,,,,",
    ]
    let found = try Self.proposal(lines)
    #expect(
      found.warnings.contains { $0.hasPrefix("trial_flow_at is not used, and no column says") }, "\(found.warnings)")
  }

  /// Italian and Dutch words of columns and events.
  @Test func italianAndDutchAreRead() throws {
    let italian = try Self.proposal([
      "utente;data_ora;evento;prodotto;importo;valuta", "u1;2026-03-01 10:00:00;Paywall mostrato;;;",
      "u1;2026-03-01 10:01:00;Prova iniziata;pro_monthly;;", "u2;2026-03-02 10:00:00;Paywall mostrato;;;",
      "u1;2026-03-08 10:01:00;Abbonamento attivato;pro_monthly;9,99;EUR",
      "u1;2026-04-08 10:01:00;Abbonamento rinnovato;pro_monthly;9,99;EUR", "u2;2026-03-02 10:00:09;Paywall chiuso;;;",
    ])
    let kinds = Dictionary(italian.names.map { ($0.name, $0.kind) }) { first, _ in first }
    #expect(
      italian.missing.isEmpty && Self.path("user_id", italian) == "utente", "\(italian.missing) \(italian.fields)")
    #expect(
      kinds == [
        "Paywall mostrato": .paywallImpression, "Paywall chiuso": .paywallDismissal, "Prova iniziata": .trialStart,
        "Abbonamento attivato": .conversion, "Abbonamento rinnovato": .renewal,
      ])
    for (name, kind) in [
      ("Betaalmuur getoond", EventKind.paywallImpression), ("Proefperiode gestart", .trialStart),
      ("Abonnement verlengd", .renewal), ("Terugbetaling", .refund),
    ] {
      #expect(KindWords.meaning(of: name) == .kind(kind), "\(name)")
    }
  }

  /// Countries come again as users do, 4 sales in each of 6, whatever their column is called.
  @Test func countriesAreNoUsers() throws {
    let lines = (0..<24).map { place in
      "o\(place),2026-03-\(10 + place % 20),\(["US", "DE", "FR", "GB", "JP", "CA"][place % 6]),pro_monthly,9.99,USD"
    }
    let found = try Self.proposal(["Order Number,Charged Date,Country of Buyer,SKU ID,Item Price,Currency"] + lines)
    #expect(found.missing.contains("user"), "\(found.fields)")
  }

  /// 30 devices with two records each. Two segments have 15 devices each, and 20 sessions have a name that says nothing of
  /// users: the device tells users apart, and nothing is joined with it.
  @Test(arguments: ["user_segment", "user_type", "customer_tier", "client", "session"])
  func traitsOfUsersAreNoUsers(column: String) throws {
    let lines = (0..<60).map { row in
      let device = row / 2
      let other = column == "session" ? "s\(row / 3)" : device % 2 == 0 ? "A" : "B"
      let action = row % 2 == 0 ? "app_open" : "paywall_view"
      return "2026-03-\(10 + device % 20)T10:\(10 + device):0\(row % 2)Z,\(other),d\(device),\(action)"
    }
    let found = try Self.proposal(["event_time,\(column),device_id,action"] + lines)
    #expect(Self.path("user_id", found) == "device_id", "\(found.fields)")
    #expect(!found.yaml.contains("joins:"), "\(found.yaml)")
  }

  /// 30 devices see the paywall, and their trials have the id of the user who logged in, once each. 30 ids on six devices
  /// are not their users.
  @Test(arguments: [(30, ["device_id"], "user_id"), (6, [], "device_id")])
  func usersWhoLogInLaterAreJoinedWithTheirDevices(devices: Int, others: [String], user: String) throws {
    let lines = (0..<60).map { row in
      let (view, isTrial) = (row / 2, row % 2 == 1)
      return "2026-03-\(10 + view % 20)T10:\(10 + view):0\(row % 2)Z,d\(view % devices),"
        + (isTrial ? "u\(view),trial_start" : ",paywall_view")
    }
    let found = try Self.proposal(["event_time,device_id,user_id,action"] + lines)
    let field = try #require(found.fields.first { $0.name == "user_id" })
    #expect(field.path == user && field.others == others, "\(found.fields)")
    #expect(found.yaml.contains("joins: [[user_id, device_id]]") == !others.isEmpty, "\(found.yaml)")
  }

  /// 12 users see the paywall twice: half of them see `x` each time, the others `y`, and each sees two moods. The design may
  /// be the variant, a mood may not; a version of the paywall is likely the paywall, and not surely.
  @Test func unusedColumnsThatMayBeVariantsAreSaid() throws {
    let lines = (0..<24).map { row in
      let user = row / 2
      return "2026-03-\(10 + user)T10:0\(row % 2):00Z,u\(user),paywall_view,\(user % 2 == 0 ? "x" : "y"),m\(row % 2)"
    }
    let found = try Self.proposal(["ts,user_id,event,split,mood"] + lines)
    #expect(found.likelyVariants == ["split"], "\(found.likelyVariants)")
    let version = try Self.proposal(["ts,user_id,event,paywall_version,mood"] + lines)
    #expect(version.likelyVariants.isEmpty, "\(version.likelyVariants)")
    let paywall = try #require(version.fields.first { $0.name == "paywall" })
    #expect(paywall.path == "paywall_version" && !paywall.isSure, "\(paywall)")
    let named = try Self.proposal(["ts,user_id,event,variant,mood"] + lines)
    #expect(named.likelyVariants.isEmpty && Self.path("variant", named) == "variant", "\(named.fields)")
  }

  /// Of 26 records, 12 are `plakat`, 8 `song` and 2 `poster shown`: without views, that which says that something was seen,
  /// else the most frequent; none where a name is that of views, or if the answer is to ignore it.
  @Test(arguments: [("poster shown", "poster shown"), ("poster", "plakat"), ("paywall shown", nil)])
  func namesThatMayBeViewsAreSaid(name: String, likely: String?) throws {
    let names = Array(repeating: "plakat", count: 12) + Array(repeating: "song", count: 8) + [name, name]
    let lines = (names + Array(repeating: "trial_start", count: 4)).enumerated().map { row, name in
      "2026-03-01T10:\(10 + row):00Z,u\(row % 9),\(name)"
    }
    let found = try Self.proposal(["ts,user_id,event"] + lines)
    #expect(found.likelyView?.name == likely, "\(found.names)")
    let ignored = try Self.proposal(["ts,user_id,event"] + lines) {
      for name in ["plakat", "song", name] { $0.events.updateValue(nil, forKey: name) }
    }
    #expect(ignored.likelyView == nil, "\(ignored.names)")
  }
}
