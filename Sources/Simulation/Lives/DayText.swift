internal import EventModel

/// A cache of the texts of days.
struct DayText {
  private var texts: [Int: [UInt8]] = [:]

  /// Returns the bytes of `YYYY-MM-DD`, from days since 1970-01-01.
  mutating func text(ofDay day: Int) -> [UInt8] {
    if let text = texts[day] { return text }
    let text = Array(CivilDate(daysSince1970: day).description.utf8)
    texts[day] = text
    return text
  }
}
