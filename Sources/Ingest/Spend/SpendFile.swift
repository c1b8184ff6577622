public import Basics
public import EventModel

/// A CSV file of advertising spend: a row for each day and slice, as advertising services export it.
public struct SpendFile: Sendable {
  /// The settings that a file may need.
  public struct Settings: Sendable {
    /// Headings by field, for columns that are not recognized.
    public var columns: [SpendField: String] = [:]
    /// The app of all rows, instead of the column `app`.
    public var app: String?
    /// The currency of files that name none, ISO 4217.
    public var currency: String?
    /// The order of dates such as 01/02/2026: `day-first` or `month-first`.
    public var dates: String?

    public init() {}
  }

  /// The rows, in the file's order; rows of one app, day and slice are added up.
  public private(set) var rows: [SpendRow] = []
  /// The app of each row, from the settings or the column `app`; empty where neither names one.
  public private(set) var apps: [String] = []
  /// The number of rows of totals, which are skipped.
  public private(set) var totals = 0
  private var placeOfKey: [Key: Int] = [:]

  private struct Key: Hashable {
    var app: String
    var day: Int
    var slice: SpendRow.Slice
  }

  /// The most records before the header.
  private static let longestPreamble = 20

  private struct Layout {
    var header: [String]
    var headerLine: Int
    var places: [SpendField: Int]
    var records: ArraySlice<(line: Int, cells: [String])>
    var headerCurrency: String?
  }

  /// - Parameter name: The file's name in faults.
  /// - Throws: ``ImportFaults`` with all of them.
  public init(_ text: String, name: String, _ settings: Settings = Settings()) throws(ImportFaults) {
    let layout = try Self.layout(text, name: name, settings)
    func cells(_ field: SpendField) -> [String] {
      layout.places[field].map { place in layout.records.compactMap { place < $0.cells.count ? $0.cells[place] : nil } }
        ?? []
    }
    let isCommaDecimal = Self.hasDecimalComma(cells(.spend))
    let dateForm = try Self.dateForm(cells(.date), name: name, settings.dates)
    var faults: [String] = []
    for (line, cells) in layout.records where !cells.allSatisfy(\.isEmpty) {
      if cells.dropFirst(layout.header.count).contains(where: { !$0.isEmpty }) {
        faults.append(
          "\(name):\(line): \(cells.count) cells, but the header has \(layout.header.count); put an amount with a comma "
            + "into quotes")
        continue
      }
      func cell(_ field: SpendField) -> String {
        layout.places[field].flatMap { $0 < cells.count ? cells[$0] : nil } ?? ""
      }
      guard let day = Self.day(cell(.date), dateForm) else {
        if Self.isTotal(cells, date: cell(.date)) {
          totals += 1
        } else {
          faults.append("\(name):\(line): date is \(cell(.date)), but must be a day such as 2026-03-01")
        }
        continue
      }
      guard let spend = Self.amount(cell(.spend), isCommaDecimal) else {
        faults.append("\(name):\(line): spend is \(cell(.spend)), but must be an amount of 0 or more, such as 12.50")
        continue
      }
      let own = cell(.currency).uppercased()
      guard let currency = own.isEmpty ? layout.headerCurrency ?? settings.currency : own,
        CurrencyTable.isCode(currency)
      else {
        faults.append(
          own.isEmpty
            ? "\(name):\(line): no currency: name it with --currency CODE, or add a column currency"
            : "\(name):\(line): currency is \(own), but must be an ISO 4217 code such as EUR")
        continue
      }
      var row = SpendRow(day: day, slice: SpendRow.Slice(), currency: currency, spend: spend)
      row.slice.source = cell(.source)
      row.slice.campaign = cell(.campaign)
      row.slice.adGroup = cell(.adGroup)
      row.slice.platform = cell(.platform)
      let country = cell(.country)
      row.slice.country = country.isEmpty ? "" : CountryNames.alpha2(country) ?? country
      var wrong: String?
      func count(_ field: SpendField) -> Int64? {
        let text = cell(field).filter { $0.isNumber || $0 == "-" }
        if text.isEmpty || text.allSatisfy({ $0 == "-" }) { return layout.places[field] == nil ? nil : 0 }
        let value = ExactDecimal(text)?.integer
        if value == nil { wrong = "\(field.rawValue) is \(cell(field)), but must be a whole number" }
        return value
      }
      (row.installs, row.impressions, row.clicks) = (count(.installs), count(.impressions), count(.clicks))
      wrong = wrong ?? add(row, of: settings.app ?? cell(.app))
      if let wrong { faults.append("\(name):\(line): \(wrong)") }
    }
    if !faults.isEmpty { throw ImportFaults(lines: faults) }
  }

