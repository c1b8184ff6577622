/// A description of one column of a report: its heading, its unit, its rule, and how users add up to its numbers.
public struct ColumnInfo: Sendable, Hashable {
  /// The name in CSV and JSON; `*` stands for the number in names such as `at_risk_35`.
  public var identifier: String
  /// The heading that people read; `*` stands for the same number.
  public var heading: String
  /// The unit that is counted, `share` for fractions of 1, or `money`; empty for texts.
  public var unit: String
  /// The numbers of the definitions, such as `3.1, 3.3`; empty where none defines the column.
  public var rule: String
  /// One sentence, of which `explain` makes the reason why a unit counts, with the days of its horizon.
  private var sentence: String
  /// The sentence for readers, to whom the horizon is an option.
  public var help: String { sentence.replacing("the horizon", with: "the days of `--horizon`") }
  /// Whether people see the column without asking for it.
  public var isCore: Bool
  /// Whether the number is of an instant, or of those counted at one: it does not grow with the days, and periods do not
  /// add up to it.
  public var isState: Bool
  /// How users add up to the numbers; `nil` for a column whose numbers are not of users.
  var sum: ColumnSum?
  /// The units of the row that do not count, and why.
  var others: [OtherUnits]
  /// Whether other columns are computed from it, and reports do not print it.
  var isBasis = false
  /// The numbers of the name for which the column is core; `nil` for all.
  private var coreNumbers: Set<Int>?

  /// - Parameters:
  ///   - others: The units of the row that do not count.
  ///   - siblings: Columns of which each unit counts in one; their other units do not count.
  init(
    _ identifier: String, _ heading: String, _ number: ColumnNumber, _ help: String, rule: String = "",
    others: [OtherUnits] = [], siblings: [String] = [], isCore: Bool = false, coreAt: Set<Int>? = nil,
    isState: Bool = false
  ) {
    self.identifier = identifier
    self.heading = heading
    (unit, sum) = (number.unit, number.sum)
    self.rule = rule
    sentence = help
    self.others =
      siblings.filter { $0 != identifier }.map { OtherUnits(columns: [$0]) }
      + others.map { $0.isRest ? $0.less(identifier) : $0 }
    self.isCore = isCore || coreAt != nil
    self.isState = isState
    coreNumbers = coreAt
  }

  /// A column that people see without asking for it.
  static func core(
    _ identifier: String, _ heading: String, _ number: ColumnNumber, _ help: String, rule: String = "",
    others: [OtherUnits] = [], siblings: [String] = [], isState: Bool = false
  ) -> ColumnInfo {
    ColumnInfo(
      identifier, heading, number, help, rule: rule, others: others, siblings: siblings, isCore: true, isState: isState)
  }

  /// A column that is not printed, but that others are computed from.
  static func basis(
    _ identifier: String, _ unit: ColumnNumber, _ help: String, rule: String = "", others: [OtherUnits] = []
  ) -> ColumnInfo {
    var info = ColumnInfo(identifier, "", unit, help, rule: rule, others: others)
    info.isBasis = true
    return info
  }

  /// Returns the name with `*` for its first number and that number, or `nil` for a name without one.
  public static func pattern(of name: String) -> (pattern: String, number: String)? {
    guard let start = name.firstIndex(where: { ("0"..."9").contains($0) }) else { return nil }
    let number = name[start...].prefix { ("0"..."9").contains($0) }
    return ("\(name[..<start])*\(name[number.endIndex...])", String(number))
  }

  /// Returns the description with a number for each `*`.
  func filled(_ number: String) -> ColumnInfo {
    func fill(_ text: String) -> String {
      (number == "1" ? text.replacing("* months", with: "1 month") : text).replacing("*", with: number)
    }
    var info = self
    info.identifier = fill(identifier)
    info.heading = fill(heading)
    info.sentence = fill(sentence)
    info.sum = sum?.map(fill)
    info.others = others.map { $0.map(fill) }
    if let coreNumbers { info.isCore = Int(number).map(coreNumbers.contains) ?? false }
    info.coreNumbers = nil
    return info
  }

  /// The help as a part of a sentence.
  var phrase: String {
    // A method keeps the capitals of its authors.
    let keepsCapital = sentence.prefix { $0 != " " }.contains("–")
    let text = sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
    return keepsCapital ? String(text) : text.prefix(1).lowercased() + text.dropFirst()
  }

  /// Whether it is a quotient of counts, and not one for each of several numbers.
  var isPlainRatio: Bool { if case .ratio? = sum { !identifier.contains("*") } else { false } }
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

  /// Returns the columns as numbers that are not of users.
  var ofNoUsers: [ColumnInfo] {
    map { column in
      var column = column
      column.sum = nil
      return column
    }
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
