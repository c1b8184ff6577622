internal import EventModel
internal import Metrics
internal import Reports

/// The days that a page is of, as its address names them: by a word or by two days.
struct PageDays {
  /// Words of an address, in the order of the page.
  static let presets: [(word: String, title: String, note: String, days: Overview.Days)] = [
    ("7d", "7 d", "The last 7 days", .last(7)), ("28d", "28 d", "The last 28 days", .last(28)),
    ("90d", "90 d", "The last 90 days", .last(90)), ("month", "Month", "Month to date", .monthToDate),
    ("all", "All", "All days of the data", .all),
  ]

  /// Parameters of pages that no report has.
  static let parameters: Set = ["range", "compare", "columns", "why"]

  let days: Overview.Days
  /// Of the data asked for.
  let data: Range<Int>
  /// Of the presets; `nil` for two days.
  let word: String?

  /// - Parameter standard: The days if the address names none.
  /// - Throws: ``ReportFault`` for a word or day that is not valid.
  init(_ query: ViewQuery, data: Range<Int>, standard: Overview.Days) throws(ReportFault) {
    self.data = data
    if let word = query.first("range") ?? query.first("last") {
      guard let days = Self.days(word, before: CivilDate(daysSince1970: data.upperBound)) else {
        let words = Self.presets.map(\.word).joined(separator: ", ")
        throw ReportFault(
          .wrongArguments, "The range is \(word). Use one of \(words), or a length such as 14d, 4w or 3mo.")
      }
      (self.days, self.word) = (days, word)
      return
    }
    let ends = try (Self.day(query, "from"), Self.day(query, "to"))
    let newest = CivilDate(daysSince1970: max(0, data.upperBound - 1))
    guard ends.0 != nil || ends.1 != nil else {
      days = standard
      word = Self.presets.first { $0.days == standard }?.word
      return
    }
    (days, word) = (.between(ends.0?.first(newest: newest), ends.1?.end(newest: newest)), nil)
  }

  private static func days(_ word: String, before end: CivilDate) -> Overview.Days? {
    if let preset = presets.first(where: { $0.word == word }) { return preset.days }
    return DayCount(word).map { .last($0.days(before: end)) }
  }

  private static func day(_ query: ViewQuery, _ name: String) throws(ReportFault) -> DayWord? {
    guard let text = query.first(name) else { return nil }
    guard let day = DayWord(text) else {
      throw ReportFault(.wrongArguments, "The day “\(name)” is \(text), but must be \(DayWord.expectation(for: text)).")
    }
    return day
  }

  /// The days before that a page is compared with; `nil` where it is not, or the data do not have them.
  func comparison(_ query: ViewQuery) -> ReportComparison? {
    query.first("compare").flatMap(Overview.Comparison.init)?.range(for: range, in: data, asked: days).map {
      ReportComparison(days: range, before: $0)
    }
  }

  /// Returns the request that compares a page's report: with the days of its menu, or as `--compare` does.
  ///
  /// - Parameters:
  ///   - asked: The request of the page's report.
  ///   - query: The address of the page.
  /// - Returns: `nil` where nothing is compared, or the data do not have the days before.
  func compared(_ asked: ViewQuery, as query: ViewQuery) -> ViewQuery? {
    guard let word = query.first("compare") else { return nil }
    var other = word
    if let before = comparison(query)?.before {
      other = "\(Self.text(before.lowerBound))..\(Self.text(before.upperBound))"
    } else if Overview.Comparison(rawValue: word) != nil {
      return nil
    }
    let compared = asked.setting("compare", to: [other]).without("sort", "limit")
    // Rows of two periods would not pair.
    let by = asked.first("by")?.split(separator: ",").map(String.init) ?? []
    let others = by.filter { Dimension.period($0) == nil }
    return by == others ? compared : compared.rows(by: others)
  }

  var range: Range<Int> { days.range(in: data) }

  /// Returns the parameters of a report, which takes days only; all data need none.
  func query(_ query: ViewQuery) -> ViewQuery {
    let plain = query.ofReport.without("last")
    guard word.map({ $0 != "all" }) ?? true, query.first("range") ?? query.first("last") != nil else { return plain }
    return plain.of(range)
  }

  /// Returns a day of an address as readers write it, and of the end the last day that counts; `nil` for words.
  static func inWords(_ item: ViewQuery.Item) -> String? {
    guard ["from", "to", "as-of"].contains(item.name), let day = CivilDate(item.value)?.daysSince1970 else {
      return nil
    }
    return shortDay(item.name == "to" ? day - 1 : day, hasYear: true)
  }

  /// Returns the name of the end of the days: words, such as `yesterday`, do not count themselves.
  static func lastDayName(_ item: ViewQuery.Item) -> String { inWords(item) == nil ? "before" : "through" }

  static func text(_ day: Int) -> String { CivilDate(daysSince1970: day).description }
}
