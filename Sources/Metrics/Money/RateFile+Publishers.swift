internal import Basics
internal import EventModel

extension RateFile {
  /// Significant digits of a rate that is a quotient of two.
  private static let quotientDigits = 12

  /// Returns a ÷ b to ``quotientDigits`` digits, half to even; `nil` if it has too many decimals.
  private static func quotient(_ a: ExchangeRate.Decimal, _ b: ExchangeRate.Decimal) -> ExchangeRate.Decimal? {
    // Digits are below 10¹⁸; with 19 more, a product fits.
    let more = b.decimals - a.decimals
    guard abs(more) <= 19 else { return nil }
    let dividend = Int128(a.digits) * powerOfTen(max(0, more))
    let divisor = Int128(b.digits) * powerOfTen(max(0, -more))
    return ExchangeRate.Decimal(dividend, over: divisor, digits: quotientDigits)
  }

  static func isCode(_ text: String) -> Bool {
    text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
  }

  // MARK: European Central Bank

  /// Returns the currencies of a header `Date,USD,JPY,...`, perhaps with a comma at its end; `nil` for any other text.
  static func centralBankHeader(_ text: String) -> [String]? {
    let line = text.prefix { !$0.isNewline }
    var cells = line.split(separator: ",", omittingEmptySubsequences: false).map { unquoted(String($0)) }
    if cells.last == "" { cells.removeLast() }
    guard cells.count >= 2, cells[0] == "Date", cells.dropFirst().allSatisfy(isCode), cells.contains("USD") else {
      return nil
    }
    return Array(cells.dropFirst())
  }

  /// Reads units per euro, one line per day. A euro costs the number under `USD` in dollars; any other currency costs
  /// that number ÷ its own.
  static func centralBankRates(_ text: String, name: String) throws(ImportFaults) -> [ExchangeRate] {
    let currencies = centralBankHeader(text) ?? []
    guard let dollars = currencies.firstIndex(of: "USD") else { return [] }
    var faults: [String] = []
    var rates: [ExchangeRate] = []
    var days: Set<CivilDate> = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated().dropFirst() {
      func fault(_ what: String) { faults.append("\(name):\(index + 1): \(what)") }
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map { unquoted(String($0)) }
      if cells.allSatisfy(\.isEmpty) { continue }
      guard let date = CivilDate(cells[0]), date.year >= 1970 else {
        fault("date is \(cells[0]), but must be a day such as 2026-03-01")
        continue
      }
      guard days.insert(date).inserted else {
        fault("\(date) occurs twice; expected one line per day")
        continue
      }
      let values = cells.dropFirst().prefix(currencies.count)
      guard values.count == currencies.count, let euro = ExchangeRate.Decimal(cells[dollars + 1]) else {
        fault("has no rate of the US dollar; expected \(currencies.count) rates after the day")
        continue
      }
      rates.append(ExchangeRate(date: date, currency: "EUR", usdPerUnit: euro))
      for (currency, value) in zip(currencies, values) where currency != "USD" && !["", "N/A"].contains(value) {
        guard let units = ExchangeRate.Decimal(value), let rate = quotient(euro, units) else {
          fault("\(currency) is \(value), but must be a decimal above 0 or N/A")
          continue
        }
        rates.append(ExchangeRate(date: date, currency: currency, usdPerUnit: rate))
      }
    }
    guard faults.isEmpty else { throw ImportFaults(lines: faults) }
    return rates
  }

  // MARK: openexchangerates

  /// Reads `historical/DAY.json`, whose day is that of its `timestamp`, or `time-series.json`, which has rates by day.
  static func openExchangeRates(_ text: String, name: String) throws(ImportFaults) -> [ExchangeRate] {
    guard let document = JSONNode(parsing: Array(text.utf8)), case .string(let base)? = document["base"], isCode(base),
      let members = document["rates"]?.members
    else {
      throw ImportFaults(lines: [
        "\(name): is JSON without `base` and `rates`, which files of openexchangerates.org have; import such a file, or a "
          + "CSV with the columns date,currency,usd_per_unit"
      ])
    }
    var faults: [String] = []
    var rates: [ExchangeRate] = []
    func add(_ date: CivilDate, _ members: [JSONMember]) {
      var units: [(currency: String, units: ExchangeRate.Decimal)] = []
      for member in members where isCode(member.name) {
        guard case .number(let text) = member.value, let value = ExchangeRate.Decimal(text) else {
          faults.append("\(name): \(member.name) of \(date) is not a decimal above 0")
          continue
        }
        units.append((member.name, value))
      }
      guard let dollars = base == "USD" ? .one : units.first(where: { $0.currency == "USD" })?.units else {
        faults.append("\(name): \(date) has no US dollars; the base is \(base)")
        return
      }
      if base != "USD" { units.append((base, .one)) }
      for (currency, value) in units where currency != "USD" {
        guard let rate = quotient(dollars, value) else {
          faults.append("\(name): \(currency) of \(date) is too small to be stored")
          continue
        }
        rates.append(ExchangeRate(date: date, currency: currency, usdPerUnit: rate))
      }
    }
    if case .number(let seconds)? = document["timestamp"], let seconds = Int64(seconds), seconds >= 0,
      seconds < 1 << 40
    {
      add(CivilDate(daysSince1970: Int(seconds / 86_400)), members)
    } else {
      for member in members {
        guard let date = CivilDate(member.name), let rates = member.value.members else {
          faults.append("\(name): \(member.name) is not a day with rates")
          continue
        }
        add(date, rates)
      }
    }
    guard faults.isEmpty else { throw ImportFaults(lines: faults) }
    return rates
  }
}
