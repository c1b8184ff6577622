/// The value of one unit of a currency in US dollars on a day, exactly as written.
public struct ExchangeRate: Hashable, Sendable {
  public var date: CivilDate
  /// ISO 4217 code, such as `EUR`.
  public var currency: String
  public var usdPerUnit: Decimal

  public init(date: CivilDate, currency: String, usdPerUnit: Decimal) {
    self.date = date
    self.currency = currency
    self.usdPerUnit = usdPerUnit
  }

  /// digits ÷ 10^decimals, above 0; equal numbers have equal digits and decimals.
  public struct Decimal: Hashable, Sendable {
    /// 1 to 10¹⁸ − 1, without trailing zeros if there are decimals.
    public let digits: Int64
    /// 0 to ``mostDecimals``.
    public let decimals: Int

    /// Enough for all digits of a double in the weakest currencies.
    public static let mostDecimals = 24
    public static let one = Decimal(digits: 1, decimals: 0)

    private init(digits: Int64, decimals: Int) {
      self.digits = digits
      self.decimals = decimals
    }

    /// Reads `1.0842` or, as programs write small numbers, `3.9e-05`.
    ///
    /// - Returns: `nil` for any other form, 0, more than 18 significant digits, or more than ``mostDecimals`` decimals.
    public init?(_ text: String) {
      let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
      var exponent = 0
      if parts.count == 2 {
        guard parts[1].utf8.count <= 4, let written = Int(parts[1]) else { return nil }
        exponent = written
      }
      let point = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      let isPlain = point.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { $0 &- 0x30 <= 9 } }
      guard isPlain, text.utf8.count <= 64 else { return nil }
      var decimals = (point.count == 2 ? point[1].utf8.count : 0) - exponent
      var digits = point.joined().utf8.drop { $0 == 0x30 }
      while digits.last == 0x30 {
        digits.removeLast()
        decimals -= 1
      }
      guard !digits.isEmpty, digits.count - min(decimals, 0) <= 18, decimals <= Self.mostDecimals else { return nil }
      var value: Int64 = 0
      for digit in digits { value = value * 10 + Int64(digit - 0x30) }
      for _ in stride(from: decimals, to: 0, by: 1) { value *= 10 }
      self.init(digits: value, decimals: max(decimals, 0))
    }
  }
}

extension ExchangeRate.Decimal: CustomStringConvertible {
  /// The shortest exact text, such as `0.0063`.
  public var description: String {
    let text = String(digits)
    if decimals == 0 { return text }
    let padded = String(repeating: "0", count: max(0, decimals + 1 - text.utf8.count)) + text
    return "\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
  }
}
