import EventModel
import FolderSupport
import Foundation
import Ingest
import Metrics
import Reports
import Store
import Testing

/// The App Store's reports compared with events whose counts are in the lines below.
struct ReconciliationTests {
  private static func event(_ id: String, _ kind: String, _ at: String, _ user: String, _ rest: String) -> String {
    """
    {"event_id":"\(id)","event":"\(kind)","ts":"\(at)","app":"steps","user_id":"\(user)","store":"app_store",\
    "subscription_id":"S-\(user)",\(rest)}
    """
  }

  private static let monthly = #""product_id":"com.steps.plus","plan":"monthly""#
  private static let sale = monthly + #","price":"6.99","currency":"USD""#

  private static let lines = [
    // a: a trial on March 1 in Pacific time, which is March 2 in UTC; paid a week later, and once more.
    event("a1", "trial_start", "2026-03-02T07:00:00Z", "a", monthly + #","trial_days":7"#),
    event("a2", "conversion", "2026-03-09T07:00:00Z", "a", sale),
    event("a3", "renewal", "2026-04-09T07:00:00Z", "a", sale),
    // b: a direct purchase, refunded.
    event("b1", "conversion", "2026-03-03T12:00:00Z", "b", sale),
    event("b2", "refund", "2026-03-05T12:00:00Z", "b", monthly),
    // c: a trial that lapses on March 10.
    event("c1", "trial_start", "2026-03-03T12:00:00Z", "c", monthly + #","trial_days":7"#),
    // d: paid once, and churned at the end of the month, on April 4.
    event("d1", "conversion", "2026-03-04T12:00:00Z", "d", sale),
    // e: from another store, and not counted.
    event("e1", "conversion", "2026-03-04T12:00:00Z", "e", sale).replacing("app_store", with: "play_store"),
    event("z", "renewal", "2026-05-20T12:00:00Z", "z", sale),
  ]

  private static let report = """
    Event Date\tEvent\tApp Name\tSubscription Name\tSubscription Apple ID\tStandard Subscription Duration\tSubscription Offer Type\tCountry\tQuantity
    2026-03-01\tStart Introductory Offer\tSteps: Walk More\tPlus\t22\t1 Month\tFree Trial\tUS\t1
    03/03/2026\tStart Introductory Offer\tSteps: Walk More\tPlus\t22\t1 Month\tFree Trial\tDE\t2
    2026-03-03\tSubscribe\tSteps: Walk More\tPlus\t22\t1 Month\t\tUS\t1
    2026-03-05\tRefund\tSteps: Walk More\tPlus\t22\t1 Month\t\tUS\t1
    2026-03-09\tPaid Subscription from Introductory Offer\tSteps: Walk More\tPlus\t22\t1 Month\t\tUS\t1
    2026-03-10\tCancel\tSteps: Walk More\tPlus\t22\t1 Month\t\tUS\t1
    2026-03-20\tBilling Retry from Paid Subscription\tSteps: Walk More\tPlus\t22\t1 Month\t\tUS\t3
    2026-04-09\tRenew\tSteps: Walk More\tPlus\t22\t1 Month\t\tUS\t1

    """

  private static func withStore(_ files: [String], _ body: (Store) throws -> Void) throws {
    try withTemporaryDirectory { (folder: URL) throws -> Void in
      let store = try Store.open(path: folder.appendingPathComponent("store.db").path)
      for (place, text) in files.enumerated() {
        let file = folder.appendingPathComponent("\(place)")
        try Data(text.utf8).write(to: file)
        let summary = try Ingestion(store: store).run(InputFile.discover([file.path]))
        #expect(summary.failures.isEmpty && summary.quarantined.isEmpty)
      }
      try body(store)
    }
  }

  private static func csv(
    _ store: Store, by period: Reconciliation.Period = .month, products: [String: String] = [:]
  ) throws -> [String] {
    var options = ReportOptions()
    options.timeZone = Reconciliation.timeZone
    let report = try store.read { try Reconciliation.report($0, options, by: period, products: products) }
    return try render(report, as: .csv).split(separator: "\n").map(String.init)
  }

  /// The reports' only subscription is the store's only monthly product, and their only app its only app.
  @Test func bothSidesCountTheSame() throws {
    try Self.withStore([Self.lines.joined(separator: "\n"), Self.report]) { store in
      let start = "steps,2026-03,com.steps.plus"
      let april = "steps,2026-04,com.steps.plus"
      #expect(
        try Self.csv(store) == [
          "app,month,product,measure,reported,stored,difference,share,report",
          "\(start),trials,3,2,-1,-0.333333,subscription_event",
          "\(start),conversions,2,3,1,0.500000,subscription_event",
          "\(start),cancellations,1,1,0,0.000000,subscription_event",
          "\(start),refunds,1,1,0,0.000000,subscription_event",
          "\(start),Billing Retry from Paid Subscription,3,,,,subscription_event",
          "\(april),renewals,1,1,0,0.000000,subscription_event", "\(april),cancellations,0,1,1,,subscription_event",
        ])
      // By day, in Pacific time: a's trial is on March 1.
      let days = try Self.csv(store, by: .day)
      #expect(days.contains("steps,2026-03-01,com.steps.plus,trials,1,1,0,0.000000,subscription_event"))
      #expect(days.contains("steps,2026-03-03,com.steps.plus,trials,2,1,-1,-0.500000,subscription_event"))
      let named = try Self.csv(store, by: .none, products: ["22": "other"])
      #expect(named.contains("steps,other,trials,3,0,-3,-1.000000,subscription_event"))
      #expect(named.contains("steps,com.steps.plus,trials,0,2,2,,subscription_event"))
    }
  }

  /// Apps with different newest events have separate as-ofs.
  @Test func severalAppsAreCountedApart() throws {
    let other = Self.lines.map { $0.replacing("\"app\":\"steps\"", with: "\"app\":\"other\"") }.dropLast()
    let reports = Self.report.replacing("Steps: Walk More", with: "steps")
    try Self.withStore([(Self.lines + other).joined(separator: "\n"), reports]) { store in
      let rows = try Self.csv(store)
      #expect(rows.contains("steps,2026-03,com.steps.plus,conversions,2,3,1,0.500000,subscription_event"))
      #expect(!rows.contains { $0.hasPrefix("other") })
    }
  }

  /// A restated report replaces its days; a repeated one under another name changes nothing.
  @Test func aRestatedDayCountsOnce() throws {
    let restated = Self.report.split(separator: "\n").prefix(2).joined(separator: "\n")
      .replacing("US\t1", with: "US\t5")
    try Self.withStore([Self.lines.joined(separator: "\n"), Self.report, restated + "\n"]) { store in
      let days = try Self.csv(store, by: .day)
      #expect(days.contains("steps,2026-03-01,com.steps.plus,trials,5,1,-4,-0.800000,subscription_event"))
      #expect(days.contains("steps,2026-03-03,com.steps.plus,trials,2,1,-1,-0.500000,subscription_event"))
    }
  }

  /// The counts have no users: no report of users includes them.
  @Test func countsAreNeverMixedWithPersons() throws {
    try Self.withStore([Self.report]) { store in
      let reports = try store.read {
        [try Funnel.report($0, ReportOptions()), try Revenue.report($0, ReportOptions())]
      }
      #expect(reports.map(\.rows.count) == [0, 0])
      #expect(try Self.csv(store).count == 7)
    }
  }
}
