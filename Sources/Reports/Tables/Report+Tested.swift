import Metrics

extension Report {
  /// The place of a forecast's column with a range from errors of earlier ones, where the row has such a range.
  func testedPlace(of place: Int, _ row: [ReportValue]) -> Int? {
    guard name == "ltv" || name == "value" else { return nil }
    let column = columns[place].name
    let tested = "tested_" + (column.hasPrefix("predicted_") ? String(column.dropFirst("predicted_".count)) : column)
    return self.place(tested).flatMap { row[$0].isKnownMoney ? $0 : nil }
  }

  /// Whether a row's forecast has such a range.
  var hasTestedRange: Bool {
    columns.indices.contains { place in rows.contains { testedPlace(of: place, $0) != nil } }
  }
}

extension ReportValue {
  fileprivate var isKnownMoney: Bool { if case .estimate(.some, _) = self { true } else { false } }
}

extension TableBuilder {
  /// Whether too few buyers, or none, are behind a value for a range.
  func lacksRange(_ name: String, _ row: [ReportValue]) -> Bool {
    if report.name == "ltv", name.hasPrefix("predicted_ltv_"), let purchases = places["purchases"] {
      return count(row, purchases) < Value.leastBuyers
    }
    guard report.name == "value", name.hasPrefix("value_"), let place = places[name] else { return false }
    return row[place].isKnownMoney && !row[place + 1].isKnownMoney && !row[place + 2].isKnownMoney
  }

  /// Whether a number is a forecast whose range knows the chance in the counts alone, so that its middle promises too much.
  func isForecast(_ name: String, _ row: [ReportValue]) -> Bool {
    guard let place = places[name], report.testedPlace(of: place, row) == nil else { return false }
    if report.name == "ltv" { return name.hasPrefix("predicted_ltv_") && row[place + 1].isKnownMoney }
    guard report.name == "value", name.hasPrefix("value_"), let basis = places["basis_\(name.dropFirst(6))"] else {
      return false
    }
    return row[basis] == .text("predicted")
  }
}
