internal import Lifecycle
public import Store

/// Reports how many subscriptions come back after they churned, when, and what they then pay (implements definitions 12.6).
public enum Winback {
  /// The days after the end at which the share that came back is given.
  public static let ages = [7, 30, 90, 180]
  /// The days after the return whose money counts.
  private static let moneyDays: Int64 = 90

  struct Sums {
    var churned = 0
    var back = 0
    var withOffer = 0
    /// Returns that have been observed for ``Winback/moneyDays``.
    var observedReturns = 0
    var returns = AgedTimes(ages)
    /// Until they came back with an offer; coming back without one competes.
    var offers = AgedTimes(ages)
    /// In ``ReportCurrency/parts`` of a micro-unit of the row's currency.
    var amount: Int128 = 0
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    try options.inOneCurrency(snapshot) { options in
      let query = try ReportQuery(snapshot, options, by: .winback)
      let rows = query.rows(try sumsOfRows(query), keys: ["reason", "currency"]) { key in
        let (currency, reason) = key.codes[query.by.count].quotientAndRemainder(dividingBy: codesOfReasons)
        return [reasonNames[Int(reason)], query.options.currency ?? query.facts.name(Int(currency))]
      }
      return query.report(
        "winback", title: "Who comes back after churn",
        definition: [
          "churned: ends of subscriptions by their day, once grace is over. came_back: the same subscription was paid "
            + "again since (12.6)",
          "came_back_N_rate: Kaplan–Meier estimate N days after the end, from the most recent ones too. with_offer_N_rate: the "
            + "part of it that came back with an offer (Aalen–Johansen) (12.6)",
          "amount_90: payments less refunds within 90 d of the return, of the observed_90 that came back so long ago. "
            + "mean_90 = amount_90 ÷ observed_90 (12.6)",
        ],
        own: [query.currencyParameter],
        columns: columns, rows: rows)
    }
  }

  private static let columns: [SumsColumn<Sums>] = [
    .count("churned", \.churned), .count("came_back", \.back),
    .incidence("came_back", at: ages, \.returns, median: ("days_p50", day)), .count("with_offer", \.withOffer),
    .incidence("with_offer", at: ages, \.offers), .count("observed_90", \.observedReturns),
    .money("amount_90", \.amount), .money("mean_90", \.amount, per: \.observedReturns),
  ]

  /// The names of churn reasons by their raw values, as in the columns of cancellations.
  private static let reasonNames = ["other", "voluntary", "billing", "price_increase", "refund", "other"]
  private static let codesOfReasons: Int64 = 8

  /// Returns sums by row, whose key ends with the currency and the reason.
  private static func sumsOfRows(_ query: ReportQuery) throws -> [RowKey: Sums] {
    var rows = try UnitRows(query)
    var sumsOfRows = CurrencySums(Sums())
    let currency = ReportCurrency(query)
    var termsWithOffer: Set<Int32> = []
    try query.facts.forEachRow("SELECT id FROM terms WHERE offer_type <> 0") {
      termsWithOffer.insert($0.int32(0))
    }
    let asOfs = query.asOfs
    let scan = try PaymentHistoryReader(query.facts)
    try scan.forEachPerson { money in
      rows.person = money.person
      for (number, spell) in money.spells.enumerated() {
        let credits = money.credits[spell.credits]
        let payments = money.payments[spell.payments]
        guard let app = credits.first.map({ scan.cellKey($0.cellKey).app }), let asOf = asOfs[app],
          spell.graceEnd <= asOf, let last = payments.last, payments.contains(where: { $0.coverEnd > $0.ts })
        else { continue }
        let hasNext =
          number + 1 < money.spells.count && money.spells[number + 1].ordinal == spell.ordinal + 1
        let next = hasNext ? number + 1 : nil
        let reason = Int64(spell.reason.rawValue)
        var places: [Int] = []
        rows.forEachRow(credits, at: spell.coverEnd, scan.cellKey) { places.append($0) }
        for place in places {
          let code = currency.code(last.currency) * codesOfReasons + reason
          sumsOfRows[place, code].churned += 1
          sumsOfRows[place, code].returns.observe(from: spell.coverEnd, until: asOf)
          sumsOfRows[place, code].offers.observe(from: spell.coverEnd, until: asOf)
          guard let next else {
            sumsOfRows[place, code].returns.times.add(openAfter: asOf - spell.coverEnd)
            sumsOfRows[place, code].offers.times.add(openAfter: asOf - spell.coverEnd)
            continue
          }
          let back = money.payments[money.spells[next].payments.lowerBound]
          sumsOfRows[place, code].back += 1
          sumsOfRows[place, code].returns.times.add(happenedAfter: back.ts - spell.coverEnd)
          if termsWithOffer.contains(back.terms) {
            sumsOfRows[place, code].withOffer += 1
            sumsOfRows[place, code].offers.times.add(happenedAfter: back.ts - spell.coverEnd)
          } else {
            sumsOfRows[place, code].offers.times.add(missedAfter: back.ts - spell.coverEnd)
          }
          guard back.ts + moneyDays * day <= asOf else { continue }
          sumsOfRows[place, code].observedReturns += 1
          for later in money.spells[next...].prefix(while: { $0.ordinal > spell.ordinal }) {
            for payment in money.payments[later.payments] where payment.ts < back.ts + moneyDays * day {
              let own = currency.code(payment.currency) * codesOfReasons + reason
              sumsOfRows[place, own].amount += try currency.parts(of: payment)
              for refund in money.refunds[payment.refunds] where refund.ts < back.ts + moneyDays * day {
                sumsOfRows[place, currency.code(refund.currency) * codesOfReasons + reason].amount -=
                  try currency.parts(of: refund, of: payment)
              }
            }
          }
        }
      }
    }
    try currency.check()
    return sumsOfRows.byKey(rows.keys)
  }
}
