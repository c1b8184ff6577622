internal import EventModel

/// A dimension that splits or filters rows (definitions 2.11).
public enum Dimension: Hashable, Sendable {
  case experiment
  case variant
  case paywall
  case entryPoint
  case plan
  case tier
  case trialKind
  case product
  case offering
  case offerType
  case offerCode
  /// Of payments, refunds and failed charges only.
  case stage
  /// Of recurring revenue only: whether auto-renew was on at the end of the data.
  case renewing
  case country
  case platform
  case store
  case appVersion
  case day
  case week
  case month
  case quarter
  case year
  case property(String)
  /// The unit's user; no option names it, as it only serves to list the users behind a row.
  case person

  /// The dimensions with a fixed name, in the order of the command line's help.
  private static let plain: [(name: String, dimension: Dimension)] = [
    ("variant", .variant), ("entry_point", .entryPoint), ("paywall", .paywall), ("experiment", .experiment),
    ("plan", .plan), ("tier", .tier), ("product", .product), ("country", .country), ("platform", .platform),
    ("store", .store), ("app_version", .appVersion), ("trial_kind", .trialKind), ("offering", .offering),
    ("offer_type", .offerType), ("offer_code", .offerCode), ("stage", .stage), ("renewing", .renewing), ("day", .day),
    ("week", .week), ("month", .month), ("quarter", .quarter), ("year", .year),
  ]

  public static var plainNames: [String] { plain.map(\.name) }

  /// - Parameter name: A name as in `--by`, such as `entry_point` or `property:campaign`.
  public init(name: String) throws(ReportError) {
    if let known = Self.plain.first(where: { $0.name == name }) {
      self = known.dimension
    } else if name.hasPrefix("property:"), name.utf8.count > 9 {
      self = .property(String(name.dropFirst(9)))
    } else {
      throw .unknownDimension(name)
    }
  }

  /// The column's name.
  public var name: String {
    if case .property(let name) = self { return "property:\(name)" }
    if self == .person { return "person" }
    return Self.plain.first { $0.dimension == self }?.name ?? ""
  }

  /// Returns a value of this dimension as it appears in rows: countries in capitals, and `(none)` for an empty text.
  func value(_ text: String) -> String {
    if text.isEmpty { return Self.absent }
    return self == .country && text != Self.absent ? text.uppercased() : text
  }

  /// The values with their codes, if they are not names or periods, in the order in which they are listed.
  var words: [(code: Int64, word: String)]? {
    switch self {
    case .plan: [(-1, Self.absent)] + Plan.allCases.map { (Int64($0.rawValue), $0.name) }
    case .tier: [(0, "individual"), (1, "family")]
    case .trialKind: [(0, Self.absent), (1, "introductory"), (2, "app")]
    case .stage: PaymentStage.names.enumerated().map { (Int64($0), $1) }
    case .renewing: [(1, "yes"), (0, "no")]
    default: nil
    }
  }

  /// Returns a description of the valid values if no event can have this one.
  func expectation(for text: String) -> String? {
    if let words = words?.map(\.word) {
      if words.contains(text) || text == Self.absent { return nil }
      return "one of \(words.filter { $0 != Self.absent }.joined(separator: ", "))"
    }
    switch self {
    case .day: return text == Self.absent || CivilDate(text) != nil ? nil : "a day, such as 2026-03-01"
    case .week:
      let day = CivilDate(text).map { Int64($0.daysSince1970) }
      let isMonday = day.map { code(ofDay: $0) == Dimension.day.code(ofDay: $0) } ?? false
      return text == Self.absent || isMonday ? nil : "its Monday, such as 2026-03-02"
    case .month, .quarter, .year:
      let example = [.month: "a month, such as 2026-03", .quarter: "a quarter, such as 2026-Q1"][self]
      return text == Self.absent || firstDay(ofPeriod: text) != nil ? nil : example ?? "a year, such as 2026"
    default: return nil
    }
  }

  /// The label of a row whose unit has no value.
  static let absent = "(none)"
  /// The label of a row whose unit has no context.
  static let unattributed = "(unattributed)"

  private enum Kind { case context, client, terms, period, property, ofUnit }

  private var kind: Kind {
    switch self {
    case .experiment, .variant, .paywall, .entryPoint: .context
    case .country, .platform, .store, .appVersion: .client
    case .plan, .tier, .trialKind, .product, .offering, .offerType, .offerCode: .terms
    case .day, .week, .month, .quarter, .year: .period
    case .property: .property
    case .stage, .renewing, .person: .ofUnit
    }
  }

  /// Whether the dimension is one of the four fields of a context.
  var isContext: Bool { kind == .context }

  /// Whether the dimension is a field of the device or its store.
  var isOfClient: Bool { kind == .client }

  /// Whether the dimension says which product an event is about and how it was offered.
  var isOfTerms: Bool { kind == .terms }

  var isProperty: Bool { kind == .property }

  public var isPeriod: Bool { kind == .period }

  /// Those of a context or a client, which paywall views have.
  public static let ofViews = plain.map(\.dimension).filter { $0.isContext || $0.isOfClient }

  /// Those of an offer or a payment.
  public static let ofTerms = plain.map(\.dimension).filter(\.isOfTerms)

  /// Returns the dimensions of a `--by` list; `none` gives an empty list.
  public static func list(_ text: String) throws(ReportError) -> [Dimension] {
    if text == "none" { return [] }
    var list: [Dimension] = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      let dimension = try Dimension(name: String(name))
      if list.contains(dimension) { throw .repeatedDimension(String(name)) }
      list.append(dimension)
    }
    return list
  }
}
