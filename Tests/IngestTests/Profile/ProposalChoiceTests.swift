import EventModel
import Testing

@testable import Ingest

/// Choices between columns and readings of which one alone makes sense to a human who sees the table. Each expected column,
/// kind and warning is read off the lines of the table.
@Suite struct ProposalChoiceTests: ProposalOfLines {
  /// A time on a day of January 2026, at an hour.
  private static func time(_ day: Int, _ hour: Int = 10) -> String {
    "2026-01-\(day < 10 ? "0" : "")\(day)T\(hour):00:00Z"
  }

  /// Trials of users 1 to 12 that are paid 7 days later, with a cell for each column behind the event's name.
  private static func trials(_ trial: String, _ paid: String, name: String = "subscription_started") -> [String] {
    (1...12).flatMap { user in
      ["u\(user),\(time(user)),trial_started,\(trial)", "u\(user),\(time(user + 7)),\(name),\(paid)"]
    }
  }

  /// `trial_converted` has no prices and all of `subscription_started` have one.
  @Test func aNameNeedsItsFieldsForItself() throws {
    let lines =
      Self.trials("pro_monthly,,,7", "pro_monthly,,,", name: "trial_converted")
      + (1...12).map { "d\($0),\(Self.time($0)),subscription_started,pro_monthly,9.99,USD," }
    let found = try Self.proposal(["user_id,ts,event,product,price,currency,trial_days"] + lines)
    #expect(Self.kind("subscription_started", found) == .conversion, "\(found.names)")
    #expect(Self.kind("trial_converted", found) == nil)
    #expect(found.warnings.contains { $0.hasPrefix("trial_converted (12 records): left out") }, "\(found.warnings)")
  }

  /// Three users get back after three days what they paid; where nothing was paid before, nothing is known.
  /// A reversal that is cancelled is none.
  @Test(arguments: [(1, "purchase_reversed"), (20, "purchase_reversed"), (1, "canceled_reversal")])
  func reversedPaymentsMayBeRefunds(firstUser: Int, name: String) throws {
    let lines =
      (1...12).map { "u\($0),\(Self.time($0)),subscription_started,pro_monthly,9.99,USD" }
      + (0..<3).map { "u\(firstUser + $0),\(Self.time(firstUser + $0 + 3)),\(name),pro_monthly,9.99,USD" }
    let found = try Self.proposal(["user_id,ts,event,product,price,currency"] + lines)
    #expect(Self.kind(name, found) == nil)
    let isSaid = found.warnings.contains {
      $0.hasPrefix("\(name) (3 records): left out") && $0.contains("--event '\(name)=refund'")
    }
    #expect(isSaid == (firstUser == 1 && name == "purchase_reversed"), "\(found.warnings)")
  }

