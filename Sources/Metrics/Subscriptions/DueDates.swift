internal import EventModel
internal import Store

/// The due dates of a spell's payments, paid or not; the part of definitions 6.4 by period.
///
/// Payment n is due at the end of the period that payment n − 1 paid for: its `expires_at`, or else its plan's calendar
/// length after it, whatever cut the cover short. After the last payment, due dates follow at the plan's length; none
/// follows a lifetime. A due date is never before an earlier one. A payment had its chance once its due date + grace ≤
/// T; the payment after the last one also needs the grace of the last one to be over.
struct DueDates {
  /// A period that a payment paid for.
  private struct Period {
    var plan: Plan
    /// The end in ms; the greatest value for a lifetime.
    var end: Int64
  }

  private let periods: [Period]
  private let graceEnd: Int64
  private let grace: Int64
  private let asOf: Int64

  init(_ spell: PersonMoney.Spell, of money: borrowing PersonMoney, grace: Int64, asOf: Int64) {
    self.init(money.payments[spell.payments], graceEnd: spell.graceEnd, grace: grace, asOf: asOf)
  }

  /// - Parameters:
  ///   - payments: Consecutive ones of a spell; at least one.
  ///   - graceEnd: The end of the grace after the last payment, in ms.
  ///   - grace: Milliseconds.
  init(_ payments: ArraySlice<PersonMoney.Payment>, graceEnd: Int64, grace: Int64, asOf: Int64) {
    periods = payments.map { Period(plan: $0.plan, end: $0.paidUntil) }
    (self.graceEnd, self.grace, self.asOf) = (graceEnd, grace, asOf)
  }

  /// The number of payments made.
  var payments: Int { periods.count }

  /// Returns the number of the last payment that had its chance, paid or not; 1 if the second had none yet.
  ///
  /// - Parameter limit: The highest number to consider.
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

  /// - Parameter lengths: The number of plan lengths after the end of the period.
  private static func due(lengths: Int, behind period: Period) -> Int64? {
    lengths == 0 && period.plan != .lifetime ? period.end : period.plan.end(of: lengths, from: period.end)
  }
}
