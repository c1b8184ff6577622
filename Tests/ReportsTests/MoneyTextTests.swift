import Metrics
import Testing

@testable import Reports

/// Amounts derived by hand: the digit before a tie stays even.
struct MoneyTextTests {
  @Test(
    arguments: [
      (19_990_000, "USD", "19.99"), (0, "USD", "0.00"), (-3_000_000, "USD", "-3.00"),
      (5_000, "USD", "0.00"), (15_000, "USD", "0.02"), (25_000, "USD", "0.02"), (25_001, "USD", "0.03"),
      (24_999, "USD", "0.02"), (-15_000, "USD", "-0.02"), (-25_000, "USD", "-0.02"), (-25_001, "USD", "-0.03"),
      (-5_000, "USD", "0.00"), (995_000, "USD", "1.00"), (985_000, "USD", "0.98"),
      (980_000_000, "JPY", "980.00"), (1_500_500, "KWD", "1.500"), (1_501_500, "KWD", "1.502"),
      (1_500_499, "BHD", "1.500"),
      (100_050, "CLF", "0.1000"), (100_150, "UYW", "0.1002"), (100_151, "UYW", "0.1002"), (1_000_000, "XXX", "1.00"),
    ] as [(Int128, String, String)])
  func exactAmountsRoundHalfToEven(microUnits: Int128, currency: String, text: String) {
    #expect(ReportValue.money(microUnits, currency: currency).storedText == text)
    // The amount as an estimate, which is exact here.
    #expect(ReportValue.estimate(Double(microUnits), currency: currency).storedText == text)
  }

  @Test(arguments: ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"])
  func dinarsAndRialsOfAThousandPartsHaveThreeDecimals(currency: String) {
    #expect(ReportValue.money(1_234_567, currency: currency).storedText == "1.235")
  }

  @Test func sumsBeyondSixtyFourBitsStayExact() {
    let sum = Int128(Int64.max) * 1_000_000 + 5_000
    #expect(ReportValue.money(sum, currency: "USD").storedText == "9223372036854775807.00")
    #expect(ReportValue.money(Int128.max, currency: "USD").storedText == "170141183460469231731687303715884.11")
    #expect(ReportValue.money(Int128.min, currency: "USD").storedText == "-170141183460469231731687303715884.11")
  }

  @Test func anEstimateThatNoiseMovedOffATieRoundsAsTheTie() {
    // 16.5 × 0.25 = 4.125: a tie at two decimals, and 2 is even.
    for noise in [-5e-7, -1e-9, 0, 1e-9, 5e-7] {
      #expect(ReportValue.estimate(4_125_000 + noise, currency: "USD").storedText == "4.12")
      #expect(ReportValue.estimate(4_135_000 + noise, currency: "USD").storedText == "4.14")
      #expect(ReportValue.estimate(-4_135_000 + noise, currency: "USD").storedText == "-4.14")
      #expect(ReportValue.estimate(4_125_500 + noise, currency: "KWD").storedText == "4.126")
    }
    #expect(ReportValue.estimate(4_125_000.01, currency: "USD").storedText == "4.13")
    #expect(ReportValue.estimate(4_134_999.99, currency: "USD").storedText == "4.13")
    // At millions, noise is in the last binary digits.
    #expect(ReportValue.estimate((4_125_000_005_000.0).nextUp, currency: "USD").storedText == "4125000.00")
    #expect(ReportValue.estimate((4_125_000_005_000.0).nextDown, currency: "USD").storedText == "4125000.00")
  }

  @Test func amountsOfBillionsAreNotAllTies() {
    #expect(ReportValue.estimate(100_000_000_000_014_000, currency: "USD").storedText == "100000000000.01")
    #expect(ReportValue.estimate(100_000_000_000_016_000, currency: "USD").storedText == "100000000000.02")
  }

  @Test func undefinedAmountsStayUndefined() {
    #expect(ReportValue.money(nil, currency: "USD").storedText == nil)
    #expect(ReportValue.estimate(nil, currency: "USD").storedText == nil)
    #expect(ReportValue.estimate(.nan, currency: "USD").storedText == nil)
  }
}
