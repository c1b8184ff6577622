public import EventModel

/// A length of time such as `28d`, `4w` or `3mo`.
public struct DayCount: Sendable, Equatable {
  public var count: Int
  /// ``Dimension/day``, ``Dimension/week`` or ``Dimension/month``.
  var unit: Dimension

  /// A regular expression of the texts.
  public static let pattern = "[1-9][0-9]{0,3}(d|days?|w|weeks?|m|mo|months?)"

  public init?(_ text: String) {
    let units: [(suffix: String, unit: Dimension)] = [
      ("days", .day), ("day", .day), ("d", .day), ("weeks", .week), ("week", .week), ("w", .week), ("months", .month),
      ("month", .month), ("mo", .month), ("m", .month),
    ]
    for (suffix, unit) in units where text.hasSuffix(suffix) {
      guard let count = Int(text.dropLast(suffix.utf8.count)), (1...9_999).contains(count) else { return nil }
      (self.count, self.unit) = (count, unit)
      return
    }
    return nil
  }

  public func days(before end: CivilDate) -> Int { end.daysSince1970 - first(before: end).daysSince1970 }

  public func first(before end: CivilDate) -> CivilDate {
    unit == .month
      ? end.addingMonths(-count) : CivilDate(daysSince1970: end.daysSince1970 - count * (unit == .week ? 7 : 1))
  }
}

/// A day as options name it: a date, a period such as `2026-03`, `2026-Q1` or `2026`, or words relative to the newest
/// event, such as `yesterday`, `monday`, `28d`, `last month` or `this quarter`.
public struct DayWord: Sendable, Equatable {
  private enum Word: Equatable {
    case date(CivilDate)
    /// Days before the newest.
    case before(Int)
    case count(DayCount)
    /// From Monday, 0.
    case weekday(Int)
    /// The period of the newest day, or periods before it.
    case period(Dimension, before: Int)
    /// A month, quarter or year, with its first day.
    case named(Dimension, CivilDate)
  }

  private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  private var word: Word

  /// A regular expression of the words, in lower case.
  public static let pattern =
    "today|yesterday|\(weekdays.joined(separator: "|"))|\(DayCount.pattern)|(this|last)[ _+-](week|month|quarter|year)|"
    + "[0-9]{4}(-(0[1-9]|1[0-2]|q[1-4]))?"

  public init?(_ text: String) {
    let text = text.lowercased()
    let parts = text.split(whereSeparator: { " _-+".contains($0) }).map(String.init)
    if let date = CivilDate(text), date.isValid {
      word = .date(date)
    } else if let count = DayCount(text) {
      word = .count(count)
    } else if let day = ["today", "yesterday"].firstIndex(of: text) {
      word = .before(day)
    } else if let day = Self.weekdays.firstIndex(of: text) {
      word = .weekday(day)
    } else if parts.count == 2, let before = ["this", "last"].firstIndex(of: parts[0]),
      let period = Dimension.period(parts[1]), period != .day
    {
      word = .period(period, before: before)
    } else if let (period, first) = Self.named(text) {
      word = .named(period, first)
    } else {
      return nil
    }
  }

  /// Returns the period that a text names, such as `2026-03`, `2026-q1` or `2026`, with its first day.
  private static func named(_ text: String) -> (Dimension, CivilDate)? {
    for period in [Dimension.month, .quarter, .year] {
      if let first = period.firstDay(ofPeriod: text.uppercased()), first.isValid { return (period, first) }
    }
    return nil
  }

  /// The date; `nil` for periods and for words that depend on the data.
  public var date: CivilDate? { if case .date(let date) = word { date } else { nil } }

  /// Whether the word is a week, month, quarter or year.
  var isPeriod: Bool {
    switch word {
    case .period, .named: true
    case .date, .before, .count, .weekday: false
    }
  }

  /// Whether the word is a period that is over, such as `last week`.
  var isOver: Bool { if case .period(_, let before) = word { before > 0 } else { false } }

  /// Returns the day of the word: of a period, the first.
  ///
  /// - Parameter newest: The day of the newest event.
  public func first(newest: CivilDate) -> CivilDate {
    let number = newest.daysSince1970
    switch word {
    case .date(let date), .named(_, let date): return date
    case .before(let days): return CivilDate(daysSince1970: number - days)
    case .count(let count): return count.first(before: CivilDate(daysSince1970: number + 1))
    case .weekday(let day):
      let monday = CivilDate.monday(ofDay: number)
      return CivilDate(daysSince1970: monday + day <= number ? monday + day : monday + day - 7)
    case .period(let period, let before):
      var first = period.first(of: newest)
      for _ in 0..<before { first = period.first(of: CivilDate(daysSince1970: first.daysSince1970 - 1)) }
      return first
    }
  }

  /// Returns the day that the word ends before: of a period, the first of the next one.
  public func end(newest: CivilDate) -> CivilDate {
    let first = first(newest: newest)
    return switch word {
    case .period(let period, _), .named(let period, _): period.next(first)
    default: first
    }
  }

  /// Returns the expected form for a text that is not a day, with the two readings of a date such as `01/02/2026`.
  public static func expectation(for text: String) -> String {
    let parts = text.split { "/.".contains($0) }.compactMap { Int($0) }
    if parts.count == 3, parts[2] > 31 {
      let readings = [(parts[0], parts[1]), (parts[1], parts[0])].map {
        CivilDate(year: parts[2], month: $0.0, day: $0.1)
      }.filter(\.isValid).map(\.description)
      if !readings.isEmpty { return "written as \(Array(Set(readings)).sorted().joined(separator: " or "))" }
    }
    return "a day, such as 2026-03-01, or 2026-03, yesterday, monday, 28d, last month, this quarter"
  }
}
