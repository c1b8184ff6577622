/// Returns the decimals that an amount is printed with: 2, or the currency's own number if that is more.
///
/// Source: ISO 4217, list one; the yen's 0 decimals are fewer than 2 and stay 2.
public func moneyDecimals(_ currency: String) -> Int {
  switch currency {
  case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND": 3
  case "CLF", "UYW": 4
  default: 2
  }
}
