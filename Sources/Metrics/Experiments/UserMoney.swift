internal import Lifecycle
internal import Store

/// Reads payments and refunds of single users around their exposure, in one currency, each at its rate (D6.2).
struct UserMoney {
  let exposed: ExposedPersons
  let currency: String
  /// Whether other currencies are excluded instead of converted.
  var isNative = false

  /// Calls `body` with each compared user whose 30 days are over and who has a payment at any time.
  func forEach(_ body: (ExposedUser, ConvertedMoney) throws -> Void) throws {
    let finder = try exposed.userFinder()
    let rates = ReportCurrency(exposed.query, target: currency)
    let only = isNative ? NameID(exposed.query.facts.number(ofName: currency) ?? -1) : nil
    let age = Int(ExposureOutcome.revenueHorizon / day)
    try PaymentHistoryReader(exposed.query.facts, of: finder.persons).forEachPerson { money in
      guard let user = finder.user(money.person), exposed.arm(user.variant) != nil, exposed.age(user.exposedAt) >= age
      else { return }
      var sum = ConvertedMoney(exposedAt: user.exposedAt)
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

  /// The week number of ``last`` since the exposure: the last whole week of the 30 days.
  static let lastWeek = Int(ExposureOutcome.revenueHorizon / (7 * day))

  let exposedAt: Int64
  var before = Sum()
  var after = Sum()
  /// The sums in the first week since the exposure, and in the last whole week.
  var first = Sum()
  var last = Sum()
  var isCovered = true
  /// Payments and refunds after the exposure without a rate.
  var missing: [NameID: Int] = [:]

  init(exposedAt: Int64) { self.exposedAt = exposedAt }

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
          if try !rates.hasRate(payment) {
            isCovered = false
            missing[payment.currency, default: 0] += 1
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
        // A refund in the payment's currency lacks a rate only if the payment does, which is already counted.
        if refund.currency != payment.currency, try !rates.hasRate(refund.currency, terms: nil, at: payment.ts) {
          missing[refund.currency, default: 0] += 1
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
