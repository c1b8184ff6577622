import Metrics

/// `value` × 10^`decimals`, rounded to an integer as C's `printf` rounds: from the exact binary value, ties to even.
///
/// `value * 1e6` would be rounded once before: 0.0000005 lies below the tie, its product with 1e6 is 0.5.
///
/// - Parameter decimals: In `0...6`.
/// - Returns: `nil` for infinities, NaN and magnitudes from 2^100.
func scaledHalfToEven(_ value: Double, decimals: Int) -> Int128? {
  guard value.magnitude < 0x1p100 else { return nil }
  // Below every tie, and so small that the shift under this would leave 128 bits.
  guard value.magnitude > 0x1p-60 else { return 0 }
  let significand = UInt128(value.significandBitPattern | 1 << 52) * UInt128(powerOfTen(decimals))
  let shift = Int(value.exponent) - 52
  let magnitude: UInt128
  if shift >= 0 {
    magnitude = significand << UInt128(shift)
  } else {
    let down = UInt128(-shift)
    let half: UInt128 = 1 << (down - 1)
    let quotient = significand >> down
    let remainder = significand & (half << 1 - 1)
    let isUp = remainder > half || remainder == half && quotient & 1 == 1
    magnitude = isUp ? quotient + 1 : quotient
  }
  return value < 0 ? -Int128(magnitude) : Int128(magnitude)
}

/// An integer count of 10^−`decimals` in digits: `-1234` with 2 decimals is `-12.34`.
///
/// - Parameter isGrouped: Whether commas separate the thousands.
func fixedPointText(_ scaled: Int128, decimals: Int, isGrouped: Bool = false) -> String {
  let digits = Array(String(scaled.magnitude).utf8)
  let padded = Array(repeating: UInt8(ascii: "0"), count: max(0, decimals + 1 - digits.count)) + digits
  let whole = padded.count - decimals
  var text: [UInt8] = scaled < 0 ? [UInt8(ascii: "-")] : []
  for (place, digit) in padded.enumerated() {
    if place == whole {
      text.append(UInt8(ascii: "."))
    } else if isGrouped, place > 0, place < whole, (whole - place) % 3 == 0 {
      text.append(UInt8(ascii: ","))
    }
    text.append(digit)
  }
  return String(decoding: text, as: UTF8.self)
}

/// As C's `printf` writes `%.6f`, a small negative's `-0.000000` included; negative zero, which no exact value is
/// nearest to, has no sign.
///
/// - Returns: `nil` for infinities and NaN; from 2^100, which no report reaches, Swift's shortest digits.
func sixDecimalText(_ value: Double) -> String? {
  guard value.isFinite else { return nil }
  guard let scaled = scaledHalfToEven(value, decimals: 6) else { return "\(value)" }
  let text = fixedPointText(scaled, decimals: 6)
  return scaled == 0 && value < 0 ? "-\(text)" : text
}
