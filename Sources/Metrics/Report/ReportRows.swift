internal import EventModel

/// Rows of a report by column name.
struct ReportRows {
  let name: String
  let rows: [[ReportValue]]
  private let places: [String: Int]

  init(_ report: Report) {
    name = report.name
    rows = report.rows
    places = Dictionary(uniqueKeysWithValues: report.columns.enumerated().map { ($0.element.name, $0.offset) })
  }

  func text(_ column: String, _ row: [ReportValue]) -> String {
    if let place = places[column], case .text(let text) = row[place] { text } else { "" }
  }

  func app(_ row: [ReportValue]) -> String { text("app", row) }

  /// The app by its bytes: Swift takes texts that read the same for equal.
  func key(_ row: [ReportValue]) -> [UInt8] { Array(app(row).utf8) }

  /// The row's day or the Monday of its week, in days since 1970.
  func day(_ column: String, _ row: [ReportValue]) -> Int { CivilDate(text(column, row))?.daysSince1970 ?? 0 }

  func week(_ row: [ReportValue]) -> Int { day("week", row) }

  subscript(_ column: String, _ row: [ReportValue]) -> Int {
    if let place = places[column], case .count(let count) = row[place] { count } else { 0 }
  }

  func rate(_ column: String, _ row: [ReportValue]) -> Double? {
    if let place = places[column], case .rate(let rate) = row[place] { rate } else { nil }
  }

  func amount(_ column: String, _ row: [ReportValue]) -> Int128 {
    if let place = places[column], case .money(let amount, _) = row[place] { amount ?? 0 } else { 0 }
  }

  /// The variance of a sum over a Poisson number of amounts, which is their sum of squares, with all amounts of the row
  /// equal.
  func squares(_ count: String, _ amount: String, _ row: [ReportValue]) -> Double {
    Self.squares(of: self.amount(amount, row), count: self[count, row])
  }

  /// Returns the sum of squares of equal amounts.
  ///
  /// - Parameter amount: The sum of the amounts.
  static func squares(of amount: Int128, count: Int) -> Double {
    count > 0 ? Double(amount) * Double(amount) / Double(count) : 0
  }
}
