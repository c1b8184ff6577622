/// A cache of the texts of days.
struct DayText {
  private var texts: [Int: [UInt8]] = [:]

  /// Returns the bytes of `YYYY-MM-DD`.
  mutating func text(of day: CivilDay) -> [UInt8] {
    if let text = texts[day.daysSinceEpoch] { return text }
    let text = Array(day.description.utf8)
    texts[day.daysSinceEpoch] = text
    return text
  }
}
