internal import Lifecycle

/// Computes the remainder of a payment by `--mode`: all of it, less refunds, or less refunds, tax and commission (7.1).
struct PaymentRemainder {
  let money: ReportCurrency
  private let mode: ReportOptions.Mode
  private let kept: (Int128, Int64) -> Int128

  /// - Parameter mode: `nil` for that of the options.
  init(_ query: ReportQuery, mode: ReportOptions.Mode? = nil) throws {
    money = ReportCurrency(query)
    self.mode = mode ?? query.options.mode
    kept = try query.proceedsShares()
  }

  /// Returns the remainder in ``ReportCurrency/parts``.
  ///
  /// - Parameter given: The refunded amount in the price's currency, at most the price.
  func left(_ price: Int64, given: Int64, _ currency: NameID, _ terms: Int64, at ts: Int64) throws -> Int128 {
    let amount = try money.parts(
      of: mode == .gross ? price : price - given, currency, terms: Int32(terms), at: ts)
    return mode == .proceeds ? kept(amount, terms) : amount
  }
}
