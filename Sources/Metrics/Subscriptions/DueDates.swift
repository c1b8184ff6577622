internal import EventModel
internal import Lifecycle
internal import Store

/// The dates on which the payments of a spell were due, made or not (definitions 6.4).
///
/// Payment n is due at the end of the period that payment n − 1 paid for: its `expires_at`, without one its plan's calendar length
/// after it, whatever cut the cover short. Behind the last payment due dates follow at lengths of its plan; none is due after a
/// lifetime. A due date is never before an earlier one. A payment had its chance once its due date + grace ≤ T; the one
/// behind the last payment also needs the grace of that one to be over (definitions 1.7).
struct DueDates {
  /// The period that a payment paid for.
  struct Period {
    var plan: Plan
    /// In ms; the greatest value for a lifetime.
    var end: Int64
  }

  private let periods: [Period]
  private let graceEnd: Int64
  private let grace: Int64
  private let asOf: Int64

  /// - Parameters:
  ///   - periods: Of the spell's payments, in order of time; at least one.
  ///   - graceEnd: When the grace after the last payment ends, in ms.
  ///   - grace: Milliseconds.
  init(_ periods: [Period], graceEnd: Int64, grace: Int64, asOf: Int64) {
    self.periods = periods
    self.graceEnd = graceEnd
    self.grace = grace
    self.asOf = asOf
  }

  init(_ spell: PersonMoney.Spell, of money: borrowing PersonMoney, grace: Int64, asOf: Int64) {
    self.init(
      money.payments[spell.payments].map { Period(plan: $0.plan, end: $0.paidUntil) }, graceEnd: spell.graceEnd,
      grace: grace, asOf: asOf)
  }

  /// How many the spell has made.
  var payments: Int { periods.count }

  /// The number of the last payment that had its chance, made or not; 1 where the second one had none yet.
  ///
  /// - Parameter limit: Numbers beyond it are not looked at.
  func lastChance(limit: Int) -> Int {
    var due = Int64.min
    var number = 1
    while number < limit {
      let made = min(number, periods.count)
      guard let next = Self.due(lengths: number - made, behind: periods[made - 1]) else { break }
      due = max(due, next)
      if due + grace > asOf || (number >= periods.count && graceEnd > asOf) { break }
      number += 1
    }
    return number
  }

  /// - Parameter lengths: Of the plan, from the end of the period on.
  private static func due(lengths: Int, behind period: Period) -> Int64? {
    lengths == 0 && period.plan != .lifetime ? period.end : period.plan.end(of: lengths, from: period.end)
  }
}
