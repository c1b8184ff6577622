internal import EventModel
internal import Lifecycle

/// The purchases whose money a forecast covers, and the time in which it counts (LTV.md, "How wrong were earlier
/// forecasts?").
enum ForecastTarget: Hashable, Comparable, CaseIterable {
  /// Those active at the origin, and a horizon of ``DueTable/horizons`` after it.
  case active(Int)
  /// Those that became 30 days old since the origin before, and their first 12 months.
  case new

  static let allCases = DueTable.horizons.indices.map(ForecastTarget.active) + [.new]
  static let months = 12
  /// How old new purchases are at the origin, in ms.
  static let age = 30 * day

  /// Days of money.
  var days: Int { if case .active(let place) = self { DueTable.horizons[place] } else { 365 } }
  var name: String { self == .new ? "new" : "active" }

  /// The time after the origin, in ms, when all of it is over; the longest 12 months have 366 days.
  var reach: Int64 {
    if case .active(let place) = self { Int64(DueTable.horizons[place]) * day } else { 366 * day - Self.age }
  }

  /// Whether a purchase became new between two origins.
  static func isNew(_ start: Int64, at origin: Int64, after before: Int64) -> Bool {
    let old = origin - start
    return old >= age && old - age < origin - before
  }

  func time(of member: OriginMember, at origin: Int64) -> Range<Int64> {
    if self != .new { return origin..<origin + reach }
    let end = Instant(millisecondsSince1970: member.start).addingMonths(Self.months).millisecondsSince1970
    return member.start..<end
  }
}
