/// A column of a file of advertising spend.
public enum SpendField: String, CaseIterable, Sendable {
  case app
  case date
  case spend
  case currency
  case source
  case campaign
  case adGroup = "ad_group"
  case country
  case platform
  case installs
  case impressions
  case clicks

  /// The headings that advertising services give the column, as ``words(of:)`` returns them; the first is preferred.
  private var headings: [String] {
    switch self {
    case .app: ["app"]
    case .date: ["date", "day", "reporting starts", "reporting start", "by day", "start date", "stat time day"]
    case .spend: ["spend", "amount spent", "cost", "total cost", "local spend", "total spend", "amount"]
    case .currency: ["currency", "currency code", "account currency"]
    case .source: ["source", "network", "channel", "ad network", "media source", "publisher"]
    case .campaign: ["campaign", "campaign name"]
    case .adGroup: ["ad group", "ad group name", "adgroup", "adgroup name", "ad set", "ad set name", "adset name"]
    case .country:
      ["country", "country code", "country or region", "country/territory", "countries or regions", "region"]
    case .platform: ["platform", "os", "operating system", "device platform", "device os"]
    case .installs: ["installs", "app installs", "mobile app installs", "total installs"]
    case .impressions: ["impressions", "impr"]
    case .clicks: ["clicks", "link clicks", "taps"]
    }
  }

  /// Returns a heading in lower case without what is in parentheses, with single spaces for `_`, `-` and dots.
  static func words(of heading: String) -> String {
    var words = ""
    var depth = 0
    for character in heading.lowercased() {
      if character == "(" { depth += 1 }
      if depth == 0 { words.append("_-. ".contains(character) ? " " : character) }
      if character == ")" { depth -= 1 }
    }
    return words.split(separator: " ").joined(separator: " ")
  }

  /// Returns the place of the column in a header; `nil` if none has a known heading.
  func place(in header: [String]) -> Int? {
    let words = header.map(Self.words)
    return headings.lazy.compactMap { words.firstIndex(of: $0) }.first
  }
}
