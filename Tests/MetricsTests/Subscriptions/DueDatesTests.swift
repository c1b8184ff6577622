import EventModel
import Testing

@testable import Metrics

/// Definitions 6.4: `retention`, `ltv` and `value` count equal renewals.
struct DueDatesTests {
  private static func event(_ kind: String, _ ts: String, _ user: String, _ rest: String = "") -> String {
    #"{"event_id":"\#(user)-\#(kind)-\#(ts)","event":"\#(kind)","ts":"2026-\#(ts)T12:00:00Z","app":"steps","user_id":"\#(user)"\#(rest)}"#
  }

  private static func paid(
    _ kind: String, _ ts: String, _ user: String, plan: String = "monthly", until: String? = nil
  ) -> String {
    let expires = until.map { #","expires_at":"2026-\#($0)T12:00:00Z""# } ?? ""
    return event(
      kind, ts, user,
      #","subscription_id":"s-\#(user)","product_id":"\#(plan)","plan":"\#(plan)","price":10,"currency":"USD"\#(expires)"#
    )
  }

  /// Six buyers of January 1, known through April 6 with a grace of 3 days: a due date after April 3 has no chance yet.
  private static let lines: [String] = {
    var lines = ["prompt", "late", "extended", "short", "changed", "refunded"].map {
      event("paywall_impression", "01-01", $0, #","entry_point":"w""#)
    }
    lines += [
      paid("conversion", "01-01", "prompt"), paid("renewal", "02-01", "prompt"), paid("renewal", "03-01", "prompt"),
      paid("renewal", "04-01", "prompt"),
      // Two days late twice: payment 4 is due on April 5, a month after the third one.
      paid("conversion", "01-01", "late"), paid("renewal", "02-03", "late"), paid("renewal", "03-05", "late"),
      paid("renewal", "04-05", "late"),
      // Two months for one payment: due on March 1, then on April 1, which is missed.
      paid("conversion", "01-01", "extended", until: "03-01"),
      paid("renewal", "03-01", "extended"),
      // A first week: due on January 8, February 8, March 8 and April 8.
      paid("conversion", "01-01", "short", until: "01-08"), paid("renewal", "01-08", "short"),
      paid("renewal", "02-08", "short"), paid("renewal", "03-08", "short"),
      // Another plan within the paid month: payment 2 stays due on February 1, and so is payment 3, because the week
      // before it ended sooner; payment 4 is due after the week that ends on January 30, and so on February 1 too.
      paid("conversion", "01-01", "changed"), paid("plan_change", "01-16", "changed", plan: "weekly"),
      paid("renewal", "01-23", "changed", plan: "weekly"),
      // Refunded on January 5; payment 2 was due on February 1, as for all others.
      paid("conversion", "01-01", "refunded"),
      event("refund", "01-05", "refunded", #","subscription_id":"s-refunded""#),
    ]
    return lines + [event("activity", "04-06", "z")]
  }()

  /// Buyers with the chance of payments 2, 3 and 4 who made the previous one, and those who made it:
  ///
  ///     payment   prompt  late  extended  short  changed  refunded   made  missed
  ///     2         made    made  made      made   made     missed        5       1
  ///     3         made    made  missed    made   made     –             4       1
  ///     4         made    –     –         made   missed   –             2       1
  @Test func allReportsCountTheSameRenewals() throws {
    let store = try TestStore(lines: Self.lines)
    func renewals(_ body: (ReportQuery) throws -> [PeriodCounts]) throws -> [PeriodCounts] {
      var options = ReportOptions()
      options.by = []
      return try store.store.read { try body(ReportQuery($0, options, defaultBy: [])) }
    }
    let retention = try renewals { try Retention.periodSums($0, limit: 13).values.map(\.counts) }
    let ltv = try renewals { try LTV.sumsOfRows($0).values.flatMap { $0.purchases.values.map(\.counts) } }
    let value = try renewals { query in
      let rows = try ValueRows(query)
      let app = try #require(query.apps.first).id
      let apps = AppPurchases(query, rows.remainder, apps: [app])
      let ofApp = try apps.counts(of: AppPurchases.Place(app: app, plan: .monthly), own: PeriodCounts())
      #expect(
        !ofApp.areOwn && ofApp.renewals.kept.prefix(3) == [5, 4, 2] && ofApp.renewals.lost.prefix(3) == [1, 1, 1])
      return rows.rows.values.flatMap { $0.values.map(\.counts) }
    }
    #expect(retention.count == 1 && ltv.count == 1 && value.count == 1)
    for counts in retention + ltv + value {
      #expect(counts.renewals.kept.prefix(3) == [5, 4, 2])
      #expect(counts.renewals.lost.prefix(3) == [1, 1, 1])
      #expect((5...13).allSatisfy { counts.atRisk(of: $0) == 0 })
    }
  }

  /// Payments 2, 3 and 4 were due, made or not: for all; for all; for all but `late` and `extended`.
  @Test func retentionByPeriodPrintsThem() throws {
    let table = try TestStore(lines: Self.lines).table("retention", "--by-period", "--by", "none", "--at", "2,3,4")
    #expect(
      table.cells("at_risk_2 paid_2 at_risk_3 paid_3 at_risk_4 paid_4", of: "steps") == "6 5 6 4 4 2")
    // As of January 5 nothing had been due: a refund is not a missed renewal before its due date.
    let early = try TestStore(lines: Self.lines).table(
      "retention", "--by-period", "--by", "none", "--at", "2", "--as-of", "2026-01-05T13:00:00Z")
    #expect(early.cells("at_risk_2 paid_2", of: "steps") == "0 0")
  }
}
