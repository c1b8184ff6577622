internal import Statistics

/// A column of a report, or columns that belong together such as a rate and its bounds, with their values from a row's
/// sums.
struct SumsColumn<Sums>: Sendable {
  private(set) var columns: [ReportColumn]
  /// Appends a value for each of ``columns``. The currency is that of the row, empty without one.
  let append: Append

  typealias Value<Result> = @Sendable (Sums) -> Result
  typealias Append = @Sendable (_ values: inout [ReportValue], Sums, _ currency: String) -> Void

  private init(columns: [ReportColumn], append: @escaping Append) { (self.columns, self.append) = (columns, append) }

  /// Several columns, with a function that returns a value for each.
  init(_ columns: [ReportColumn], _ values: @escaping @Sendable (Sums, _ currency: String) -> [ReportValue]) {
    self.init(columns: columns) { $0 += values($1, $2) }
  }

  private init(
    _ name: String, _ kind: ReportColumn.Kind, _ value: @escaping @Sendable (Sums, _ currency: String) -> ReportValue
  ) {
    self.init(columns: [ReportColumn(name, kind)]) { $0.append(value($1, $2)) }
  }

  /// Columns for each of some elements, such as ages, from a function of the place and the element.
  static func each<Element>(_ elements: [Element], _ columns: (Int, Element) -> [Self]) -> Self {
    let parts = elements.enumerated().flatMap { columns($0.offset, $0.element) }
    return Self(columns: parts.flatMap(\.columns)) { values, sums, currency in
      for part in parts { part.append(&values, sums, currency) }
    }
  }

  /// The column without being printed (``ReportColumn/isBasis``).
  var basis: Self {
    var basis = self
    for place in columns.indices { basis.columns[place].isBasis = true }
    return basis
  }

  /// A key that is not among those of the row.
  static func key(_ name: String, _ text: @escaping Value<String>) -> Self {
    Self(name, .key) { sums, _ in .text(text(sums)) }
  }

  /// A text; no value, which is not the empty text, for `nil`.
  static func text(_ name: String, _ text: @escaping Value<String?>) -> Self {
    Self(name, .text) { sums, _ in text(sums).map { .text($0) } ?? .percent(nil) }
  }

  static func count(_ name: String, _ count: @escaping Value<Int?>) -> Self {
    Self(name, .count) { sums, _ in count(sums).map { .count($0) } ?? .percent(nil) }
  }

  static func number(_ name: String, _ number: @escaping Value<Double?>) -> Self {
    Self(name, .number) { sums, _ in .number(number(sums)) }
  }

  static func probability(_ name: String, _ p: @escaping Value<Double?>) -> Self {
    Self(name, .number) { sums, _ in .probability(p(sums)) }
  }

  static func rate(_ name: String, _ rate: @escaping Value<Double?>) -> Self {
    Self(name, .rate) { sums, _ in .rate(rate(sums)) }
  }

  /// A share without bounds.
  static func plainShare(_ name: String, _ part: @escaping Value<Int>, of whole: @escaping Value<Int>) -> Self {
    Self(name, .rate) { sums, _ in .plainShare(part(sums), of: whole(sums)) }
  }

  /// A share with its Wilson bounds; no values if the whole is `nil`.
  static func share(_ name: String, _ part: @escaping Value<Int>, of whole: @escaping Value<Int?>) -> Self {
    Self(ReportColumn.rate(name)) { sums, _ in ReportValue.share(part(sums), of: whole(sums) ?? 0) }
  }

  /// An amount of money, or its mean over a count, which has no value if that is 0.
  ///
  /// - Parameters:
  ///   - amount: In `parts` of a micro-unit of the row's currency.
  ///   - count: `nil` for the amount itself.
  static func money(
    _ name: String, _ amount: @escaping Value<Int128?>, per count: Value<Int>? = nil,
    parts: Int128 = ReportCurrency.parts
  ) -> Self {
    Self(name, .money) { sums, currency in
      let count = count.map { Int128($0(sums)) } ?? 1
      return .money(
        count > 0 ? amount(sums).map { roundedToOdd($0, dividedBy: count * parts) } : nil, currency: currency)
    }
  }

  /// An estimated amount, in micro-units of the row's currency.
  static func estimate(_ name: String, _ amount: @escaping Value<Double?>) -> Self {
    Self(name, .money) { sums, currency in .estimate(amount(sums), currency: currency) }
  }

  /// An estimated amount with its bounds.
  static func estimate(
    _ name: String, _ amount: @escaping Value<Double?>, _ interval: @escaping Value<Interval?>
  ) -> Self {
    Self(ReportColumn.bounded(name, .money)) { sums, currency in
      let interval = interval(sums)
      return [amount(sums), interval?.low, interval?.high].map { .estimate($0, currency: currency) }
    }
  }
}

/// The rows of a report before its columns: the labels of their keys, and their sums.
struct SumsRows<Sums> {
  typealias Row = (labels: [String], sums: Sums)

  /// The names of the key columns.
  var keys: [String]
  var rows: [Row]

  init(keys: [String], rows: [Row]) { (self.keys, self.rows) = (keys, rows) }

  /// Rows whose keys are among the columns.
  init(_ rows: [Sums]) { self.init(keys: [], rows: rows.map { ([], $0) }) }

  /// Returns the labels and values of each row.
  func values(_ columns: [SumsColumn<Sums>]) -> [[ReportValue]] {
    let currency = keys.lastIndex(of: "currency")
    return rows.map { labels, sums in
      var values = labels.map(ReportValue.text)
      for column in columns { column.append(&values, sums, currency.map { labels[$0] } ?? "") }
      return values
    }
  }
}
