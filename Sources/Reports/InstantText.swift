/// An instant in UTC by RFC 3339: `2026-03-01T00:00:00.000Z`.
func instantText(_ millisecondsSince1970: Int64) -> String {
  let (day, time) = dayAndTime(millisecondsSince1970)
  let (year, month, dayOfMonth) = civilDate(daysSince1970: day)
  func padded(_ value: Int64, _ digits: Int) -> String {
    let written = String(value.magnitude)
    return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, digits - written.count)) + written
  }
  return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
    + "T\(padded(time / 3_600_000, 2)):\(padded(time / 60_000 % 60, 2)):\(padded(time / 1_000 % 60, 2))"
    + ".\(padded(time % 1_000, 3))Z"
}

private func dayAndTime(_ milliseconds: Int64) -> (day: Int64, time: Int64) {
  let (day, time) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
  return time < 0 ? (day - 1, time + 86_400_000) : (day, time)
}

/// The Gregorian date, in eras of 400 years that begin on 1 March.
///
/// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
private func civilDate(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
  let days = daysSince1970 + 719_468
  let era = (days >= 0 ? days : days - 146_096) / 146_097
  let dayOfEra = days - era * 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
}
