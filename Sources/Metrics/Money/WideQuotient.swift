/// Returns a · b ÷ c, rounded half to even, however large the product is.
///
/// - Parameters:
///   - a: Of either sign.
///   - b: Not negative.
///   - c: Above 0.
/// - Returns: `nil` if the magnitude would reach 2¹²⁷.
func wideQuotient(_ a: Int128, times b: Int128, over c: Int128) -> Int128? {
  let divisor = UInt128(c)
  let product = a.magnitude.multipliedFullWidth(by: UInt128(b))
  guard product.high < divisor else { return nil }
  var (quotient, remainder) = divisor.dividingFullWidth(product)
  let rest = divisor - remainder
  if remainder > rest || (remainder == rest && quotient & 1 == 1) { quotient += 1 }
  guard quotient < UInt128(1) << 127 else { return nil }
  return a < 0 ? -Int128(quotient) : Int128(quotient)
}

/// Returns ten to a power of 0–37.
func powerOfTen128(_ power: Int) -> Int128 { (0..<power).reduce(1) { value, _ in value * 10 } }
