import Reports
import Testing

@testable import Metrics

/// Numbers of single vendors, derived by hand from their pages; random stores are compared with
/// `Tests/Acceptance/Oracle/vendors.py`.
struct VendorMetricTests {
  /// p pays in February and March, and gets March back on the 5th; q pays for February alone. r starts a trial, and two
  /// days later the event comes again.
  private static let payments = [
    BridgeTests.line("conversion", "02-01T10:00:00", "p", BridgeTests.paid),
    BridgeTests.line("conversion", "02-01T10:00:00", "q", BridgeTests.paid),
    BridgeTests.line("renewal", "03-01T10:00:00", "p", BridgeTests.paid),
    BridgeTests.line("refund", "03-05T10:00:00", "p"), BridgeTests.line("activity", "03-20T10:00:00", "q"),
    BridgeTests.line("trial_start", "02-01T10:00:00", "r", BridgeTests.trial),
    BridgeTests.line("trial_start", "02-03T10:00:00", "r", BridgeTests.trial),
  ]

  /// Returns the numbers after each step, without the empty one of the last row.
  private func numbers(
    _ vendor: String, _ metric: String, days: Int = 30, _ options: String..., lines: [String] = Self.payments
  ) throws -> [String] {
    let question = try BridgeQuestion(
      vendor: vendor, metric: metric, number: nil, days: days, by: .none, step: nil)
    let options = try ReportOptions(arguments: options)
    let report = try TestStore(lines: lines).store.read { try Bridge.report($0, options, question) }
    return Array(try Table(csv: render(report, as: .csv)).column("after").dropLast())
  }

  /// To 2 March, three payments, of which p's second one is refunded later: 1 of 3. Of the first purchases it is 1 of 2;
  /// by its own day, the refund is no longer one of these days.
  @Test func refundsOfAdaptyAreByFirstPurchases() throws {
    let days = ("2026-02-01", "2026-03-03")
    #expect(
      try numbers("adapty", "refund_rate", "--from", days.0, "--to", days.1)
        == ["0.333333", "0.333333", "0.500000", "0.000000", "0.000000"])
    #expect(
      try numbers("app-store-connect", "refund_rate", "--from", days.0, "--to", days.1)
        == ["0.333333", "0.333333", "0.000000", "0.000000"])
    // A refund on these days of a payment before them.
    #expect(
      try numbers("app-store-connect", "refund_rate", "--from", "2026-03-05", "--to", "2026-03-10")
        == ["", "", "", ""])
  }

  /// q's subscription ends on 1 March, and p's with its refund on the 5th.
  @Test func churnIsCountedOrComparedWithRenewals() throws {
    #expect(
      try numbers("adapty", "churned_subscriptions", "--from", "2026-03-01", "--to", "2026-03-05") == ["1", "1", "1"])
    let days = ["--from", "2026-03-01", "--to", "2026-03-06"]
    #expect(try numbers("adapty", "churned_subscriptions", days[0], days[1], days[2], days[3]) == ["2", "2", "2"])
    #expect(
      try numbers("superwall", "churn_rate", days[0], days[1], days[2], days[3])
        == ["1.000000", "1.000000", "1.000000"])
    // Three paid periods end, and one of them is renewed.
    #expect(
      try numbers("app-store-connect", "churn_rate", days[0], days[1], days[2], days[3])
        == ["1.000000", "1.000000", "0.666667", "0.666667"])
  }

  /// Both events that start r's trial count.
  @Test func repeatedEventsAreTrialsOfMixpanel() throws {
    #expect(try numbers("mixpanel", "new_trials", "--from", "2026-02-01", "--to", "2026-03-01") == ["1", "2", "2"])
    #expect(try numbers("mixpanel", "new_trials", "--from", "2026-02-03", "--to", "2026-03-01") == ["0", "1", "1"])
  }

  /// Another product ends the subscription, and starts a new one: as many are active as before.
  @Test func changesOfProductAreChurnOfRevenueCat3() throws {
    let lines = [
      BridgeTests.line("conversion", "02-01T10:00:00", "c", BridgeTests.paid),
      Behaviour.line(
        "plan_change", "2026-02-15T10:00:00", "c",
        #","subscription_id":"c","product_id":"n","plan":"monthly","price":20,"currency":"USD""#),
      BridgeTests.line("activity", "03-01T10:00:00", "c"),
    ]
    let days = ["--from", "2026-02-10", "--to", "2026-02-20"]
    func after(_ vendor: String, _ metric: String) throws -> [String] {
      try numbers(vendor, metric, days[0], days[1], days[2], days[3], lines: lines)
    }
    #expect(
      try after("revenuecat-v3", "churn_rate") == ["0.000000", "0.000000", "0.000000", "1.000000", "1.000000"])
    #expect(try after("revenuecat-v3", "active_subscriptions") == ["1", "1", "1", "1", "1"])
    #expect(
      try after("revenuecat-v2", "churn_rate") == ["0.000000", "0.000000", "0.000000", "0.000000", "0.000000"])
  }

  /// Within 10 d of the first event, b alone pays, and its refund comes at their end: 10 by the four followed so long, and
  /// by all five. Without a limit a and c have 10 each, and three have paid.
  @Test func usersFirstSeenCountWithoutLimit() throws {
    let lines = BridgeTests.lines
    #expect(
      try numbers("superwall", "realized_ltv", days: 10, lines: lines) == ["2.50", "2.50", "2.00", "4.00", "4.00"])
    #expect(
      try numbers("superwall", "conversion_to_paying", days: 10, lines: lines)
        == ["0.250000", "0.250000", "0.200000", "0.600000", "0.600000"])
    #expect(
      try numbers("mixpanel", "conversion_to_paying", days: 10, lines: lines)
        == ["0.250000", "0.200000", "0.200000"])
  }

  /// A payment at 5:00 UTC on 27 February is of the day before in California.
  @Test func revenueOfTheAppStoreIsByPacificDays() throws {
    let lines = [
      BridgeTests.line("conversion", "02-27T05:00:00", "p", BridgeTests.paid),
      BridgeTests.line("activity", "03-20T10:00:00", "p"),
    ]
    #expect(
      try numbers("app-store-connect", "revenue", "--from", "2026-02-27", lines: lines) == ["10.00", "0.00", "0.00"])
  }
}
