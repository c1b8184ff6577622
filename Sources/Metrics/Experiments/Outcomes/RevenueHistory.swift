/// Payments of one arm's users in the horizon before the exposure and in the one after it. Users not listed paid
/// nothing in either.
struct RevenueHistory {
  /// Net revenue in units of the currency, and whether anything was paid.
  struct Part: Hashable {
    var amount: Double
    var isPayer: Bool
  }

  var groups: [(before: Part, after: Part, count: Int)] = []

  /// Whether no user paid or was refunded before the exposure.
  var isEmpty: Bool { groups.allSatisfy { $0.before.amount == 0 && !$0.before.isPayer } }
}
