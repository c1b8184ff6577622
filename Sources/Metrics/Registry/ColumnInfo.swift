/// A description of one column of a report: its heading, its unit, its rule and one sentence of help.
public struct ColumnInfo: Sendable, Hashable {
  /// The name in CSV and JSON; `*` stands for the number in names such as `at_risk_35`.
  public var identifier: String
  /// The heading that people read; `*` stands for the same number.
  public var heading: String
  /// The unit that is counted, `share` for fractions of 1, or `money`; empty for texts.
  public var unit: String
  /// The numbers of the definitions, such as `3.1, 3.3`; empty where none defines the column.
  public var rule: String
  /// One sentence.
  public var help: String
  /// Whether people see the column without asking for it.
  public var isCore: Bool
  /// Whether the number is of an instant, or of those counted at one: it does not grow with the days, and periods do not
  /// add up to it.
  public var isState: Bool
  /// The numbers of the name for which the column is core; `nil` for all.
  private var coreNumbers: Set<Int>?

  init(
    _ identifier: String, _ heading: String, _ unit: String, _ help: String, rule: String = "", isCore: Bool = false,
    coreAt: Set<Int>? = nil, isState: Bool = false
  ) {
    self.identifier = identifier
    self.heading = heading
    self.unit = unit
    self.rule = rule
    self.help = help
    self.isCore = isCore || coreAt != nil
    self.isState = isState
    coreNumbers = coreAt
  }

  /// A column that people see without asking for it.
  static func core(
    _ identifier: String, _ heading: String, _ unit: String, _ help: String, rule: String = "", isState: Bool = false
  ) -> ColumnInfo {
    ColumnInfo(identifier, heading, unit, help, rule: rule, isCore: true, isState: isState)
  }

  /// Returns the name with `*` for its first number and that number, or `nil` for a name without one.
  public static func pattern(of name: String) -> (pattern: String, number: String)? {
    guard let digits = name.firstRange(of: #/[0-9]+/#) else { return nil }
    return (name.replacingCharacters(in: digits, with: "*"), String(name[digits]))
  }

  /// Returns the description with a number for each `*`.
  func filled(_ number: String) -> ColumnInfo {
    func fill(_ text: String) -> String {
      (number == "1" ? text.replacing("* months", with: "1 month") : text).replacing("*", with: number)
    }
    var info = self
    info.identifier = fill(identifier)
    info.heading = fill(heading)
    info.help = fill(help)
    if let coreNumbers { info.isCore = Int(number).map(coreNumbers.contains) ?? false }
    info.coreNumbers = nil
    return info
  }
}

extension [ColumnInfo] {
  /// Returns the columns with a rule for those that have none.
  func ruled(by rule: String) -> [ColumnInfo] {
    map { column in
      var column = column
      if column.rule.isEmpty { column.rule = rule }
      return column
    }
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
    String(self[..<range.lowerBound]) + text + self[range.upperBound...]
  }
}

extension ColumnInfo {
  static let app = ColumnInfo("app", "app", "", "App that the row is about.", rule: "1.2", isCore: true)

  /// The columns that rows of money are grouped by.
  static let currency = ColumnInfo(
    "currency", "currency", "", "Currency of the row's amounts, as an ISO 4217 code.", rule: "1.4", isCore: true)

  /// The description of a column that `--by` adds.
  static func dimension(_ name: String) -> ColumnInfo? {
    if name.hasPrefix("property:") {
      let property = String(name.dropFirst("property:".count))
      return ColumnInfo(name, property, "", "Value of the event property \(property).", rule: "2.11", isCore: true)
    }
    return plainDimensions[name]
  }

  private static let plainDimensions: [String: ColumnInfo] = Dictionary(
    uniqueKeysWithValues: [
      ("variant", "variant", "Variant of the experiment that the paywall was part of."),
      ("entry_point", "entry point", "Place in the app from which the paywall was opened."),
      ("paywall", "paywall", "Paywall that was shown."),
      ("experiment", "experiment", "Experiment that the paywall was part of."),
      ("plan", "plan", "Plan that was bought or tried, such as monthly or yearly."),
      ("tier", "tier", "Individual or family product."),
      ("country", "country", "Country of the store account, as two capital letters."),
      ("platform", "platform", "Platform of the device, such as iOS."),
      ("store", "store", "Store that sold the product."),
      ("app_version", "version", "Version of the app."),
      ("trial_kind", "kind of trial", "Introductory trial of the store, or the app's own."),
      ("product", "product", "Product that was bought or tried, by its id."),
      ("offering", "offering", "Set of products on the paywall, by its id."),
      ("offer_type", "offer", "Kind of discount, such as introductory or win_back."),
      ("offer_code", "offer code", "Code of the discount."),
      (
        "stage", "payment no.",
        "Number of the payment in its subscription, or of the last one before a failed charge; ? if the subscription began "
          + "before the data."
      ),
      ("renewing", "renews", "Whether auto-renew of the subscription was on at the end of the data."),
      ("day", "day", "Day in the time zone of the report."),
      ("week", "week", "Week, named by its Monday."),
      ("month", "month", "Calendar month."),
      ("quarter", "quarter", "Calendar quarter."),
      ("year", "year", "Calendar year."),
    ].map { ($0.0, ColumnInfo($0.0, $0.1, "", $0.2, rule: "2.11", isCore: true)) })
}
