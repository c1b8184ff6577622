internal import Store

extension ReportQuery {
  /// The currency as it appears in JSON and headers.
  var currencyParameter: Report.Parameter {
    Report.Parameter(name: "currency", value: options.currency ?? "native")
  }

  var currencyKeyColumns: [ReportColumn] { keyColumns + [ReportColumn("currency", .key)] }

  /// Returns cells as report rows, in byte order of their keys. Each key has ``ReportCurrency/code(_:)`` after the
  /// codes of the dimensions.
  ///
  /// - Parameter values: Returns the values after the key columns from a cell and its currency.
  func rowsByCurrency<Cell>(
    _ cells: [CellKey: Cell], _ values: (CellKey, Cell, _ currency: String) -> [ReportValue]
  ) -> [[ReportValue]] {
    func currency(_ key: CellKey) -> String { options.currency ?? facts.name(Int(key.codes[by.count])) }
    return rows(cells, further: { [currency($0)] }) { values($0, $1, currency($0)) }
  }
}
