/// The billing period of a product; the raw value is its code in the store.
public enum Plan: UInt8, CaseIterable, Sendable {
  case weekly
  case monthly
  case twoMonth
  case quarterly
  case semiannual
  case yearly
  case lifetime

  /// The name in event files and reports, such as `two_month`.
  public var name: String { Self.names[self] }

  private static let names = CaseNames<Plan>()

  /// Creates the plan with the given name; `nil` for an unknown name.
  public init?(name: String) {
    guard let plan = Self.names.of(name) else { return nil }
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

  /// Returns the end of `lengths` periods from `ts`, with calendar months in UTC; `nil` for `lifetime`.
  ///
  /// - Parameter ts: In ms since 1970.
  public func end(of lengths: Int, from ts: Int64) -> Int64? {
    switch self {
    case .weekly: ts + Int64(lengths) * 7 * 86_400_000
    case .lifetime: nil
    default:
      months.map { Instant(millisecondsSince1970: ts).addingMonths(lengths * $0).millisecondsSince1970 }
    }
  }

  /// Weeks in a month of 365.2425 ÷ 12 days, as a fraction: 4.348125.
  public static let weeksPerMonth = (numerator: 20_871, denominator: 4_800)

  /// Returns the payments due in the first months of a subscription, [0, months), including the first payment. A
  /// payment due exactly at the end of a month belongs to the next one.
  public func payments(within months: Int) -> Int {
    switch self {
    case .weekly:
      (months * Self.weeksPerMonth.numerator + Self.weeksPerMonth.denominator - 1) / Self.weeksPerMonth.denominator
    case .lifetime: 1
    default: self.months.map { (months + $0 - 1) / $0 } ?? 1
    }
  }
}
