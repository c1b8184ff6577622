internal import EventModel
public import Store

/// Lists the exchange rates in a store, by currency and source.
public enum Rates {
  private struct Days {
    var source: String
    var rates: [(day: Int, usdPerUnit: ExchangeRate.Decimal)]
    /// `nil` for imported rates.
    var payments: Int?
  }

  public static func report(_ snapshot: StoreSnapshot) throws -> Report {
    var found = Dictionary(grouping: try snapshot.rates(), by: \.currency).mapValues { rates in
      [Days(source: "imported", rates: rates.map { ($0.date.daysSince1970, $0.usdPerUnit) })]
    }
    if try snapshot.tellsPaymentRates() {
      let query = try ReportQuery(snapshot, ReportOptions(), by: .rates)
      for (currency, days) in try PaymentRates(query).derivedRates().rates where !days.isEmpty {
        found[currency, default: []].append(
          Days(
            source: "events", rates: days.sorted { $0.key < $1.key }.map { ($0.key, $0.value.rate) },
            payments: days.values.reduce(0) { $0 + $1.payments }))
      }
    }
    return Report(
      name: "rates", title: "Exchange rates",
      definition: [
        "rate: US dollars per unit. A day uses its own rate, else the newest of the \(ReportCurrency.validDays) "
          + "days before (1.4)",
        "source: imported, or events. A rate of events is the median of price_usd ÷ price over the day's payments, "
          + "without those more than 25% off the median of 15 days. It is used if no imported rate is valid",
        "longest_gap: days between two rates. Above \(ReportCurrency.validDays + 1), some days in between have no "
          + "rate",
      ], parameters: [], asOf: [],
      columns: [
        ReportColumn("currency", .key), ReportColumn("source", .key), ReportColumn("rates", .count),
        ReportColumn("payments", .count), ReportColumn("first_day", .text), ReportColumn("last_day", .text),
        ReportColumn("last_usd_per_unit", .text), ReportColumn("longest_gap", .count),
      ],
      rows: found.keys.sorted(by: precedesInBytes).flatMap { currency in
        (found[currency] ?? []).map { row(currency, $0) }
      })
  }

  /// Returns the number of payments above 0 without a rate to US dollars, that of all payments, and the currencies.
  public static func missing(_ snapshot: StoreSnapshot) throws -> (payments: Int, all: Int, currencies: [String]) {
    let query = try ReportQuery(snapshot, ReportOptions(), by: .rates)
    var sum = (payments: 0, all: 0, currencies: Set<String>())
    for found in try Health.paymentsWithoutRates(query).filter({ query.asOfs[$0.key] != nil }).values {
      sum = (sum.payments + found.missing, sum.all + found.all, sum.currencies.union(found.currencies))
    }
    return (sum.payments, sum.all, sum.currencies.sorted(by: precedesInBytes))
  }

  private static func row(_ currency: String, _ days: Days) -> [ReportValue] {
    func date(_ day: Int?) -> ReportValue { .text(day.map { CivilDate(daysSince1970: $0).description } ?? "") }
    func count(_ count: Int?) -> ReportValue { count.map { .count($0) } ?? .percent(nil) }
    let gap = zip(days.rates, days.rates.dropFirst()).map { $1.day - $0.day }.max()
    return [
      .text(currency), .text(days.source), .count(days.rates.count), count(days.payments), date(days.rates.first?.day),
      date(days.rates.last?.day), .text(days.rates.last?.usdPerUnit.description ?? ""), count(gap),
    ]
  }
}
