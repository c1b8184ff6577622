internal import EventModel

/// The currencies of ISO 4217 and the decimals of their minor units.
enum CurrencyTable {
  /// Returns the number of decimals; `nil` for an unknown code.
  static func decimals(of code: String) -> Int? {
    let code = code.uppercased()
    return unusualMinorUnits[code] ?? (withTwo.contains(code) ? 2 : nil)
  }

  /// Currencies with cents by ISO 4217 whose prices have none.
  private static let withoutCents: Set<String> = ["IDR", "COP", "HUF", "IRR", "LAK", "LBP", "MMK", "TZS", "UZS"]

  /// Returns the number of decimals that prices have; `nil` for an unknown code.
  static func priceDecimals(of code: String) -> Int? {
    withoutCents.contains(code.uppercased()) ? 0 : decimals(of: code)
  }

  static func isCode(_ text: String) -> Bool { text.utf8.count == 3 && decimals(of: text) != nil }

  /// Signs of dollars with their country, the longer ones first.
  static let dollars: [(sign: String, code: String)] = [
    ("US$", "USD"), ("CA$", "CAD"), ("AU$", "AUD"), ("NZ$", "NZD"), ("HK$", "HKD"), ("MX$", "MXN"), ("A$", "AUD"),
    ("C$", "CAD"), ("R$", "BRL"), ("S$", "SGD"),
  ]

  /// Signs and codes that stand beside amounts, with the currency that they most likely mean.
  static let written: [(sign: String, code: String)] =
    dollars + [("€", "EUR"), ("£", "GBP"), ("¥", "JPY"), ("₹", "INR"), ("₩", "KRW"), ("$", "USD"), ("zł", "PLN")]
    + [("₺", "TRY"), ("₽", "RUB"), ("₫", "VND"), ("฿", "THB"), ("₪", "ILS"), ("₴", "UAH"), ("Kč", "CZK")]
    + [("円", "JPY"), ("元", "CNY"), ("원", "KRW"), ("TL", "TRY"), ("Rp", "IDR")]
    + withTwo.union(unusualMinorUnits.keys).sorted().map { ($0, $0) }

  /// Returns the code of a currency that a code, a sign or a name means; `nil` if a text means none.
  static func code(of text: String) -> String? {
    if isCode(text) { return text.uppercased() }
    return written.first { $0.sign == text }?.code ?? names[text.lowercased()]
  }

  private static let names = [
    "us dollar": "USD", "us dollars": "USD", "dollar": "USD", "dollars": "USD", "euro": "EUR", "euros": "EUR",
    "pound": "GBP", "pounds": "GBP", "pound sterling": "GBP", "british pound": "GBP", "yen": "JPY",
    "japanese yen": "JPY", "swiss franc": "CHF", "canadian dollar": "CAD", "australian dollar": "AUD",
    "indian rupee": "INR", "brazilian real": "BRL",
  ]

  private static let withTwo = Set(
    """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP \
    CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR \
    JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN \
    NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP \
    SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG
    """.split(separator: " ").map(String.init))
}
