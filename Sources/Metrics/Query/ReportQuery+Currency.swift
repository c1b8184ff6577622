internal import Store

extension ReportQuery {
  /// What JSON and headers say of the currency.
  var currencyParameter: Report.Parameter {
    Report.Parameter(name: "currency", value: options.currency ?? "native")
  }

  /// The key columns of a report whose rows have a currency: definitions 1.4.
  var currencyKeyColumns: [ReportColumn] { keyColumns + [ReportColumn("currency", .key)] }

  /// Cells as a report's rows, in byte order of their keys; each key has ``ReportCurrency/code(_:)`` behind those of
  /// the dimensions.
  ///
  /// - Parameter values: What follows the key columns, of a cell and its currency.
  func rowsByCurrency<Cell>(
    _ cells: [CellKey: Cell], _ values: (CellKey, Cell, _ currency: String) -> [ReportValue]
  ) -> [[ReportValue]] {
    let rows = cells.map { key, cell in
      let currency = options.currency ?? facts.name(Int(key.codes[by.count]))
      return (labels: labels(key) + [currency], values: values(key, cell, currency))
    }
    return rows.sorted { precedesInBytes($0.labels, $1.labels) }.map { $0.labels.map(ReportValue.text) + $0.values }
  }
}
