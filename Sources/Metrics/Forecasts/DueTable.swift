internal import EventModel
internal import Lifecycle
internal import Store

/// The renewals that come due within each horizon, if nobody leaves.
struct DueTable {
  /// The horizons in days.
  static let horizons = [30, 90, 180, 365]

  /// By payments made so far, then by horizon: the weight of the purchases whose first, second, … renewal after now
  /// comes due. It is exact, so that the order of purchases does not matter.
  private(set) var reach: [Int: [[Int128]]] = [:]

  /// - Parameters:
  ///   - payments: Payments made so far, from 1.
  ///   - dues: The renewals due within each horizon; they ascend.
  ///   - weight: A number of purchases, or money in ``ReportCurrency/parts``.
  mutating func add(payments: Int, dues: [Int], weight: Int128) {
    Self.add(weight, dues, to: &reach[payments, default: Self.horizons.map { _ in [] }])
  }

  private static func add(_ weight: Int128, _ dues: [Int], to rows: inout [[Int128]]) {
    for (place, count) in dues.enumerated() {
      for renewal in 0..<count {
        if renewal == rows[place].count { rows[place].append(0) }
        rows[place][renewal] += weight
      }
    }
  }

  /// Returns the number of the last renewal of any purchase within a horizon, counted from its first one; 0 for none.
  ///
  /// - Parameter place: Of a horizon.
  func lastRenewal(at place: Int) -> Int {
    reach.map { $1[place].isEmpty ? 0 : $0 - 1 + $1[place].count }.max() ?? 0
  }

  /// Returns the most renewals of any purchase within a horizon.
  func mostRenewals(at place: Int) -> Int { reach.values.map { $0[place].count }.max() ?? 0 }

  /// Returns the weight that renews, once for each renewal, by horizon.
  ///
  /// - Parameter chance: The share that makes renewal 1, 2, …, of those that made the one before.
  func renewing(_ chance: (Int) -> Double) -> [Double] { reached { payments, _ in chance(payments) }.map(\.renewing) }

  /// The weight of renewals that come due, and of those that are made.
  struct Reached {
    var reaching = 0.0
    var renewing = 0.0
  }

  /// Returns the weight of the renewals that come due and of those that are made, by horizon.
  ///
  /// - Parameter chance: The share that makes renewal 1, 2, …, of those that made the one before, and whether it is the first
  ///   renewal after now.
  func reached(_ chance: (_ renewal: Int, _ isFirst: Bool) -> Double) -> [Reached] {
    var sums = Self.horizons.map { _ in Reached() }
    // In order, so that sums are the same each time.
    for (payments, rows) in reach.sorted(by: { $0.key < $1.key }) {
      var share = 1.0
      for renewal in 0..<(rows.last?.count ?? 0) {
        let before = share
        share *= chance(payments + renewal, renewal == 0)
        for place in sums.indices where renewal < rows[place].count {
          let weight = Double(rows[place][renewal])
          sums[place].reaching += before * weight
          sums[place].renewing += share * weight
        }
      }
    }
    return sums
  }

  /// Returns the renewals due within each horizon after an instant that the spell covers, in ms.
  static func dues(_ spell: PersonMoney.Spell, of money: borrowing PersonMoney, after origin: Int64) -> [Int] {
    var dues = horizons.map { _ in 0 }
    guard let end = horizons.last.map({ origin + Int64($0) * day }) else { return dues }
    forEachDue(spell, of: money, after: origin, before: end) { due in
      for place in horizons.indices where due < origin + Int64(horizons[place]) * day { dues[place] += 1 }
    }
    return dues
  }

  /// Calls a function with the instant of each renewal, at the lengths of the spell's last plan; with none of a lifetime.
  ///
  /// - Parameters:
  ///   - origin: An instant that the spell covers, in ms.
  ///   - end: Milliseconds.
  static func forEachDue(
    _ spell: PersonMoney.Spell, of money: borrowing PersonMoney, after origin: Int64, before end: Int64,
    _ body: (Int64) -> Void
  ) {
    guard let last = money.payments[spell.payments].last, let first = firstDue(spell, of: money, after: origin) else {
      return
    }
    var (due, lengths) = (first, 0)
    while due < end {
      body(due)
      lengths += 1
      guard let next = last.plan.end(of: lengths, from: first), next > due else { break }
      due = next
    }
  }

  /// Returns the instant of the next renewal; `nil` for a lifetime.
  static func firstDue(_ spell: PersonMoney.Spell, of money: borrowing PersonMoney, after origin: Int64) -> Int64? {
    guard let last = money.payments[spell.payments].last, last.plan != .lifetime else { return nil }
    return last.paidUntil > origin ? last.paidUntil : spell.coverEnd
  }
}
