/// The other side of a comparison, as `--compare` names it (definitions 9.1).
public struct ComparedWith: Sendable, Equatable {
  enum Side: Sendable, Equatable {
    /// The period before, of the same length.
    case previous
    /// From the first day until before the second.
    case days(DayWord, DayWord)
    /// These users, on the report's own days.
    case values(ReportOptions.Filter)
  }

  var side: Side

  /// The dimension whose values are the sides; `nil` where the sides are periods.
  var dimension: Dimension? { if case .values(let filter) = side { filter.dimension } else { nil } }

  /// - Returns: `nil` for other text than `previous`, a period such as `2026-01`, `DAY..DAY` and
  ///   `DIMENSION=VALUE[,VALUE]`.
  /// - Throws: ``ReportError`` for an unknown dimension.
  init?(_ text: String) throws {
    if text == "previous" {
      side = .previous
    } else if let dots = text.firstRange(of: ".."), let first = DayWord(String(text[..<dots.lowerBound])),
      let end = DayWord(String(text[dots.upperBound...]))
    {
      side = .days(first, end)
    } else if let word = DayWord(text), word.isPeriod {
      side = .days(word, word)
    } else if let equals = text.firstIndex(of: "="), equals != text.startIndex {
      let values = text[text.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false)
      let filter = try ReportOptions.Filter(String(text[..<equals]), values: values.map(String.init))
      if filter.isExcluding || filter.dimension.isPeriod { return nil }
      side = .values(filter)
    } else {
      return nil
    }
  }

  /// Whether the sides are two periods.
  var isOfPeriods: Bool { if case .values = side { false } else { true } }
}
