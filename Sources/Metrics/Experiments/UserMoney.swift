internal import Lifecycle
internal import Store

/// Reads payments and refunds of single users around their exposure, in one currency, each at its rate (D6.2).
struct UserMoney {
  let exposed: ExposedPersons
  let currency: String
  /// Whether other currencies are excluded instead of converted.
  var isNative = false
  /// Whether to keep each user's lines, also of users whose 30 days are not over.
  var isTraced = false

  /// Calls `body` with each compared user whose 30 days are over and who has a payment at any time.
  func forEach(_ body: (ExposedUser, ConvertedMoney) throws -> Void) throws {
    let finder = try exposed.userFinder()
    let rates = ReportCurrency(exposed.query, target: currency)
    let only = isNative ? NameID(exposed.query.facts.number(ofName: currency) ?? -1) : nil
    let age = Int(ExposureOutcome.revenueHorizon / day)
    try PaymentHistoryReader(exposed.query.facts, of: finder.persons).forEachPerson { money in
      guard let user = finder.user(money.person), exposed.arm(user.variant) != nil,
        isTraced || exposed.age(user.exposedAt) >= age
      else { return }
      var sum = ConvertedMoney(exposedAt: user.exposedAt, isTraced: isTraced)
      try sum.add(money, rates, only: only)
      try body(user, sum)
    }
    try rates.checkSizes()
  }
}

/// Payments less refunds of one user around an exposure, in one currency.
struct ConvertedMoney {
  struct Sum {
    var net: Int128 = 0
    var isPayer = false

    private static let unit = Double(ReportCurrency.parts) * 1e6

    /// In units of the currency.
    var part: RevenueHistory.Part {
      RevenueHistory.Part(amount: net == 0 ? 0 : nearestDouble(net) / Self.unit, isPayer: isPayer)
    }
  }

  /// A payment or refund after the exposure.
  struct Line {
    var ts: Int64
    var isRefund: Bool
    /// Micro-units.
    var price: Int64
    var currency: NameID
    /// In ``ReportCurrency/parts``; `nil` if no rate is known.
    var amount: Int128?
  }

  /// The week number of ``last`` since the exposure: the last whole week of the 30 days.
  static let lastWeek = Int(ExposureOutcome.revenueHorizon / (7 * day))

  let exposedAt: Int64
  let isTraced: Bool
  /// In order of the payments; empty unless traced.
  var lines: [Line] = []
  var before = Sum()
  var after = Sum()
  /// The sums in the first week since the exposure, and in the last whole week.
  var first = Sum()
  var last = Sum()
  var isCovered = true
  /// Payments and refunds after the exposure without a rate.
  var missing: [NameID: Int] = [:]

  init(exposedAt: Int64, isTraced: Bool) { (self.exposedAt, self.isTraced) = (exposedAt, isTraced) }

  var isNothing: Bool { after.net == 0 && before.net == 0 && !after.isPayer && !before.isPayer }

  /// - Parameter only: The only currency that counts; `nil` for all.
  mutating func add(_ money: borrowing PersonMoney, _ rates: ReportCurrency, only: NameID?) throws {
    let (first, end) = (exposedAt - ExposureOutcome.revenueHorizon, exposedAt + ExposureOutcome.revenueHorizon)
    for payment in money.payments {
      if payment.price > 0, payment.ts >= first, payment.ts < end, only == nil || only == payment.currency {
        let amount = try rates.parts(of: payment)
        if payment.ts < exposedAt {
          before.net += amount
          before.isPayer = true
        } else {
          addAfter(amount, at: payment.ts)
          after.isPayer = true
          let hasRate = try rates.hasRate(payment)
          if !hasRate {
            isCovered = false
            missing[payment.currency, default: 0] += 1
          }
          if isTraced {
            lines.append(
              Line(
                ts: payment.ts, isRefund: false, price: payment.price, currency: payment.currency,
                amount: hasRate ? amount : nil))
          }
        }
      }
      for refund in money.refunds[payment.refunds]
      where refund.ts >= first && refund.ts < end && (only == nil || only == refund.currency) {
        let amount = try rates.parts(of: refund, of: payment)
        if refund.ts < exposedAt {
          before.net -= amount
          continue
        }
        addAfter(-amount, at: refund.ts)
        let isOfOther = refund.currency != payment.currency
        if !isOfOther && !isTraced { continue }
        let hasRate = try rates.hasRate(refund.currency, terms: isOfOther ? nil : payment.terms, at: payment.ts)
        // A refund in the payment's currency lacks a rate only if the payment does, which is already counted.
        if isOfOther && !hasRate { missing[refund.currency, default: 0] += 1 }
        if isTraced {
          lines.append(
            Line(
              ts: refund.ts, isRefund: true, price: refund.amount, currency: refund.currency,
              amount: hasRate ? -amount : nil))
        }
      }
    }
  }

  private mutating func addAfter(_ amount: Int128, at ts: Int64) {
    after.net += amount
    switch Int((ts - exposedAt) / (7 * day)) + 1 {
    case 1: first.net += amount
    case Self.lastWeek: last.net += amount
    default: break
    }
  }
}