  /// Adds a row to that of its app, day and slice; returns what is wrong with it.
  private mutating func add(_ row: SpendRow, of app: String) -> String? {
    let key = Key(app: app, day: row.day.daysSince1970, slice: row.slice)
    guard let place = placeOfKey[key] else {
      placeOfKey[key] = rows.count
      rows.append(row)
      apps.append(app)
      return nil
    }
    guard rows[place].currency == row.currency else {
      return "currency is \(row.currency), but \(rows[place].currency) in another row of this day and slice"
    }
    func sum(_ a: Int64?, _ b: Int64?) -> Int64? { a.flatMap { a in b.map { a &+ $0 } } ?? a ?? b }
    let (spend, overflow) = rows[place].spend.addingReportingOverflow(row.spend)
    if overflow { return "the spend of this day and slice adds up to more than 10^12" }
    rows[place].spend = spend
    rows[place].installs = sum(rows[place].installs, row.installs)
    rows[place].impressions = sum(rows[place].impressions, row.impressions)
    rows[place].clicks = sum(rows[place].clicks, row.clicks)
    return nil
  }

  // MARK: Layout

  /// Finds the delimiter and the header: the first record with a day and an amount, which some services write below a
  /// title.
  private static func layout(_ text: String, name: String, _ settings: Settings) throws(ImportFaults) -> Layout {
    let content = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    var best: Layout?
    var firstHeader: [String] = []
    for delimiter in CSVLayout.delimiters {
      guard let records = records(content, delimiter: delimiter) else { continue }
      if let first = records.first(where: { $0.cells.count > 1 }), firstHeader.isEmpty { firstHeader = first.cells }
      for (index, record) in records.prefix(longestPreamble).enumerated() {
        var places: [SpendField: Int] = [:]
        for field in SpendField.allCases {
          if let heading = settings.columns[field] {
            places[field] = record.cells.firstIndex { $0.lowercased() == heading.lowercased() }
          } else {
            places[field] = field.place(in: record.cells)
          }
        }
        guard places[.date] != nil, let spend = places[.spend] else { continue }
        if places.count <= best?.places.count ?? 0 { break }
        best = Layout(
          header: record.cells, headerLine: record.line, places: places, records: records[(index + 1)...],
          headerCurrency: currency(in: record.cells[spend]))
        break
      }
    }
    guard let best else {
      throw ImportFaults(lines: [
        firstHeader.isEmpty
          ? "\(name): is not a CSV with a header and rows; expected columns for the day and the spend, such as date,spend"
          : "\(name): no columns for day and spend: name them with --map date=COLUMN --map spend=COLUMN; columns: "
            + firstHeader.joined(separator: ", ")
      ])
    }
    for (field, heading) in settings.columns where best.places[field] == nil {
      throw ImportFaults(lines: [
        "\(name):\(best.headerLine): --map is \(field.rawValue)=\(heading), but the columns are "
          + best.header.joined(separator: ", ")
      ])
    }
    return best
  }

  /// Returns the records with the lines that they start in; `nil` if quotes are wrong.
  private static func records(_ text: String, delimiter: UInt8) -> [(line: Int, cells: [String])]? {
    let bytes = Array(text.utf8) + [UInt8](repeating: 0, count: LineBuffer.padding)
    var records: [(line: Int, cells: [String])] = []
    return bytes.withUnsafeBufferPointer { buffer in
      guard var place = buffer.baseAddress else { return nil }
      let end = place + (bytes.count - LineBuffer.padding)
      var record = CSVRecord()
      var fields = LineFields()
      var line = 1
      while place < end {
        fields.begin(lineCount: place.distance(to: end))
        guard
          case .complete(_, let next) = record.read(place, to: end, isLast: true, delimiter: delimiter, fields: &fields)
        else { return nil }
        records.append((line, record.cells.map { trimmed(String(decoding: $0.bytes, as: UTF8.self)) }))
        line += UnsafeBufferPointer(start: place, count: place.distance(to: next)).count { $0 == 0x0A }
        place = next
      }
      return records
    }
  }

