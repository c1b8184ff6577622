internal import EventModel

/// The texts of days, each made once.
struct DayText {
  private var texts: [Int: [UInt8]] = [:]

  /// The bytes of `YYYY-MM-DD`, of days since 1970-01-01.
  mutating func text(ofDay day: Int) -> [UInt8] {
    if let text = texts[day] { return text }
    let text = Array(CivilDate(daysSince1970: day).description.utf8)
    texts[day] = text
    return text
  }
}
