/// An exact quotient of two amounts of money.
struct Ratio {
  private let numerator: Int128
  private let denominator: Int128

  /// - Returns: `nil` if the denominator is not positive.
  init?(_ numerator: Int128, _ denominator: Int128) {
    guard denominator > 0 else { return nil }
    var (a, b) = (numerator.magnitude, denominator.magnitude)
    while b != 0 { (a, b) = (b, a % b) }
    let divisor = max(1, Int128(a))
    self.numerator = numerator / divisor
    self.denominator = denominator / divisor
  }

  /// The nearest double, correctly rounded while both reduced terms are below 2⁵³ (9 billion units of money).
  var double: Double { Double(numerator) / Double(denominator) }

  /// 100 times the quotient, rounded down, for a quotient of at least 0.
  var wholePercent: Int { Int(100 * numerator / denominator) }
}
