import EventModel
import FolderSupport
import Testing

@testable import Ingest

/// Shapes of exports in which a field, a kind or a length stands in other records or another file. Each expected value is
/// read off the lines.
@Suite struct ExportShapeTests: ProposalOfLines {
  /// Returns the time on a day from 1 January 2026, with months of 28 days.
  private static func day(_ day: Int, _ time: String = "10:00:00Z") -> String {
    let ofMonth = (day - 1) % 28 + 1
    return "2026-0\((day - 1) / 28 + 1)-\(ofMonth < 10 ? "0" : "")\(ofMonth)T\(time)"
  }

  /// Logins have a trait `plan`, which no sale has, and no name of an event: their type says what they are.
  @Test func fieldsOfSalesStandInSales() throws {
    let lines = (1...12).flatMap { user in
      let who = #""anonymousId":"a\#(user)","userId":"u\#(user)""#
      return [
        #"{"type":"identify",\#(who),"timestamp":"\#(Self.day(user))","traits":{"plan":"free"}}"#,
        #"{"type":"track",\#(who),"event":"Paywall Viewed","timestamp":"\#(Self.day(user, "10:01:00Z"))","properties":{}}"#,
        #"{"type":"track",\#(who),"event":"Subscription Started","timestamp":"\#(Self.day(user, "10:02:00Z"))","#
          + #""properties":{"product_id":"pro_monthly","revenue":9.99,"currency":"USD"}}"#,
      ]
    }
    let found = try #require(try ProposalTests.proposals([("data.ndjson", lines)])["data"])
    #expect(Self.path("product_id", found) == "properties.product_id", "\(found.fields)")
    #expect(Self.kind("Subscription Started", found) == .conversion && found.leftOut.isEmpty)
    #expect(found.yaml.contains("\nname: [event, type]"), "\(found.yaml)")
    #expect(found.names.first { $0.name == "identify" }?.count == 12 && !found.names.contains { $0.name == "track" })
  }

  @Test(arguments: [
    ("sub_trial", EventKind.trialStart), ("subscription.trial", .trialStart), ("sub_paid", .payment), ("pay", .payment),
  ])
  func aTrialOfASubscriptionIsATrial(name: String, kind: EventKind) {
    #expect(KindWords.meaning(of: name) == .kind(kind))
  }

  /// The first payments come 14 days after `E7`, which has a product and no amount, or some minutes after it.
  @Test(arguments: [(14, EventKind.trialStart), (0, nil)] as [(Int, EventKind?)])
  func paymentsTellTrials(days: Int, kind: EventKind?) throws {
    let lines = (1...20).flatMap { user in
      [
        "u\(user),\(Self.day(user % 10 + 1)),paywall_viewed,,,",
        "u\(user),\(Self.day(user % 10 + 1, "10:01:00Z")),E7,pro_monthly,,",
        user > 8
          ? nil : "u\(user),\(Self.day(user % 10 + 1 + days, "10:05:00Z")),subscription_started,pro_monthly,9.99,USD",
      ].compactMap(\.self)
    }
    let found = try Self.proposal(["user_id,ts,event,product,price,currency"] + lines)
    #expect(Self.kind("E7", found) == kind, "\(found.warnings)")
    #expect(found.yaml.contains("trial_days: {value: \"14\"}") == (kind != nil), "\(found.yaml)")
  }

