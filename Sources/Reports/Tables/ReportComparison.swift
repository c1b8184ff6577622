import EventModel
public import Metrics

/// The days before that a page is compared with, and what its reports said about them when they were as old.
public struct ReportComparison: Sendable {
  /// Days since 1970.
  public var days: Range<Int>
  public var before: Range<Int>
  /// The tables of the days before, in the order of the report's own.
  public var tables: [Report]

  public init(days: Range<Int>, before: Range<Int>, tables: [Report] = []) {
    (self.days, self.before, self.tables) = (days, before, tables)
  }

  /// How much earlier the other days are.
  public var shift: Int { days.lowerBound - before.lowerBound }

  /// Returns the period before that a period is compared with; `nil` if the two would differ in length.
  ///
  /// - Parameters:
  ///   - label: Such as `2026-03` or `2026-03-02`.
  ///   - dimension: The name of the row's dimension; labels of one that is not a period stay.
  func label(before label: String, of dimension: String) -> String? {
    guard let period = Dimension.period(dimension), let first = period.firstDay(ofPeriod: label) else { return label }
    if [.day, .week].contains(period) {
      let earlier = CivilDate(daysSince1970: first.daysSince1970 - shift)
      return period.first(of: earlier) == earlier ? period.label(ofPeriod: earlier) : nil
    }
    let (now, then) = (CivilDate(daysSince1970: days.lowerBound), CivilDate(daysSince1970: before.lowerBound))
    if now.day != 1 || then.day != 1 { return nil }
    let earlier = first.addingMonths((then.year - now.year) * 12 + then.month - now.month)
    return period.first(of: earlier) == earlier ? period.label(ofPeriod: earlier) : nil
  }
}
