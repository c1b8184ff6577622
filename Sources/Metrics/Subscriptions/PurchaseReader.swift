internal import Lifecycle
internal import Store

/// Reads the amounts of payments and the data of first purchases that definitions 7.6 needs, in one currency for each.
struct PurchaseReader {
  let currency: ReportCurrency
  let mode: ReportOptions.Mode
  private let kept: (_ amount: Int128, _ terms: Int64) -> Int128
  /// Milliseconds.
  let grace: Int64

  init(_ query: ReportQuery) throws {
    currency = ReportCurrency(query)
    mode = query.options.mode
    kept = mode == .proceeds ? try query.proceedsShares() : { amount, _ in amount }
    grace = query.options.grace
  }

  /// Returns the remainder of a payment, in ``ReportCurrency/parts``.
  func amount(of payment: PersonMoney.Payment) throws -> Int128 {
    kept(try currency.parts(of: payment), Int64(payment.terms))
  }

  func amount(of refund: PersonMoney.Refund, _ payment: PersonMoney.Payment) throws -> Int128 {
    kept(try currency.parts(of: refund, of: payment), Int64(payment.terms))
  }

  /// Returns the remainder of an amount at the rate of another day than its own.
  ///
  /// - Parameters:
  ///   - microUnits: An amount paid or refunded of a payment with the terms.
  ///   - instant: An instant of the rate's day, in ms.
  func amount(of microUnits: Int64, _ currency: NameID, terms: Int32, rateAt instant: Int64) throws -> Int128 {
    kept(try self.currency.parts(of: microUnits, currency, terms: nil, at: instant), Int64(terms))
  }

  /// Returns what is left of a payment after its refunds in the currency of a code; nothing is taken off with
  /// `--mode gross`.
  ///
  /// - Parameter asOf: Refunds from this instant on are left out, in ms.
  func left(
    of payment: PersonMoney.Payment, _ money: borrowing PersonMoney, code: Int64, asOf: Int64 = .max
  ) throws -> Int128 {
    var amount = try amount(of: payment)
    if mode == .gross { return amount }
    for refund in money.refunds[payment.refunds] where refund.ts < asOf && currency.code(refund.currency) == code {
      amount -= try self.amount(of: refund, payment)
    }
    return amount
  }

  /// Returns the data of one purchase in the currency of its first payment.
  ///
  /// - Parameters:
  ///   - spell: A spell with a payment.
  ///   - asOf: Payments and refunds from this instant on are left out, in ms; the first payment is before it.
  func purchase(_ spell: PersonMoney.Spell, of money: borrowing PersonMoney, asOf: Int64) throws -> PlanPurchases {
    let all = money.payments[spell.payments]
    let payments = all.prefix { $0.ts < asOf }
    var purchase = PlanPurchases()
    purchase.purchases = 1
    guard let start = payments.first else { return purchase }
    // A later payment shows that the spell was not over.
    let graceEnd = payments.count < all.count ? .max : spell.graceEnd
    purchase.counts.add(DueDates(payments, graceEnd: graceEnd, grace: grace, asOf: asOf))
    let code = currency.code(start.currency)
    for (place, payment) in payments.enumerated() where currency.code(payment.currency) == code {
      let amount = try left(of: payment, money, code: code, asOf: asOf)
      if place == 0 {
        purchase.addFirst(amount)
      } else if payment.plan == start.plan {
        purchase.addLater(amount)
      }
    }
    return purchase
  }
}
