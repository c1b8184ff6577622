internal import Store

extension ReportQuery {
  /// Returns a function for the part of a payment's amount that is left after tax and commission (definitions 7.1), by
  /// the number of the payment's terms. The result is in the same parts, rounded half to even if a part is divided.
  func proceedsShares() throws -> (_ amount: Int128, _ terms: Int64) -> Int128 {
    var taken: [Int64: Int128] = [:]
    // In units of 10⁻¹², a share of up to 12 decimals is a whole number; rounding the product restores it.
    func parts(_ column: String) -> String { "CAST(ROUND(\(column) * 1e12) AS INTEGER)" }
    try facts.forEachRow(
      """
      SELECT id, \(parts("COALESCE(tax_percentage, 0)")), \(parts("commission_percentage"))
      FROM terms
      WHERE tax_percentage IS NOT NULL OR commission_percentage IS NOT NULL
      """
    ) { row in
      taken[row[0]] = Int128(row[1]) + (row.optional(2).map { Int128($0) } ?? options.storeFee.parts)
    }
    let storeFee = options.storeFee.parts
    return { amount, terms in
      let kept = ExactShare.whole - (taken[terms] ?? storeFee)
      // Tax and commission may add up to more than the amount.
      let part = wideQuotient(amount, times: Int128(kept.magnitude), over: ExactShare.whole) ?? 0
      return kept < 0 ? -part : part
    }
  }
}
