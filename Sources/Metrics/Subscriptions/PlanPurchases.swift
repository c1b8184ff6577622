/// First purchases of one plan: the amounts paid, and how long payments by ``DueDates`` continued (definitions 7.6).
struct PlanPurchases {
  var purchases = 0
  var counts = PeriodCounts()
  /// Sum of the first payments, in parts of a micro-unit.
  private(set) var first: Int128 = 0
  /// Sum and number of later payments of the same plan and currency.
  private(set) var later: (sum: Int128, count: Int) = (0, 0)

  mutating func addFirst(_ amount: Int128) { first += amount }

  mutating func addLater(_ amount: Int128) {
    later.sum += amount
    later.count += 1
  }

  mutating func add(_ other: PlanPurchases) {
    purchases += other.purchases
    counts.add(other.counts)
    first += other.first
    later.sum += other.later.sum
    later.count += other.later.count
  }

  /// Returns the mean first payment, in micro-units.
  ///
  /// - Parameter parts: The unit of sums, as parts of a micro-unit.
  func firstAmount(parts: Int128) -> Double { Double(first) / Double(parts) / Double(purchases) }

  /// Returns the mean later payment, or the mean first payment if there is none.
  func laterAmount(parts: Int128) -> Double {
    later.count == 0 ? firstAmount(parts: parts) : Double(later.sum) / Double(parts) / Double(later.count)
  }
}
