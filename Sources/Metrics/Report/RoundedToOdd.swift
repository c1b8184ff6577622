/// Returns the quotient if it is a whole number, or else the odd one of its two neighbours.
///
/// A report's money is in whole micro-units and is rounded again when printed. The nearest micro-unit could be a tie
/// there although the exact amount is not (4.985 000 04 would become 4.98). An odd one never is, because ties end in 0.
///
/// - Parameter denominator: Above 0.
///
/// Source: G. Melquiond, S. Boldo (2008), "Emulation of FMA and correctly rounded sums: proved algorithms using
/// rounding to odd", doi:10.1109/TC.2007.70819.
func roundedToOdd(_ numerator: Int128, dividedBy denominator: Int128) -> Int128 {
  let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
  if remainder == 0 || quotient % 2 != 0 { return quotient }
  return remainder > 0 ? quotient + 1 : quotient - 1
}
