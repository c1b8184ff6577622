internal import EventModel
internal import Lifecycle
internal import Store

/// When the payments of a spell were due, known whether they were made or not.
///
/// A payment is due a length of its plan after the one before, or at the end of that one's cover where it is later; those
/// behind the last payment follow at lengths of its plan. It had its chance once due date + grace ≤ T (definitions 6.4),
/// where the grace after the last payment ends where definitions 1.7 says.
struct DueDates {
  private let payments: ArraySlice<PersonMoney.Payment>
  private let graceEnd: Int64
  private let grace: Int64
  private let asOf: Int64

  /// - Parameter grace: Milliseconds.
  init(_ payments: ArraySlice<PersonMoney.Payment>, graceEnd: Int64, grace: Int64, asOf: Int64) {
    self.payments = payments
    self.graceEnd = graceEnd
    self.grace = grace
    self.asOf = asOf
  }

  /// The number of the last payment that had its chance, made or not; 1 where the second one had none yet.
  ///
  /// - Parameter limit: Numbers beyond it are not looked at.
  func lastChance(limit: Int) -> Int {
    var due = Int64.min
    var number = 1
    while number < limit {
      let made = min(number, payments.count)
      let last = payments[payments.startIndex + made - 1]
      guard let next = Self.due(lengths: number - made + 1, after: last) else { break }
      // Payments have their chances in order, also where a change of plan shortens the period.
      due = max(due, next)
      if due + grace > asOf || (number >= payments.count && graceEnd > asOf) { break }
      number += 1
    }
    return number
  }

  /// - Returns: `nil` for a lifetime.
  private static func due(lengths: Int, after payment: PersonMoney.Payment) -> Int64? {
    if payment.plan == .lifetime { return nil }
    func end(_ lengths: Int) -> Int64 {
      guard let months = payment.plan.months else { return payment.ts + Int64(lengths) * 7 * day }
      return Instant(millisecondsSince1970: payment.ts).addingMonths(lengths * months).millisecondsSince1970
    }
    let first = end(1)
    if payment.coverEnd <= first { return lengths == 1 ? first : end(lengths) }
    // Paid for longer than the plan says: later ones follow at its lengths.
    return payment.coverEnd + (lengths == 1 ? 0 : end(lengths) - first)
  }
}
