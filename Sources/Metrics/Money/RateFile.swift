public import Basics
public import EventModel

/// A file of exchange rates: CSV with the header `date,currency,usd_per_unit`, the European Central Bank's history, or
/// openexchangerates' `historical` and `time-series`.
public enum RateFile {
  private static let columns = ["date", "currency", "usd_per_unit"]

  /// Returns the rates of a file, in its order. Lines end in `\n` or `\r\n`, blank ones are skipped, and cells may be
  /// quoted.
  ///
  /// - Parameter name: The file's name in faults.
  /// - Throws: ``ImportFaults`` with all of them.
  public static func rates(_ text: String, name: String) throws(ImportFaults) -> [ExchangeRate] {
    let content = content(of: text)
    if isOpenExchangeRates(content) { return try openExchangeRates(content, name: name) }
    if centralBankHeader(content) != nil { return try centralBankRates(content, name: name) }
    return try plainRates(content, name: name).map(\.rate)
  }

  /// Returns a text without a byte-order mark.
  private static func content(of text: String) -> String {
    text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
  }

  private static func isOpenExchangeRates(_ content: String) -> Bool {
    content.first { !$0.isWhitespace } == "{"
  }

  /// Returns the rates of a CSV with their lines; none for the layouts of publishers.
  static func lines(_ text: String, name: String) throws(ImportFaults) -> [(line: Int, rate: ExchangeRate)] {
    let content = content(of: text)
    if isOpenExchangeRates(content) || centralBankHeader(content) != nil { return [] }
    return try plainRates(content, name: name)
  }

  private static func plainRates(
    _ content: String, name: String
  ) throws(ImportFaults) -> [(line: Int, rate: ExchangeRate)] {
    var faults: [String] = []
    var rates: [(line: Int, rate: ExchangeRate)] = []
    var places: [Int]?
    /// The line and rate of each day and currency seen so far.
    var seen: [String: (line: Int, usdPerUnit: ExchangeRate.Decimal)] = [:]
    for (index, line) in content.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      func fault(_ what: String) { faults.append("\(name):\(index + 1): \(what)") }
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map { unquoted(String($0)) }
      if cells.allSatisfy(\.isEmpty) { continue }
      guard let places else {
        let found = columns.map { column in cells.indices.filter { cells[$0] == column } }
        guard cells.count == columns.count, found.allSatisfy({ $0.count == 1 }) else {
          fault(
            "header is \(line), but must be \(columns.joined(separator: ",")), or that of the ECB's eurofxref-hist.csv")
          break
        }
        places = found.map { $0[0] }
        continue
      }
      guard cells.count == columns.count else {
        fault("\(cells.count) cells; expected \(columns.count): \(columns.joined(separator: ","))")
        continue
      }
      switch rate(places.map { cells[$0] }) {
      case .failure(let error): fault(error.what)
      case .success(let rate):
        let key = "\(rate.currency) \(rate.date)"
        if let first = seen[key] {
          if first.usdPerUnit != rate.usdPerUnit {
            fault(
              "\(key) is \(rate.usdPerUnit), but \(first.usdPerUnit) in line \(first.line); expected one rate a day")
          }
        } else {
          seen[key] = (index + 1, rate.usdPerUnit)
          rates.append((index + 1, rate))
        }
      }
    }
    if places == nil && faults.isEmpty {
      faults.append("\(name): is empty; expected the header \(columns.joined(separator: ","))")
    }
    guard faults.isEmpty else { throw ImportFaults(lines: faults) }
    return rates
  }

  private struct Fault: Error { var what: String }

  private static func rate(_ cells: [String]) -> Result<ExchangeRate, Fault> {
    guard let date = CivilDate(cells[0]), date.year >= 1970 else {
      return .failure(Fault(what: "date is \(cells[0]), but must be a day such as 2026-03-01"))
    }
    let currency = cells[1].uppercased()
    guard isCode(currency) else {
      return .failure(Fault(what: "currency is \(cells[1]), but must be an ISO 4217 code such as EUR"))
    }
    guard let usdPerUnit = ExchangeRate.Decimal(cells[2]) else {
      return .failure(
        Fault(
          what: "usd_per_unit is \(cells[2]), but must be a decimal above 0 such as 1.0842, of at most 18 digits and "
            + "\(ExchangeRate.Decimal.mostDecimals) decimals"))
    }
    if currency == "USD" && usdPerUnit != .one {
      return .failure(Fault(what: "usd_per_unit of USD is \(usdPerUnit), but must be 1"))
    }
    return .success(ExchangeRate(date: date, currency: currency, usdPerUnit: usdPerUnit))
  }

  static func unquoted(_ cell: String) -> String {
    let trimmed = cell.trimmed
    guard trimmed.count >= 2, trimmed.first == "\"", trimmed.last == "\"" else { return trimmed }
    return String(trimmed.dropFirst().dropLast())
  }
}
