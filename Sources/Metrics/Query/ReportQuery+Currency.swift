internal import Store

extension ReportQuery {
  /// The currency as it appears in JSON and headers.
  var currencyParameter: Report.Parameter {
    Report.Parameter(name: "currency", value: options.currency ?? "native")
  }

  /// The key columns of a report whose rows have a currency.
  var currencyKeyColumns: [ReportColumn] { keyColumns + [ReportColumn("currency", .key)] }

  /// Returns cells as report rows, in byte order of their keys. Each key has ``ReportCurrency/code(_:)`` after the
  /// codes of the dimensions.
  ///
  /// - Parameter values: Returns the values after the key columns from a cell and its currency.
  func rowsByCurrency<Cell>(
    _ cells: [CellKey: Cell], _ values: (CellKey, Cell, _ currency: String) -> [ReportValue]
  ) -> [[ReportValue]] {
    var rows = cells.map { key, cell in
      let currency = options.currency ?? facts.name(Int(key.codes[by.count]))
      return (key: key, currency: currency, values: values(key, cell, currency))
    }
    if options.currency == nil { rows.sort { precedesInBytes($0.currency, $1.currency) } }
    return sorted(rows, \.key).map { labels, row in
      (labels + [row.currency]).map(ReportValue.text) + row.values
    }
  }
}
