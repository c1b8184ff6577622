import EventModel
import Testing

@testable import Ingest

/// Files that change between exports, and files that must be put together first. Each expected value is read off the lines.
@Suite struct PreparationTests: ProposalOfLines {
  /// Returns a user's record: a paywall view, a trial two minutes later and payments a month apart from the 12th on.
  private static func record(_ user: Int, payments: Int) -> String {
    let paid = (1...3).filter { $0 <= payments }.map { number in
      ",\"payment\(number)_at\":\"2026-0\(number)-12T10:0\(user):00Z\",\"payment\(number)_amount\":\(number).99"
    }
    return "{\"user_id\":\"u\(user)\",\"first_paywall_at\":\"2026-01-05T10:0\(user):00Z\",\"trial_started_at\":"
      + "\"2026-01-05T10:0\(user):30Z\",\"status\":\"\(payments) paid\",\"plan\":\"monthly\"\(paid.joined())}"
  }

  /// Each of the records has a second or third payment when it is exported again. The events before it keep their ids.
  @Test func recordsThatGrowKeepTheirEvents() throws {
    let records = (1...9).map { Self.record($0, payments: $0 % 3 + 1) }
    let found = try #require(try ProposalTests.proposals([("users.ndjson", records)])["users"])
    #expect(found.names.map(\.kind) == [.paywallImpression, .trialStart, .conversion, .renewal, .renewal])
    let settings = SourceSettings(mapping: try MappingFile(yaml: found.yaml, file: "m"))
    func read(_ record: String) throws -> [String] {
      try Reading(Array(record.utf8), settings).events.map { "\($0.eventID) \($0.kind.name) \($0.ts)" }
    }
    let (first, later) = try (read(Self.record(1, payments: 1)), read(Self.record(1, payments: 3)))
    #expect(first.count == 3 && later.count == 5 && Set(first).isSubset(of: later), "\(first) \(later)")
    #expect(Set(later.map { $0.prefix { $0 != " " } }).count == 5)
    #expect(found.yaml.contains("fields: {price: payment3_amount}"), "\(found.yaml)")
  }

  /// Charges name a subscription, whose record in the other file names the user and the plan.
  @Test func filesWithoutUsersAreJoined() throws {
    let charges = (1...9).map { "ch\($0),s\($0),2026-01-1\($0)T10:00:00Z,9.99,USD" }
    let subscriptions = (1...9).map { "s\($0),u\($0),pro_monthly,2026-01-0\($0)T10:00:00Z,2026-02-0\($0)T10:00:00Z" }
    let found = try ProposalTests.proposals([
      ("charges.csv", ["charge_id,subscription,charged_at,amount,currency"] + charges),
      ("subs.csv", ["id,user_id,plan_code,trial_started_at,canceled_at"] + subscriptions),
    ])
    let query = try #require(found["charges"]?.preparation).query
    #expect(query.hasPrefix("SELECT a.*, b.plan_code, b.user_id FROM '"), "\(query)")
    #expect(query.contains("/charges.csv' a JOIN '") && query.hasSuffix("/subs.csv' b ON a.subscription = b.id"))
    #expect(found["charges"]?.preparation?.result == "charges-all.csv")
    #expect(found["subs"]?.preparation == nil)
  }

  /// Three records an event, one for each attribute; with one each, they are events.
  @Test(arguments: [3, 1])
  func attributesInRecordsOfTheirOwnArePutTogether(count: Int) throws {
    let names = ["screen", "variant", "price"].prefix(count)
    let lines = (1...9).flatMap { event in
      names.map { "e\(event),u\(event % 3),2026-01-0\(event)T10:00:00Z,paywall_viewed,\($0),\($0)\(event % 2)" }
    }
    let found = try Self.proposal(["event_id,user_id,time,event,property_name,property_value"] + lines)
    #expect((found.preparation != nil) == (count > 1))
    let query = found.preparation?.query ?? ""
    #expect(count == 1 || query.hasPrefix("PIVOT '") && query.hasSuffix("ON property_name USING first(property_value)"))
  }

  /// 5 subscriptions on 10 days, in trial until the 5th and active then.
  @Test func statesOfDaysBecomeChanges() throws {
    let lines = (10...19).flatMap { day in
      (1...5).map { "2026-01-\(day),s\($0),u\($0),\(day < 15 ? "trialing" : "active"),monthly" }
    }
    let found = try Self.proposal(["day,subscription_id,user_id,status,plan"] + lines)
    let query = try #require(found.preparation).query
    let ends = "* REPLACE (day + INTERVAL 1 DAY - INTERVAL 1 SECOND AS day)"
    let previous = "lag(status) OVER (PARTITION BY subscription_id ORDER BY day) AS previous_status"
    #expect(query.hasPrefix("SELECT \(ends), \(previous) FROM '"), "\(query)")
    let changes = "status IS DISTINCT FROM previous_status AND status IS NOT NULL AND day > min(day) OVER ()"
    #expect(query.hasSuffix("QUALIFY \(changes)"), "\(query)")
  }

  /// The products of payments are numbers, whose plans a table without users and times has. Its app is that of the payments.
  @Test func tablesOfProductsTellPlans() throws {
    let payments = (1...9).map { "p\($0),u\($0),2026-01-1\($0)T10:00:00Z,\($0 % 2 + 1),9.99,USD,lumo" }
    let views = (1...9).map { "v\($0),u\($0),2026-01-1\($0)T09:59:00Z,home" }
    let found = try ProposalTests.proposals([
      ("payments.csv", ["id,user_id,paid_at,plan_id,amount,currency,app_id"] + payments),
      ("paywall_views.csv", ["id,user_id,viewed_at,screen"] + views),
      ("plans.csv", ["id,label,interval", "1,Small,month", "2,Large,year"]),
    ]) { $0.app = nil }
    #expect(found["plans"]?.plans == ["1": "monthly", "2": "yearly"])
    let paid = try #require(found["payments"])
    let plans = "plan: {path: plan_id, values: {\"1\": monthly, \"2\": yearly, \"*\": null}}"
    #expect(paid.yaml.contains(plans), "\(paid.yaml)")
    #expect(paid.warnings.allSatisfy { !$0.contains("--plan") }, "\(paid.warnings)")
    #expect(found["paywall_views"]?.app == "lumo")
  }
}
