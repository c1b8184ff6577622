internal import EventModel
public import Store

/// Lists the exchange rates in a store, by currency.
public enum Rates {
  public static func report(_ snapshot: StoreSnapshot) throws -> Report {
    let rates = Dictionary(grouping: try snapshot.rates(), by: \.currency)
    return Report(
      name: "rates", title: "Exchange rates",
      definition: [
        "US dollars per unit; a day uses its own rate, else the newest of the \(ReportCurrency.validDays) days before "
          + "(1.4)",
        "longest_gap: days between two rates; above \(ReportCurrency.validDays + 1), days between have no rate",
      ], parameters: [], asOf: [],
      columns: [
        ReportColumn("currency", .key), ReportColumn("rates", .count), ReportColumn("first_day", .text),
        ReportColumn("last_day", .text), ReportColumn("last_usd_per_unit", .text), ReportColumn("longest_gap", .count),
      ],
      rows: rates.keys.sorted(by: precedesInBytes).map { currency in
        // In order of days.
        let list = rates[currency] ?? []
        let days = list.map(\.date.daysSince1970)
        let gap = zip(days, days.dropFirst()).map { $1 - $0 }.max()
        return [
          .text(currency), .count(list.count), .text(list.first?.date.description ?? ""),
          .text(list.last?.date.description ?? ""), .text(list.last?.usdPerUnit.description ?? ""),
          gap.map { .count($0) } ?? .percent(nil),
        ]
      })
  }
}
