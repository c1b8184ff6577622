internal import EventModel

/// Returns the decimals that an amount is printed with: 2, or the currency's own number if that is more.
///
/// The yen's 0 decimals are fewer than 2 and stay 2.
public func moneyDecimals(_ currency: String) -> Int { max(2, unusualMinorUnits[currency] ?? 2) }
