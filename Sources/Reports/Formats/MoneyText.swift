internal import EventModel
internal import Metrics

/// Decimals that people read an amount with: the currency's own number.
func readableMoneyDecimals(_ currency: String) -> Int { unusualMinorUnits[currency] ?? 2 }

/// An exact amount in its currency's smallest printed parts, half to even.
func printedUnits(microUnits: Int128, decimals: Int) -> Int128 {
  wideQuotient(microUnits, times: 1, over: powerOfTen(6 - decimals)) ?? 0
}

/// An estimated amount in its currency's smallest printed parts, half to even.
///
/// Arithmetic in `Double` may have moved the exact amount: 4.125 may have become 4.1249999999999996. An amount within
/// 10⁻⁶ micro-units of a tie, or within 10⁻¹³ of itself if that is more, counts as the tie.
///
/// - Returns: `nil` for infinities, NaN and magnitudes from 2^100 micro-units.
func printedUnits(estimate: Double, decimals: Int) -> Int128? {
  let magnitude = estimate.magnitude
  guard magnitude < 0x1p100 else { return nil }
  let step = powerOfTen(6 - decimals)
  let whole = magnitude.rounded(.down)
  let (quotient, remainder) = Int128(whole).quotientAndRemainder(dividingBy: step)
  let pastTie = Double(remainder) + (magnitude - whole) - Double(step) / 2
  // The bound keeps amounts of billions, whose noise exceeds a step, from being ties all.
  let noise = min(max(1e-6, magnitude * 1e-13), Double(step) / 1_000)
  let isUp = pastTie.magnitude <= noise ? quotient & 1 == 1 : pastTie > 0
  let units = isUp ? quotient + 1 : quotient
  return estimate < 0 ? -units : units
}
