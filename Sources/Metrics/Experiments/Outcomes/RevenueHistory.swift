/// What persons of one arm paid in the horizon before the exposure and in the one after it; those who are not listed paid
/// nothing in either.
struct RevenueHistory {
  /// Net revenue in units of the currency, and whether something was paid.
  struct Part: Hashable {
    var amount: Double
    var isPayer: Bool
  }

  private(set) var groups: [(before: Part, after: Part, count: Int)] = []

  mutating func add(before: Part, after: Part, count: Int) { groups.append((before, after, count)) }

  mutating func merge(_ other: RevenueHistory) { groups += other.groups }

  /// Whether anybody paid or got back anything before.
  var isEmpty: Bool { groups.allSatisfy { $0.before.amount == 0 && !$0.before.isPayer } }
}
