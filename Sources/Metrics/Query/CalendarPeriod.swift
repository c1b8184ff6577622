public import EventModel

/// The calendar of ``Dimension/day``, ``Dimension/week``, ``Dimension/month``, ``Dimension/quarter`` and
/// ``Dimension/year``.
extension Dimension {
  /// The periods by name, the shortest first.
  public static let periods: [Dimension] = [.day, .week, .month, .quarter, .year]

  /// The period with a name such as `month`; `nil` for a dimension that is not a period.
  public static func period(_ name: String) -> Dimension? { periods.first { $0.name == name } }

  /// Months of a period; `nil` for days and weeks.
  private var months: Int? { [.month: 1, .quarter: 3, .year: 12][self] }

  /// Returns the first day of the period that contains a day.
  public func first(of date: CivilDate) -> CivilDate {
    guard let months else {
      return self == .week ? CivilDate(daysSince1970: CivilDate.monday(ofDay: date.daysSince1970)) : date
    }
    return CivilDate(year: date.year, month: (date.month - 1) / months * months + 1, day: 1)
  }

  /// Returns the first day of the period after the one that begins on a day.
  public func next(_ first: CivilDate) -> CivilDate {
    months.map(first.addingMonths) ?? CivilDate(daysSince1970: first.daysSince1970 + (self == .week ? 7 : 1))
  }

  /// Returns the first day of a period by its label, such as `2026-03-02`, `2026-03`, `2026-Q1` or `2026`.
  public func firstDay(ofPeriod label: String) -> CivilDate? {
    switch self {
    case .month: return CivilDate(label + "-01")
    case .quarter:
      let parts = label.split(separator: "-Q", omittingEmptySubsequences: false)
      guard parts.count == 2, let quarter = Int(parts[1]), (1...4).contains(quarter), parts[1].utf8.count == 1 else {
        return nil
      }
      return CivilDate("\(parts[0])-01-01").map { $0.addingMonths(3 * (quarter - 1)) }
    case .year: return CivilDate(label + "-01-01")
    default: return CivilDate(label)
    }
  }

  /// Returns the label of the period that begins on a day.
  public func label(ofPeriod first: CivilDate) -> String {
    let text = first.description
    return switch self {
    case .month: String(text.dropLast(3))
    case .quarter: "\(text.dropLast(6))-Q\((first.month + 2) / 3)"
    case .year: String(text.dropLast(6))
    default: text
    }
  }

  /// Returns the code of a UTC or local day as a day, or as the period that contains it.
  func code(ofDay number: Int64) -> Int64 {
    self == .day
      ? number * 86_400_000
      : Instant(startOf: first(of: CivilDate(daysSince1970: Int(number)))).millisecondsSince1970
  }
}
