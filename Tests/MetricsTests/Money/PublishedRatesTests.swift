import Basics
import EventModel
import Testing

@testable import Metrics

/// Tests the layouts of rates that others publish. Quotients to 12 digits are Python's `decimal` with a precision of 12,
/// half to even.
@Suite struct PublishedRatesTests {
  private func rates(_ text: String) throws -> [String] {
    try RateFile.rates(text, name: "r").map { "\($0.date) \($0.currency) \($0.usdPerUnit)" }
  }

  /// Units for a euro: a yen is 1.0878 ÷ 163.68 dollars, a pound 1.0878 ÷ 0.8453.
  @Test func theCentralBanksHistoryIsOfOneEuro() throws {
    let text = "Date,USD,JPY,GBP,ISK,\n2026-04-23,1.0878,163.68,0.84530,N/A,\n2026-04-22,1.1,160,,N/A,\n"
    #expect(
      try rates(text) == [
        "2026-04-23 EUR 1.0878", "2026-04-23 JPY 0.00664589442815", "2026-04-23 GBP 1.28688039749",
        "2026-04-22 EUR 1.1", "2026-04-22 JPY 0.006875",
      ])
    // Without the comma at the end, too.
    #expect(try rates("Date,USD\n2026-04-23,1.0878\n") == ["2026-04-23 EUR 1.0878"])
  }

  @Test func openExchangeRatesAreOfTheirBase() throws {
    let day = #"{"timestamp": 1770073200, "base": "USD", "rates": {"EUR": 0.92, "JPY": 149.5, "USD": 1}}"#
    #expect(try rates(day) == ["2026-02-02 EUR 1.08695652174", "2026-02-02 JPY 0.0066889632107"])
    let euro = #"{"base": "EUR", "rates": {"2026-02-02": {"USD": 1.1, "JPY": 160}}}"#
    #expect(try rates(euro) == ["2026-02-02 JPY 0.006875", "2026-02-02 EUR 1.1"])
  }

  @Test(arguments: [
    "Date,USD,JPY\n2026-04-23,N/A,163.68\n", "Date,USD,JPY\nyesterday,1.1,163.68\n",
    "Date,USD,JPY\n2026-04-23,1.1,-1\n",
    "Date,USD\n2026-04-23,1.1\n2026-04-23,1.2\n", #"{"base": "EUR", "rates": {"2026-02-02": {"JPY": 160}}}"#,
    #"{"base": "USD", "rates": {"2026-02-02": {"JPY": "much"}}}"#, #"{"rates": 1}"#,
  ])
  func faultsRefuseTheWholeFile(text: String) {
    #expect(throws: ImportFaults.self) { try RateFile.rates(text, name: "r") }
  }
}
