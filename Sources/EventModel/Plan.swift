/// The billing period of a product; the raw value is how the store codes it.
public enum Plan: UInt8, CaseIterable, Sendable {
  case weekly
  case monthly
  case twoMonth
  case quarterly
  case semiannual
  case yearly
  case lifetime

  /// The name in event files and reports, such as `two_month`.
  public var name: String {
    switch self {
    case .weekly: "weekly"
    case .monthly: "monthly"
    case .twoMonth: "two_month"
    case .quarterly: "quarterly"
    case .semiannual: "semiannual"
    case .yearly: "yearly"
    case .lifetime: "lifetime"
    }
  }

  /// The plan of that name; `nil` for an unknown one.
  public init?(name: String) {
    guard let plan = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = plan
  }

  /// Length in calendar months; `nil` for `weekly` (7 days) and `lifetime` (no end).
  public var months: Int? {
    switch self {
    case .weekly, .lifetime: nil
    case .monthly: 1
    case .twoMonth: 2
    case .quarterly: 3
    case .semiannual: 6
    case .yearly: 12
    }
  }
}