  /// Words for what failed, in German; a word that nobody knows is said, and a state of a subscription is none.
  @Test(arguments: [
    (["erfolgreich", "fehlgeschlagen"], "when: {status: fehlgeschlagen}", ""),
    (["OK", "DO_NOT_HONOR"], "", "DO_NOT_HONOR"),
    (["new", "returning"], "", ""),
  ])
  func statesOfPayments(states: [String], rule: String, said: String) throws {
    let lines = (1...12).map {
      "u\($0),\(Self.time($0)),subscription_started,pro_monthly,9.99,USD,\(states[$0 % 4 == 0 ? 1 : 0])"
    }
    let found = try Self.proposal(["user_id,ts,event,product,price,currency,status"] + lines)
    if rule.isEmpty {
      #expect(!found.yaml.contains("{not:"), "\(found.yaml)")
    } else {
      #expect(found.yaml.contains("{not: {status: fehlgeschlagen}}"), "\(found.yaml)")
    }
    let warnings = found.warnings.filter { $0.hasPrefix("status: ") }
    #expect(
      said.isEmpty
        ? warnings.isEmpty
        : warnings == [
          "status: \(said) of 3 records is not known and counts as paid; if it is not, add a `when` in the mapping"
        ], "\(warnings)")
  }

  /// Flags of people of the company are tests; one that is not known well enough is said.
  @Test func employeesAreTests() throws {
    let lines = (1...12).map { "u\($0),\(Self.time($0)),paywall_viewed,\($0 % 4 == 0)" }
    let found = try Self.proposal(["user_id,ts,event,is_internal_user"] + lines)
    #expect(Self.path("environment", found) == "is_internal_user", "\(found.fields)")
    let other = try Self.proposal(["user_id,ts,event,flagged_as_fraud"] + lines)
    #expect(
      other.warnings.contains { $0.hasPrefix("flagged_as_fraud: 3 records with true count") }, "\(other.warnings)")
  }

  /// `price` is on the list, and `revenue` is what was paid: nothing when a user began.
  @Test func whatWasPaidTellsTrials() throws {
    let lines = (1...12).flatMap { user in
      [
        "u\(user),\(Self.time(user)),purchase,pro_monthly,9.99,0,USD",
        "u\(user),\(Self.time(user + 7)),purchase,pro_monthly,9.99,9.99,USD",
      ]
    }
    let found = try Self.proposal(["user_id,ts,event,product,price,revenue,currency"] + lines)
    #expect(Self.path("price", found) == "revenue", "\(found.fields)")
    #expect(found.yaml.contains("kind: trial_start, when: {revenue: \"0\"}"), "\(found.yaml)")
    #expect(found.warnings.contains { $0.hasPrefix("revenue is read as what users paid, because it is 0 in 12") })
  }

  /// 168 hours or 1 week, and payment after 7 days. 5 days may be, as payment may come 3 days late.
  @Test(arguments: [("168", false), ("1", false), ("7", true), ("5", true)])
  func lengthsOfTrialsAgreeWithPayments(length: String, isRead: Bool) throws {
    let lines = Self.trials("pro_monthly,,,\(length)", "pro_monthly,9.99,USD,")
    let found = try Self.proposal(["user_id,ts,event,product,price,currency,trial_length"] + lines)
    #expect((Self.path("trial_days", found) == "trial_length") == isRead, "\(found.fields)")
    #expect(found.yaml.contains("trial_days: {value: \"7\"}") == !isRead, "\(found.yaml)")
    #expect(found.warnings.contains { $0.hasPrefix("trial_length is not read as days") } == !isRead)
  }

  /// A user has one group, and a product's variant differs from record to record.
  @Test func variantsAreThoseOfUsers() throws {
    let lines = (1...240).map {
      "u\($0 % 24),\(Self.time($0 % 28 + 1, $0 % 14 + 10)),paywall_viewed,\($0 % 5 < 2 ? "lite" : "full"),\($0 % 2 == 0 ? "x" : "y")"
    }
    let found = try Self.proposal(["user_id,ts,event,variant,ab_group"] + lines)
    #expect(Self.path("variant", found) == "ab_group", "\(found.fields)")
    #expect(found.warnings.contains { $0.hasPrefix("ab_group is read as the variants") }, "\(found.warnings)")
  }

  /// Accounts of 4 members each.
  @Test func membersOfAccountsAreUsers() throws {
    let lines = (0..<72).map { "a\($0 % 24 / 4),m\($0 % 24),\(Self.time($0 % 28 + 1)),paywall_viewed" }
    let found = try Self.proposal(["account_id,member_uuid,ts,event"] + lines)
    #expect(Self.path("user_id", found) == "member_uuid", "\(found.fields)")
    #expect(found.warnings.contains { $0.contains("`--set user_id=account_id` counts these") }, "\(found.warnings)")
  }

  /// The views have the values of `passthrough`, and none of `customer_email`.
  @Test func usersAreThoseOfTheOtherFiles() throws {
    let views = (1...12).map { "u\($0 % 9),\(Self.time($0)),paywall_viewed,settings" }
    let orders = (1...12).map { "o\($0),u\($0 % 9)@example.com,u\($0 % 9),\(Self.time($0, 12)),pro_monthly,9.99,USD" }
    let found = try ProposalTests.proposals([
      ("views.csv", ["user_id,ts,event,source"] + views),
      ("paddle-orders.csv", ["order_id,customer_email,passthrough,event_time,product,sale_gross,currency"] + orders),
    ])
    let proposal = try #require(found["paddle-orders"])
    #expect(Self.path("user_id", proposal) == "passthrough", "\(proposal.fields)")
    #expect(proposal.names.map(\.kind) == [.payment], "\(proposal.names)")
    #expect(Self.path("user_id", try #require(found["views"])) == "user_id")
  }

  /// A data frame with empty cells has numbers with a fraction.
  @Test func idsHaveNoFraction() throws {
    let lines = (1...24).map { "\(100_000 + $0 % 9).0,\(Self.time($0)),paywall_viewed" }
    let found = try Self.proposal(["user_id,ts,event"] + lines)
    #expect(found.yaml.contains("user: {path: user_id, split: \".\", at: 0}"), "\(found.yaml)")
  }

  /// An event is named by its outcome; a trial ends with its period, and its product and amount make `active` a
  /// payment.
  @Test func changesOfStatesAreEvents() throws {
    let lines = (1...12).flatMap { user in
      [
        "s\(user),u\(user),none,trialing,\(Self.time(user)),pro_monthly,\(Self.time(user + 7)),,",
        "s\(user),u\(user),trialing,active,\(Self.time(user + 7)),pro_monthly,2026-02-28T10:00:00Z,9.99,USD",
      ]
    }
    let head = "subscription_id,user_id,old_status,new_status,changed_at,product_id,period_end,price,currency"
    let found = try Self.proposal([head] + lines)
    #expect(Self.path("event", found) == "new_status", "\(found.fields)")
    #expect(Self.kind("trialing", found) == .trialStart && Self.kind("active", found) == .conversion, "\(found.names)")
    #expect(found.yaml.contains("fields: {trial_ends_at: period_end}"), "\(found.yaml)")
  }

  /// Subscriptions become active when their trial ends; an account that is activated at once is no payment.
  @Test(arguments: [(7, EventKind.conversion), (0, nil)] as [(Int, EventKind?)])
  func activationBehindTrialsIsPayment(days: Int, kind: EventKind?) throws {
    let lines = (1...12).map {
      "s\($0),u\($0),pro-monthly,9.99,USD,\(Self.time($0)),\(Self.time($0 + 7)),\(Self.time($0 + days)),\(Self.time($0 + 8))"
    }
    let head =
      "Subscription Id,Customer Id,Plan Id,Plan Amount,Currency,Trial Start,Trial End,Activated At,Cancelled At"
    let found = try Self.proposal([head] + lines)
    #expect(found.names.first { $0.name == "Activated At" }?.kind == kind, "\(found.names)")
  }

  /// A flag of a new screen is true of views, too; one of renewals is true of payments alone.
  @Test func flagsOfPaymentsAreTrueOfPaymentsAlone() throws {
    let lines = (1...12).flatMap { user in
      [
        "u\(user),\(Self.time(user)),paywall_viewed,,,,\(user % 2),",
        "u\(user),\(Self.time(user, 12)),purchase,pro_monthly,9.99,USD,\(user % 2),\(user % 3 == 0 ? 1 : 0)",
      ]
    }
    let found = try Self.proposal(["user_id,ts,event,product,price,currency,show_new,renewed"] + lines)
    // A payment that failed may be a renewal, too.
    let failed = "u1,2026-01-25T10:00:00Z,purchase,pro_monthly,9.99,USD,0,1,failed"
    let states = lines.map { $0 + ($0.contains("purchase") ? ",paid" : ",") } + [String](repeating: failed, count: 4)
    let others = try Self.proposal(["user_id,ts,event,product,price,currency,show_new,renewed,status"] + states)
    #expect(others.yaml.contains("kind: renewal, when:"), "\(others.yaml)")
    #expect(!found.yaml.contains("when: {show_new"), "\(found.yaml)")
    #expect(found.yaml.contains("{kind: renewal, when: {renewed: \"1\"}}"), "\(found.yaml)")
  }

  /// Each order is a payment; its flags say which, and are no events of their own.
  @Test func flagsOfOrdersSayWhichTheyAre() throws {
    let lines = (1...12).flatMap { user in
      [
        "o\(user),\(Self.time(user)),c\(user),Pro (Monthly),Yes,No,\(Self.time(user + 7)),0.00",
        "p\(user),\(Self.time(user + 7)),c\(user),Pro (Monthly),No,No,2026-02-28T10:00:00Z,9.99",
        "r\(user),2026-02-28T10:00:00Z,c\(user),Pro (Monthly),No,Yes,2026-03-28T10:00:00Z,9.99",
      ]
    }
    let found = try ProposalTests.proposals([
      ("Orders.csv", ["Order #,Order Date,Customer ID,Item,Trial?,Renewal?,Paid Through,Order Total"] + lines)
    ])
    let yaml = try #require(found["Orders"]).yaml
    #expect(
      yaml.contains("kind: trial_start, when:") && yaml.contains("kind: renewal, when: {\"Renewal?\": \"Yes\"}"),
      "\(yaml)")
    #expect(yaml.contains("trial_ends_at: \"Paid Through\""), "\(yaml)")
  }

  /// The plan stands in a column of another name, which is no variant of an experiment.
  @Test func aColumnOfPlansIsThePlan() throws {
    let lines = (1...12).map {
      "o\($0),\(Self.time($0)),c\($0 % 8)@example.com,Lumen,\($0 % 2 == 0 ? "Monthly" : "Yearly"),USD,9.99"
    }
    let found = try ProposalTests.proposals([
      ("orders.csv", ["Identifier,Date,User Email,Product Name,Variant Name,Currency,Total"] + lines)
    ])
    let proposal = try #require(found["orders"])
    #expect(
      Self.path("plan", proposal) == "Variant Name" && Self.path("variant", proposal) == nil, "\(proposal.fields)")
  }

  /// The page of prices is the paywall, which is said.
  @Test func pagesOfPricesArePaywalls() throws {
    let lines = (1...12).map { "u\($0 % 5),\(Self.time($0)),page_view,\($0 % 3 == 0 ? "/pricing" : "/blog/\($0)")" }
    let found = try Self.proposal(["user_id,ts,event,page_path", "u1,2026-01-01T09:00:00Z,app_open,"] + lines)
    #expect(found.yaml.contains("{not: {page_path: \"/pricing\"}}"), "\(found.yaml)")
    #expect(found.warnings.contains { $0.contains("4 records with page_path /pricing are read as paywall views") })
  }

  /// Flags of what came of a view have no time.
  @Test func outcomesWithoutTimesAreSaid() throws {
    let lines = (1...24).map {
      "u\($0),\(Self.time($0)),settings,\($0 % 2 == 0 ? "a" : "b"),\($0 % 3 == 0),\($0 % 4 == 0)"
    }
    let found = try ProposalTests.proposals([
      ("paywall_views.csv", ["user_id,shown_at,placement,variant,started_trial,converted"] + lines)
    ])
    let warnings = try #require(found["paywall_views"]).warnings
    #expect(warnings.contains { $0.hasPrefix("started_trial, converted are not used") }, "\(warnings)")
  }

  /// A purchase that the client tells at the start of each trial, and a charge a week later.
  @Test func paymentsAtTheStartOfTrialsAreSaid() throws {
    let lines = (1...12).flatMap { user in
      [
        "u\(user),\(Self.time(user)),trial_started,pro_monthly,,,7",
        "u\(user),\(Self.time(user)),subscription_started,pro_monthly,9.99,USD,",
        "u\(user),\(Self.time(user + 7)),subscription_renewed,pro_monthly,9.99,USD,",
      ]
    }
    let found = try Self.proposal(["user_id,ts,event,product,price,currency,trial_days"] + lines)
    #expect(
      found.warnings.contains { $0.hasPrefix("subscription_started: 12 of 12 trials have it within 10 minutes") },
      "\(found.warnings)")
    let apart = try Self.proposal(
      ["user_id,ts,event,product,price,currency,trial_days"]
        + Self.trials("pro_monthly,,,7", "pro_monthly,9.99,USD,"))
    #expect(apart.warnings.allSatisfy { !$0.contains("within 10 minutes") }, "\(apart.warnings)")
  }
}
