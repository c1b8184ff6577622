import EventModel
import Testing

struct ExchangeRateTests {
  @Test(arguments: [
    ("1.0842", 10_842, 4), ("1", 1, 0), ("1.00", 1, 0), ("0.0063", 63, 4), ("155", 155, 0), ("1500", 1_500, 0),
    ("3.9472645456698505e-05", 39_472_645_456_698_505, 21), ("2E3", 2_000, 0), ("12e-1", 12, 1), ("007.50", 75, 1),
    ("999999999999999999", 999_999_999_999_999_999, 0),
  ])
  func readsDecimalsExactly(text: String, digits: Int64, decimals: Int) throws {
    let rate = try #require(ExchangeRate.Decimal(text))
    #expect(rate.digits == digits && rate.decimals == decimals)
    #expect(ExchangeRate.Decimal(rate.description) == rate)
  }

  @Test(arguments: [
    "", "0", "0.000", "-1", "+1", ".5", "1.", "1,5", "1.2.3", "1e", "e5", "1e99", "NaN", "0x1", "１", " 1", "1.5e0.5",
    "1234567890123456789", "1e18", "1e-25", "0.1234567890123456789",
  ])
  func refusesWhatIsNoRate(text: String) { #expect(ExchangeRate.Decimal(text) == nil) }
}
