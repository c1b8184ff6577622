import Testing

@testable import Metrics

/// Header and values of a list of columns, written out by hand from what each column says.
@Suite struct SumsColumnTests {
  private struct Sums {
    var users = 4
    var paid = 1
    /// In parts of a micro-unit.
    var gross = 8_000_000 * ReportCurrency.parts
    var ages = [3, 0]
  }

  private static let columns: [SumsColumn<Sums>] = [
    .count("users", \.users), .count("first_paid") { $0.paid > 1 ? $0.paid : nil },
    .plainShare("paid_rate", \.paid, of: \.users), .money("gross", \.gross),
    .each([7, 30]) { place, age in [.money("mean_\(age)", \.gross, per: { $0.ages[place] })] },
    .share("none_rate", \.paid, of: { _ in nil }).basis, .text("note") { _ in nil },
  ]

  @Test func headerAndValuesComeFromOneList() {
    let names = [
      "users", "first_paid", "paid_rate", "gross", "mean_7", "mean_30", "none_rate", "none_rate_low", "none_rate_high",
      "note",
    ]
    let columns = Self.columns.flatMap(\.columns)
    #expect(columns.map(\.name) == names)
    #expect(columns.filter(\.isBasis).map(\.name) == ["none_rate", "none_rate_low", "none_rate_high"])
    let rows = SumsRows(keys: ["app", "currency"], rows: [(["shop", "EUR"], Sums())])
    // 8 EUR over 3 users are 2,666,666⅔ micro-units: the odd neighbour of what is not whole.
    let values: [ReportValue] = [
      .text("shop"), .text("EUR"), .count(4), .percent(nil), .rate(0.25), .money(8_000_000, currency: "EUR"),
      .money(2_666_667, currency: "EUR"), .money(nil, currency: "EUR"), .rate(nil), .rate(nil), .rate(nil),
      .percent(nil),
    ]
    #expect(rows.values(Self.columns) == [values])
  }
}
