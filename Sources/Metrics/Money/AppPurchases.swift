internal import EventModel
internal import Lifecycle
internal import Statistics
internal import Store

/// The purchases of whole apps, regardless of rows and filters. They replace a row's own when the row has too few, and
/// are read on first use.
final class AppPurchases {
  struct Place: Hashable {
    var app: NameID
    var plan: Plan
  }

  private struct Renewal: Hashable {
    var currency: NameID
    var terms: Int32
    var price: Int64
    var given: Int64
    var ts: Int64
  }

  /// The least known first renewals of a plan for a row to use its own survival.
  private static let leastOwnRenewals = 30

  private let query: ReportQuery
  private let remainder: PaymentRemainder
  /// The as-of in ms, by app.
  private let asOfs: [NameID: Int64]
  private var counts: [Place: PeriodCounts] = [:]
  private var renewals: [Place: [Renewal: Int]] = [:]
  private var means: [Asked: ValueRows.Mean] = [:]
  private var isRead = false

  private struct Asked: Hashable {
    var place: Place
    var code: Int64
    var lessRefunds: Bool
  }

  init(_ query: ReportQuery, _ remainder: PaymentRemainder, apps: [NameID]) {
    self.query = query
    self.remainder = remainder
    asOfs = query.asOfs.filter { apps.contains($0.key) }
  }

  /// Returns the counts that a row's survival of a plan comes from: its own if enough renewals are known, or else the
  /// app's.
  func counts(of place: Place, own: PeriodCounts) throws -> (renewals: RenewalCounts, areOwn: Bool) {
    if own.atRisk(of: 2) >= Self.leastOwnRenewals { return (own.renewals, true) }
    try read()
    return (counts[place]?.renewals ?? RenewalCounts(), false)
  }

  /// Returns the average remainder of a plan's renewal, in micro-units; `nil` if no renewal is known.
  func renewalPrice(of place: Place, code: Int64) throws -> Double? {
    try renewals(of: place, code: code, lessRefunds: true).microUnits
  }

  /// Returns the share of a plan's renewals, as amounts in one currency, that refunds have left so far; 1 if no renewal is
  /// known.
  func shareLeft(of place: Place) throws -> Double {
    let full = try renewals(of: place, code: 0, lessRefunds: false).sum
    return full == 0 ? 1 : Double(try renewals(of: place, code: 0, lessRefunds: true).sum) / Double(full)
  }

  private func renewals(of place: Place, code: Int64, lessRefunds: Bool) throws -> ValueRows.Mean {
    let asked = Asked(place: place, code: code, lessRefunds: lessRefunds)
    if let mean = means[asked] { return mean }
    try read()
    var mean = ValueRows.Mean()
    for (renewal, count) in renewals[place] ?? [:] where remainder.money.code(renewal.currency) == code {
      mean.add(
        try remainder.left(
          renewal.price, given: lessRefunds ? renewal.given : 0, renewal.currency, Int64(renewal.terms), at: renewal.ts),
        count: count)
    }
    means[asked] = mean
    return mean
  }

  private func read() throws {
    if isRead { return }
    isRead = true
    let scan = try PaymentHistoryReader(query.facts)
    let isConverted = remainder.money.target != nil
    try scan.forEachPerson { money in
      for spell in money.spells where spell.isPurchase {
        guard let plan = money.payments[spell.payments].first?.plan,
          let app = money.credits[spell.credits].first.map({ scan.cellKey($0.cellKey).app }), let asOf = asOfs[app]
        else { continue }
        let place = Place(app: app, plan: plan)
        if plan != .lifetime {
          counts[place, default: PeriodCounts()].add(DueDates(spell, of: money, grace: query.options.grace, asOf: asOf))
        }
        for payment in money.payments[spell.payments].dropFirst() {
          let renewal = Renewal(
            currency: payment.currency, terms: payment.terms, price: payment.price, given: money.given(of: payment),
            ts: isConverted ? payment.ts - payment.ts % day : 0)
          renewals[place, default: [:]][renewal, default: 0] += 1
        }
      }
    }
  }
}

extension PersonMoney {
  /// Returns the amount refunded of a payment in its own currency, at most its price.
  func given(of payment: Payment) -> Int64 {
    var given: Int64 = 0
    for refund in refunds[payment.refunds] where refund.currency == payment.currency {
      given = min(payment.price, given + min(payment.price, max(0, refund.amount)))
    }
    return given
  }
}
