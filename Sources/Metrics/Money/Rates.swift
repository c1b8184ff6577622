internal import EventModel
public import Store

/// Lists the exchange rates in a store, by currency and source.
public enum Rates {
  private struct Days {
    var currency: String
    var source: String
    var rates: [(day: Int, usdPerUnit: ExchangeRate.Decimal)]
    /// `nil` for imported rates.
    var payments: Int?
  }

  public static func report(_ snapshot: StoreSnapshot) throws -> Report {
    var found = Dictionary(grouping: try snapshot.rates(), by: \.currency).map { currency, rates in
      Days(
        currency: currency, source: "imported", rates: rates.map { ($0.date.daysSince1970, $0.usdPerUnit) })
    }
    if try snapshot.tellsPaymentRates() {
      let query = try ReportQuery(snapshot, ReportOptions(), by: .rates)
      for (currency, days) in try PaymentRates(query).derivedRates().rates where !days.isEmpty {
        found.append(
          Days(
            currency: currency, source: "events",
            rates: days.sorted { $0.key < $1.key }.map { ($0.key, $0.value.rate) },
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
      columns: columns.flatMap(\.columns),
      rows: SumsRows(found.sorted { precedesInBytes([$0.currency, $1.source], [$1.currency, $0.source]) }).values(
        columns))
  }

  private static let columns: [SumsColumn<Days>] = [
    .key("currency", \.currency), .key("source", \.source), .count("rates", \.rates.count),
    .count("payments", \.payments), .text("first_day") { date($0.rates.first?.day) },
    .text("last_day") { date($0.rates.last?.day) },
    .text("last_usd_per_unit") { $0.rates.last?.usdPerUnit.description ?? "" },
    .count("longest_gap") { zip($0.rates, $0.rates.dropFirst()).map { $1.day - $0.day }.max() },
  ]

  private static func date(_ day: Int?) -> String { day.map { CivilDate(daysSince1970: $0).description } ?? "" }

  /// Returns the number of payments above 0 without a rate to US dollars, that of all payments, and the currencies.
  public static func missing(_ snapshot: StoreSnapshot) throws -> (payments: Int, all: Int, currencies: [String]) {
    let query = try ReportQuery(snapshot, ReportOptions(), by: .rates)
    var sum = (payments: 0, all: 0, currencies: Set<String>())
    for found in try Health.paymentsWithoutRates(query).filter({ query.asOfs[$0.key] != nil }).values {
      sum = (sum.payments + found.missing, sum.all + found.all, sum.currencies.union(found.currencies))
    }
    return (sum.payments, sum.all, sum.currencies.sorted(by: precedesInBytes))
  }
}
