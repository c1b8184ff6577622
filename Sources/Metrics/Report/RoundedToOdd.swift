/// The quotient in whole numbers: itself where it is one, else of its two neighbours the odd one.
///
/// A report's money is whole micro-units and is rounded once more when it is printed. The nearest micro-unit could be a tie
/// there that the exact amount is not (4.985 000 04 would become 4.98); an odd one never is: ties end in 0.
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
