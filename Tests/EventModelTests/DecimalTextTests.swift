import Basics
import EventModel
import Foundation
import Testing

@Suite struct DecimalTextTests {
  @Test(arguments: [
    ("0", 0), ("-0", 0), ("-0.000", 0), ("19.99", 19_990_000), ("6.9900000000", 6_990_000), ("007.5", 7_500_000),
    ("0.000001", 1), ("0.0000004", 0), ("0.0000005", 0), ("0.0000015", 2), ("0.0000025", 2), ("0.00000250001", 3),
    ("0.0000006", 1), ("999999999999", 999_999_999_999_000_000), ("999999999999.999999", 999_999_999_999_999_999),
    ("0.00000000000000000000000000000001", 0), ("1.00000000000000000000000000", 1_000_000),
    ("0.50000050000000000000000000", 500_000), ("0.50000150000000000000000000", 500_002),
    ("0.50000050000000000000000001", 500_001), ("123456789012.1234565", 123_456_789_012_123_456),
    ("123456789012.1234575", 123_456_789_012_123_458),
  ])
  func pricesAreExactMicroUnitsRoundedHalfToEven(text: String, microUnits: Int64) {
    #expect(Self.microUnits(text) == microUnits)
  }

  @Test(arguments: [
    "", "-", "-1", "-0.0000001", "1000000000000", "999999999999.9999996", "1e1", "1.", ".5", "+1", " 1", "1 ", "1,5",
    "0x1",
    "1_000", "NaN", "１", "--1", "1.2.3", "99999999999999999999999999",
  ])
  func refusesPricesOutOfRangeOrShape(text: String) {
    #expect(Self.microUnits(text) == nil)
  }

  @Test(arguments: [
    ("1e1", 10_000_000), ("1.999E1", 19_990_000), ("1999e-2", 19_990_000), ("1e-6", 1), ("5e-7", 0), ("15e-7", 2),
    ("1e11", 100_000_000_000_000_000), ("0e999999999999", 0), ("1e-999999999999", 0),
    ("0.00000000000000000000001e23", 1_000_000), ("10000000000000000000000e-22", 1_000_000),
  ])
  func jsonNumbersMayHaveExponents(text: String, microUnits: Int64) {
    #expect(Self.microUnits(text, allowingExponent: true) == microUnits)
  }

  @Test(arguments: ["1e12", "1e", "1e+", "1e1.5", "1e999999999999", "-1e-9"])
  func refusesExponentsOutOfRangeOrShape(text: String) {
    #expect(Self.microUnits(text, allowingExponent: true) == nil)
  }

  /// Oracle: Foundation's `Decimal`, 38 digits, rounded with `.bankers`.
  @Test func agreesWithFoundationDecimal() throws {
    var generator = SplitMix64(seed: 5)
    for _ in 0..<5_000 {
      let whole = String((0..<Int.random(in: 1...12, using: &generator)).map { _ in digit(&generator) })
      let fraction = String((0..<Int.random(in: 1...12, using: &generator)).map { _ in digit(&generator) })
      let text = "\(whole).\(fraction)"
      var exact = try #require(Decimal(string: text)) * 1_000_000
      var rounded = Decimal()
      NSDecimalRound(&rounded, &exact, 0, .bankers)
      #expect(Self.microUnits(text).map { Decimal($0) } == rounded, "\(text)")
    }
  }

  private static func microUnits(_ text: String, allowingExponent: Bool = false) -> Int64? {
    Array(text.utf8).withUnsafeBytes { DecimalText($0, allowingExponent: allowingExponent)?.microUnits }
  }

  private func digit(_ generator: inout SplitMix64) -> Character {
    // Many fives and zeros, so that ties occur.
    "0123456789555000".randomElement(using: &generator)!
  }

  @Test(arguments: [
    ("17", 17), ("17.0", 17), ("1.7e12", 1_700_000_000_000), ("70e-1", 7), ("-3", -3), ("-0", 0), ("0.0e5", 0),
    ("999999999999999999", 999_999_999_999_999_999), ("100000000000000000000000e-20", 1_000),
  ])
  func wholeNumbersAreIntegersHoweverWritten(text: String, value: Int64) {
    #expect(integer(text) == value)
  }

  @Test(arguments: ["7.5", "1e-1", "1000000000000000000", "1e99999999999", "0.10000000000000000000001", "x", "1e"])
  func otherNumbersAreNoIntegers(text: String) {
    #expect(integer(text) == nil)
  }

  private func integer(_ text: String) -> Int64? {
    withDecimal(text) { $0.integer }
  }

  private func withDecimal<Result>(_ text: String, _ body: (DecimalText) -> Result?) -> Result? {
    var text = text
    return text.withUTF8 { DecimalText(UnsafeRawBufferPointer($0), allowingExponent: true).flatMap(body) }
  }

  @Test(arguments: [
    ("17", "17"), ("17.0", "17"), ("1e3", "1000"), ("-0", "0"), ("-17", "-17"), ("0.0", "0"), ("1200e-2", "12"),
    ("123456789012345678901234567890", "123456789012345678901234567890"), ("1e22", "10000000000000000000000"),
  ])
  func identifiersTakeTheShortestTextOfAnInteger(text: String, identifier: String) {
    #expect(withDecimal(text) { $0.integerText(limit: 200) }.map { String(decoding: $0, as: UTF8.self) } == identifier)
  }

  @Test(arguments: ["17.5", "1e200", "-1e199", "1e-1", "1e999999999999"])
  func identifiersRefuseFractionsAndWhatIsTooLong(text: String) {
    #expect(withDecimal(text) { $0.integerText(limit: 200) } == nil)
  }

  /// Oracle: the standard library's correctly rounding `Double(_: String)`.
  @Test func doublesAreTheNearestOnes() {
    var generator = SplitMix64(seed: 11)
    for _ in 0..<5_000 {
      let digits = String((0..<Int.random(in: 1...22, using: &generator)).map { _ in digit(&generator) })
      let text = "\(digits)e\(Int.random(in: -40...40, using: &generator))"
      #expect(withDecimal(text) { $0.double } == Double(text), "\(text)")
    }
    #expect(withDecimal("1e999") { $0.double } == nil)
    #expect(withDecimal("-0.0") { $0.double }?.sign == .plus)
  }
}