  /// Columns of Yes and No say which purchases are renewals and which are refunds.
  @Test func refundsMayHaveAFlagBesideRenewals() throws {
    let lines = (1...12).flatMap { user in
      [
        "u\(user),\(Self.day(user)),Saw offer,,,,,home,\(user % 2 == 0 ? "control" : "bold")",
        "u\(user),\(Self.day(user, "10:05:00Z")),Purchase,No,No,monthly,9.99,,",
        user % 4 > 0 ? nil : "u\(user),\(Self.day(user + 1)),Purchase,No,Yes,monthly,9.99,,",
        user % 4 != 1 ? nil : "u\(user),\(Self.day(user + 28)),Purchase,Yes,No,monthly,9.99,,",
      ].compactMap(\.self)
    }
    let found = try Self.proposal(
      ["Member,Activity Date,Activity,Renewal,Refund,Package,Charged,Screen,Paywall Version"] + lines)
    #expect(
      found.yaml.contains("- {kind: refund, when: {all: [{Refund: \"Yes\"}, {not: {Renewal: \"Yes\"}}]}}"),
      "\(found.yaml)")
    #expect(found.yaml.contains("- {kind: renewal, when: {Renewal: \"Yes\"}}"), "\(found.yaml)")
    // One of the versions of the paywall is called `control`, so they are variants.
    #expect(Self.path("variant", found) == "Paywall Version" && Self.path("paywall", found) == nil)
  }

  /// Trials stand in one file and the payments that follow them, 14 days later, in another.
  @Test func paymentsOfAnotherFileTellTheLengthOfTrials() throws {
    let events = (1...9).flatMap {
      ["u\($0),\(Self.day($0)),paywall_viewed,,home", "u\($0),\(Self.day($0, "10:01:00Z")),trial_started,pro_monthly,"]
    }
    let payments = (1...6).map { "u\($0),\(Self.day($0 + 14, "10:02:00Z")),pro_monthly,9.99,USD" }
    let found = try ProposalTests.proposals([
      ("app.csv", ["user_id,ts,event,product,screen"] + events),
      ("payments.csv", ["user_id,paid_at,product,amount,currency"] + payments),
    ])
    #expect(found["app"]?.yaml.contains("trial_days: {value: \"14\"}") == true, "\(found["app"]?.warnings ?? [])")
    #expect(found["app"]?.leftOut.isEmpty == true && found["payments"]?.warnings == [])
  }

  /// Payments name other products than the trials of another file, so only their times say that they follow these. Before
  /// a trial, a payment is of an older subscription.
  @Test(arguments: [(14, true), (-3, false)])
  func paymentsFollowTrialsOfOtherProducts(days: Int, areFirst: Bool) throws {
    let trials = (1...9).map { "s\($0),u\($0),gold,\(Self.day($0 + 3)),\(Self.day($0 + 17))" }
    let payments = (1...9).map { "u\($0),\(Self.day($0 + 3 + days, "10:02:00Z")),pro_monthly,9.99,USD" }
    let found = try ProposalTests.proposals([
      ("subscriptions.csv", ["id,user_id,plan,trial_start,trial_end"] + trials),
      ("payments.csv", ["user_id,paid_at,product,amount,currency"] + payments),
    ])
    let yaml = found["payments"]?.yaml ?? ""
    #expect(yaml.contains("history: complete") == areFirst, "\(yaml)")
    let said = found["payments"]?.warnings.contains { $0.contains("the purchases of 9 users may not count") } ?? false
    #expect(said != areFirst, "\(found["payments"]?.warnings ?? [])")
  }

  /// Amounts of subscriptions whose payments stand elsewhere need no currency.
  @Test func amountsWithoutPaymentsNeedNoCurrency() throws {
    let lines = (1...9).map { "s\($0),u\($0),pro_monthly,9.99,\(Self.day($0)),\(Self.day($0 + 7)),\(Self.day($0 + 2))" }
    let found = try Self.proposal(["id,user_id,plan,amount,trial_start,trial_end,canceled_at"] + lines)
    #expect(Self.path("price", found) == nil && found.warnings.allSatisfy { !$0.contains("currency") }, "\(found.yaml)")
    #expect(found.questions.allSatisfy { if case .currency = $0 { false } else { true } })
  }

  /// Most users have no payments: the lists of some are empty.
  @Test func emptyListsAreListsOfRecords() throws {
    let lines = (1...9).map { user in
      #"{"_id":"u\#(user)","views":[{"at":"\#(Self.day(user))"}],"payments":\#(user > 2 ? "[]" : #"[{"paidAt":"\#(Self.day(user))","amount":9.99}]"#)}"#
    }
    let found = try #require(try ProposalTests.proposals([("users.ndjson", lines)])["users"])
    #expect(Set(found.lists) == ["views", "payments"], "\(found.lists)")
  }

  /// Views have the id of a device, payments that of a user, and a table both of each user.
  @Test func aTableMayJoinUsers() throws {
    let users = 1...20
    let found = try ProposalTests.proposals([
      (
        "paywall_views.csv",
        ["device_id,viewed_at,screen"]
          + users.flatMap { ["d\($0),\(Self.day($0)),home", "d\($0),\(Self.day($0 + 1)),home"] }
      ),
      ("devices.csv", ["device_id,user_id,seen_at"] + users.map { "d\($0),u\($0),\(Self.day($0))" }),
      (
        "payments.csv",
        ["user_id,paid_at,plan,amount,currency"] + users.map { "u\($0),\(Self.day($0 + 1)),monthly,9.99,USD" }
      ),
    ])
    let yaml = found["devices"]?.yaml ?? ""
    #expect(yaml.contains("\"*\": {kind: identify, fields: {previous_user_id: device_id}}"), "\(yaml)")
    #expect(
      yaml.contains("\nuser: [user_id, device_id]") && yaml.contains("\njoins: [[user_id, device_id]]"), "\(yaml)")
  }

  /// A record for each user has his id as its own; the views of another file have it several times.
  @Test func idsOfRecordsMayBeThoseOfUsers() throws {
    let users = 1...20
    let found = try ProposalTests.proposals([
      (
        "views.ndjson",
        users.flatMap { user in
          [1, 2].map { #"{"_id":"u\#(user)","at":"\#(Self.day(user + $0))","screen":"home"}"# }
        }
      ),
      (
        "users.ndjson",
        users.map {
          #"{"_id":"u\#($0)","trial":{"startedAt":"\#(Self.day($0 + 2, "10:01:00Z"))","endsAt":"\#(Self.day($0 + 9))"}}"#
        }
      ),
    ])
    let yaml = found["users"]?.yaml ?? ""
    #expect(found["users"]?.missing == [] && yaml.contains("\nuser: _id") && !yaml.contains("\nid:"), "\(yaml)")
    #expect(found["users"]?.names.map(\.kind) == [.trialStart], "\(yaml)")
  }

  /// Subscriptions say when they were created, and those of u1 to u6 when their trial ends; `variant_name` is a product's.
  @Test func subscriptionsMayBeginWithATrial() throws {
    let lines = (1...9).map { user in
      "s\(user),u\(user),Pro,\(user % 2 == 0 ? "Monthly" : "Yearly"),active,\(Self.day(user)),"
        + "\(user > 6 ? "" : Self.day(user + 7)),\(user > 2 ? "" : Self.day(user + 3))"
    }
    let header = "id,user_id,product_name,variant_name,status,created_at,trial_ends_at,cancelled_at"
    let payments = (1...9).map {
      "o\($0),u\($0),\(Self.day($0 + 9)),Pro,\($0 % 2 == 0 ? "Monthly" : "Yearly"),paid,9.99,USD"
    }
    let found = try ProposalTests.proposals([
      ("subscriptions.csv", [header] + lines),
      ("orders.csv", ["id,user_id,ordered_at,product_name,variant_name,status,total,currency"] + payments),
    ])
    let names = found["subscriptions"]?.names.map { "\($0.kind?.name ?? "") \($0.count)" } ?? []
    #expect(Set(names) == ["trial_start 6", "cancellation 2"], "\(names)")
    for proposal in found.values {
      #expect(
        Self.path("plan", proposal) == "variant_name" && Self.path("variant", proposal) == nil, "\(proposal.fields)")
    }
  }

  /// Of each user, one file has the views, one the payments, and one the trial, each with a time of its own.
  @Test func jsonFilesMayHaveTimesOfTheirOwn() throws {
    let folder = try TemporaryDirectory()
    let files = [
      ("views", (1...9).map { #"{"screen":"home","at":"\#(Self.day($0))","_id":"u\#($0)"}"# }),
      (
        "payments", (1...9).map { #"{"paidAt":"\#(Self.day($0 + 8))","plan":"monthly","amount":9.99,"_id":"u\#($0)"}"# }
      ),
      (
        "users",
        (1...9).map {
          #"{"_id":"u\#($0)","trial":{"startedAt":"\#(Self.day($0 + 1))","endsAt":"\#(Self.day($0 + 8))","product":"monthly"}}"#
        }
      ),
    ]
    let paths = try files.map { try folder.write($0.1.joined(separator: "\n") + "\n", to: "\($0.0).ndjson") }
    let groups = try Onboarding.groups(of: InputFile.discover(paths)).groups
    #expect(groups.count == 1)
    let parted = try Onboarding.parted(groups, ProposalAnswers())
    #expect(parted.map(\.files.count) == [1, 1, 1])
  }

  /// Subscriptions have the customers of the payments and the users of the views. Those who invited a user are users, too,
  /// and no other id of him.
  @Test(arguments: [("x", true), ("u", false)])
  func recordsMayJoinUsersOfOtherFiles(prefix: String, areJoined: Bool) throws {
    let users = 1...12
    let found = try ProposalTests.proposals([
      ("paywall_views.csv", ["user_id,viewed_at,screen"] + users.map { "\(prefix)\($0),\(Self.day($0)),home" }),
      (
        "subscriptions.csv",
        ["id,customer_id,other_id,trial_start,trial_end"]
          + users.map { "s\($0),u\($0),\(prefix)\($0 % 12 + (areJoined ? 0 : 1)),\(Self.day($0)),\(Self.day($0 + 7))" }
      ),
      (
        "payments.csv",
        ["customer_id,paid_at,plan,amount,currency"] + users.map { "u\($0),\(Self.day($0 + 8)),monthly,9.99,USD" }
      ),
    ])
    let yaml = found["subscriptions"]?.yaml ?? ""
    #expect(yaml.contains("joins: [[customer_id, other_id]]") == areJoined, "\(yaml)")
  }

  /// The name of each event is that of the member that has it.
  @Test func eventsMayBeKeyedByTheirName() throws {
    let lines = (1...9).flatMap { user in
      [
        #"{"paywall_view":{"user_id":"u\#(user)","ts":"\#(Self.day(user))","screen":"home"}}"#,
        #"{"trial_start":{"user_id":"u\#(user)","ts":"\#(Self.day(user, "10:05:00Z"))","plan":"monthly"}}"#,
      ]
    }
    let found = try #require(try ProposalTests.proposals([("data.ndjson", lines)])["data"])
    #expect(found.isKeyedByEvent && found.missing.contains("event name"))
  }

  /// A spreadsheet's cell may have several lines, in the header as well.
  @Test func headersMayHaveLineBreaks() throws {
    let lines = (1...12).map { "u\($0),2026-01-\($0 + 9)T10:00:00Z,paywall_viewed" }
    let found = try Self.proposal(["User,\"Event time\r\n(UTC)\",\"Event", "name\""] + lines)
    #expect(Self.path("ts", found) == "Event time (UTC)", "\(found.fields)")
    #expect(Self.path("event", found) == "Event name", "\(found.fields)")
    #expect(found.recordCount == 12)
  }
}
