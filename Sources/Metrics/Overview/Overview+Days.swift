public import EventModel

extension Overview {
  /// The requested days, cut to those in the data.
  public enum Days: Sendable, Hashable {
    case last(Int)
    case monthToDate
    case all
    /// From the first day until before the other; `nil` for an open end.
    case between(CivilDate?, CivilDate?)

    /// - Parameter data: The days of the data, in days since 1970.
    /// - Returns: A range within the data, empty where they have none of these days.
    public func range(in data: Range<Int>) -> Range<Int> {
      switch self {
      case .all: return data
      case .last(let count): return max(data.lowerBound, data.upperBound - max(1, count))..<data.upperBound
      case .monthToDate:
        var first = CivilDate(daysSince1970: data.upperBound - 1)
        first.day = 1
        return first.daysSince1970..<max(first.daysSince1970, data.upperBound)
      case .between(let first, let end):
        let low = first?.daysSince1970 ?? data.lowerBound
        return low..<max(low, min(end?.daysSince1970 ?? data.upperBound, data.upperBound))
      }
    }
  }

  /// The days to compare with.
  public enum Comparison: String, Sendable, CaseIterable {
    case before
    case yearAgo = "year"
    case off

    /// - Parameter asked: The request that the days came from: a month to date is compared with the same days of the
    ///   month before.
    /// - Returns: `nil` where the data do not have all of these days.
    public func range(for days: Range<Int>, in data: Range<Int>, asked: Days = .all) -> Range<Int>? {
      guard !days.isEmpty else { return nil }
      let range: Range<Int>
      switch self {
      case .off: return nil
      case .before where asked == .monthToDate:
        let first = CivilDate(daysSince1970: days.lowerBound).addingMonths(-1).daysSince1970
        range = first..<min(first + days.count, days.lowerBound)
      case .before: range = days.lowerBound - days.count..<days.lowerBound
      case .yearAgo:
        let first = CivilDate(daysSince1970: days.lowerBound).addingMonths(-12).daysSince1970
        range = first..<first + days.count
      }
      return range.lowerBound >= data.lowerBound ? range : nil
    }
  }
}

extension Overview {
  /// Returns numbers of which none is known yet.
  static func empty(_ days: Range<Int>) -> Part {
    let none = Number(days: days)
    return Part(
      revenue: none, recurring: none, newPayers: none, viewersWhoPay: none, trialsThatPay: none, churn: none)
  }
}
