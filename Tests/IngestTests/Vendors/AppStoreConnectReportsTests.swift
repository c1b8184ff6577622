import EventModel
import EventSupport
import Foundation
import PackingSupport
import Testing

@testable import Ingest

/// Tests that App Store Connect's reports become counts, and never events.
@Suite struct AppStoreConnectReportsTests {
  private static let header = [
    "Event Date", "Event", "App Name", "App Apple ID", "Subscription Name", "Subscription Apple ID",
    "Standard Subscription Duration", "Subscription Offer Type", "Country", "Quantity",
  ]
  private static let rows = [
    ["2026-03-01", "Start Introductory Offer", "Steps", "1", "Plus", "22", "1 Month", "Free Trial", "US", "3"],
    // This row repeats the first with another date format: they are one count.
    ["03/01/2026", "Start Introductory Offer", "Steps", "1", "Plus", "22", "1 Month", "Free Trial", "US", "2"],
    ["3/2/2026", "Renew", "Steps", "1", "Plus Week", "23", "7 Days", "", "DE", "7"],
    ["20260302", "Cancel", "Steps", "1", "Plus Year", "24", "1 Year", "", "DE", "4"],
  ]

  private static func text(_ rows: [[String]]) -> String {
    rows.map { $0.joined(separator: "\t") + "\r\n" }.joined()
  }

  private static func counts(_ reading: Reading) -> [String] {
    reading.parts.flatMap { part in
      part.counts.map { count, quantity in
        [
          count.report.rawValue, count.app, CivilDate(daysSince1970: count.day).description, count.event, count.product,
          count.productID, count.plan?.name ?? "-", count.offerType, count.country, String(quantity),
        ].joined(separator: ",")
      }
    }.sorted()
  }

  private static let expected = [
    "subscription_event,Steps,2026-03-01,Start Introductory Offer,Plus,22,monthly,Free Trial,US,5",
    "subscription_event,Steps,2026-03-02,Cancel,Plus Year,24,yearly,,DE,4",
    "subscription_event,Steps,2026-03-02,Renew,Plus Week,23,weekly,,DE,7",
  ]

  @Test func columnsAreFoundByTheirNames() throws {
    let text = Self.text([Self.header] + Self.rows)
    let turned = Self.text([Self.header.reversed()] + Self.rows.map { $0.reversed() })
    for content in [Array(text.utf8), gzipMember(Array(text.utf8)), Array(turned.utf8)] {
      let reading = try Reading(content, SourceSettings())
      #expect(Self.counts(reading) == Self.expected)
      #expect(reading.events.isEmpty && reading.rejected.isEmpty && reading.parts[0].source == "appstoreconnect")
    }
    let named = try Reading(Array(text.utf8), SourceSettings(app: "steps"))
    #expect(Self.counts(named) == Self.expected.map { $0.replacing(",Steps,", with: ",steps,") })
  }

  /// The least integer has no positive counterpart.
  @Test func aQuantityOutOfAllRangeIsQuarantined() throws {
    let quantities = ["-9223372036854775808", "9223372036854775807", "-1000000000", "1000000000", "x", "999999999"]
    let rows = quantities.map { Array(Self.rows[2].dropLast()) + [$0] }
    let reading = try Reading(Array(Self.text([Self.header] + rows).utf8), SourceSettings())
    #expect(reading.rejected.map(\.reason) == Array(repeating: "invalid:Quantity", count: 5))
    #expect(Self.counts(reading) == ["subscription_event,Steps,2026-03-02,Renew,Plus Week,23,weekly,,DE,999999999"])
  }

  @Test func subscribersAreCountedByWhatTheyPaid() throws {
    let text = Self.text([
      [
        "Event Date", "App Name", "Subscription Name", "Subscription Apple ID", "Standard Subscription Duration",
        "Subscription Offer Type", "Customer Price", "Customer Currency", "Country", "Subscriber ID", "Refund", "Units",
      ],
      ["2026-03-01", "Steps", "Plus", "22", "1 Month", "", "6.99", "EUR", "DE", "100", "", "1"],
      ["2026-03-01", "Steps", "Plus", "22", "1 Month", "", "6.99", "EUR", "DE", "101", "", "1"],
      ["2026-03-01", "Steps", "Plus", "22", "1 Month", "Free Trial", "0.00", "EUR", "DE", "102", "", "1"],
      ["2026-03-01", "Steps", "Plus", "22", "1 Month", "", "-6.99", "EUR", "DE", "103", "Yes", "-1"],
    ])
    let reading = try Reading(Array(text.utf8), SourceSettings())
    #expect(
      Self.counts(reading) == [
        "subscriber,Steps,2026-03-01,Free Trial,Plus,22,monthly,Free Trial,DE,1",
        "subscriber,Steps,2026-03-01,Payment,Plus,22,monthly,,DE,2",
        "subscriber,Steps,2026-03-01,Refund,Plus,22,monthly,,DE,1",
      ])
  }

  @Test func whatCannotBeReadGoesToQuarantine() throws {
    var rows = [Self.rows[0], Self.rows[0], Self.rows[0], Self.rows[0]]
    rows[0][0] = "2026-02-30"
    rows[1][9] = "many"
    rows[2][2] = ""
    rows[3][1] = ""
    let reading = try Reading(Array(Self.text([Self.header] + rows).utf8), SourceSettings())
    #expect(reading.reasons == ["invalid:Event Date", "invalid:Quantity", "missing:App Name", "missing:Event"])
    #expect(Self.counts(reading).isEmpty && reading.events.isEmpty)
  }
}