  private static func trimmed(_ cell: String) -> String {
    String(cell.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }

  /// Returns the code in a heading such as `Amount spent (USD)`.
  private static func currency(in heading: String) -> String? {
    guard let open = heading.lastIndex(of: "("), let close = heading.lastIndex(of: ")"), open < close else {
      return nil
    }
    let code = heading[heading.index(after: open)..<close].uppercased()
    return CurrencyTable.isCode(code) ? code : nil
  }

  // MARK: Values

  private static func isTotal(_ cells: [String], date: String) -> Bool {
    let isMarked = cells.contains { cell in
      ["total", "grand total", "gesamt", "totals"].contains { cell.lowercased().hasPrefix($0) }
    }
    return isMarked || date.isEmpty || date == "--"
  }

  /// Returns the digits, sign and separators of an amount; `nil` if it has other letters.
  private static func digits(_ text: String) -> String? {
    var digits = ""
    for character in text {
      if character.isASCII, character.isNumber || ".,-".contains(character) {
        digits.append(character)
      } else if !(character.isCurrencySymbol || character.isWhitespace || character == "'") {
        return nil
      }
    }
    return digits
  }

  /// Returns whether amounts are written as `1.234,56`: some end in a comma with digits other than three, and none in
  /// such a point.
  private static func hasDecimalComma(_ amounts: [String]) -> Bool {
    var hasComma = false
    for amount in amounts {
      guard let digits = digits(amount), let mark = digits.lastIndex(where: { $0 == "." || $0 == "," }) else {
        continue
      }
      let isDecimal = digits.distance(from: mark, to: digits.endIndex) != 4
      if digits[mark] == ".", isDecimal { return false }
      if digits[mark] == ",", isDecimal || digits[..<mark].contains(".") { hasComma = true }
    }
    return hasComma
  }

  private static func amount(_ text: String, _ isCommaDecimal: Bool) -> Int64? {
    if text.isEmpty || text == "-" || text == "--" { return 0 }
    guard var digits = digits(text) else { return nil }
    digits.removeAll { $0 == (isCommaDecimal ? "." : ",") }
    if isCommaDecimal { digits = digits.replacing(",", with: ".") }
    guard let amount = ExactDecimal(digits), !amount.isNegative else { return nil }
    return amount.shifted(by: 6).integer
  }

  // MARK: Days

  /// Returns the order of dates of numbers; a date with a number above 12 decides.
  private static func dateForm(_ dates: [String], name: String, _ given: String?) throws(ImportFaults) -> DateForm? {
    if let given { return DateForm(given) }
    var isNumeric = false
    for date in dates {
      let parts = date.split(whereSeparator: { "./-".contains($0) }).prefix(2).map { Int($0) ?? 0 }
      guard parts.count == 2, (1...31).contains(parts[0]), (1...31).contains(parts[1]) else { continue }
      if parts[0] > 12 || date.contains(".") { return .dayFirst }
      if parts[1] > 12 { return .monthFirst }
      isNumeric = true
    }
    if isNumeric {
      throw ImportFaults(lines: ["\(name): dates can be day-first or month-first: say which with --dates day-first"])
    }
    return nil
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  private static func day(_ text: String, _ form: DateForm?) -> CivilDate? {
    if let day = CivilDate(String(text.prefix(10))) { return day }
    if let instant = DateForm.pattern("yyyyMMdd").instant(text) ?? form?.instant(text) {
      return CivilDate(daysSince1970: Int(instant.milliseconds / 86_400_000))
    }
    // Such as "Mar 1, 2026" and "1 March 2026".
    let words = text.split(whereSeparator: { " ,.".contains($0) }).map { $0.lowercased() }
    guard words.count == 3, let year = Int(words[2]),
      let place = words.prefix(2).firstIndex(where: { months.contains(String($0.prefix(3))) }),
      let month = months.firstIndex(of: String(words[place].prefix(3))), let day = Int(words[1 - place])
    else { return nil }
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
    return CivilDate("\(year)-\(padded(month + 1))-\(padded(day))")
  }
}
