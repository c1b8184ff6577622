import EventModel
import Metrics
import Statistics

// Numbers in the sentences of a readout.

/// Returns a relative change without its unit, such as `+52` or `−7.2`: whole percents, one decimal below 10.
///
/// - Returns: `nil` if it is not finite.
func liftNumber(_ lift: Double, decimals: Int? = nil) -> String? {
  signedText(lift * 100, decimals: decimals ?? (abs(lift) < 0.0995 ? 1 : 0))
}

/// Returns a relative change, such as `+12%` or `−3.1%`; `nil` if it is not finite.
func liftText(_ lift: Double?) -> String? { lift.flatMap { liftNumber($0) }.map { "\($0)%" } }

/// Returns the bounds of a relative change, such as `−3.1 to +20%`; an open end is named as open.
func liftBoundsText(_ interval: Interval?) -> String? {
  guard let interval else { return nil }
  let leavesOutZero = interval.low > 0 || interval.high < 0
  func text(_ bound: Double) -> String? {
    boundText(bound * 100, decimals: abs(bound) < 0.0995 ? 1 : 0, leavesOutZero: leavesOutZero)
  }
  let low = text(interval.low)
  guard let high = text(interval.high) else { return "\(low.map { "\($0)%" } ?? "open") to open" }
  return "\(low ?? "open") to \(high)%"
}

/// Returns the bounds of a lift within a margin, with as many decimals as it takes to show that they are within it.
func liftBoundsText(_ interval: Interval, within margin: Double) -> String? {
  func inside(_ value: Double) -> String? {
    let percent = abs(value) * 100
    for decimals in [percent < 9.95 ? 1 : 0, 1, 2, 3] {
      guard let scaled = scaledHalfToEven(percent, decimals: decimals) else { return nil }
      let text = fixedPointText(scaled, decimals: decimals)
      if decimals == 3 || (Double(text) ?? 0) < margin * 100 || percent >= margin * 100 {
        return signedText(value * 100, decimals: decimals)
      }
    }
    return nil
  }
  guard let low = inside(interval.low), let high = inside(interval.high) else { return nil }
  return "\(low) to \(high)%"
}

/// Returns a chosen share, such as `10%` or `2.5%`, with no more digits than it has.
func chosenShare(_ share: Double) -> String { shortNumber(share * 100).map { "\($0)%" } ?? undefinedMark }

/// Returns a share in percent with one decimal, such as `12.4%`.
func percentText(_ share: Double?) -> String? { MetricText(.share).value(share) }

/// Returns a share in whole percents, such as `78%`; a share below 1 never reads `100%`.
func wholePercentText(_ share: Double) -> String {
  guard let scaled = scaledHalfToEven(share * 100, decimals: 0) else { return undefinedMark }
  return scaled >= 100 && share < 1 ? percentText(min(share, 0.999)) ?? undefinedMark : "\(scaled)%"
}

/// Returns a p-value for a sentence, such as `p = 0.0016` or `p < 0.0001`.
func probabilityClause(_ p: Double) -> String {
  guard p.isFinite else { return "p unknown" }
  if p < 0.0001 { return "p < 0.0001" }
  let decimals = p < 0.00095 ? 4 : p < 0.0095 ? 3 : 2
  guard let scaled = scaledHalfToEven(p, decimals: decimals) else { return "p unknown" }
  return "p = \(fixedPointText(scaled, decimals: decimals))"
}

/// Returns a count with thousands separators.
func countText(_ count: Int) -> String { fixedPointText(Int128(count), decimals: 0, isGrouped: true) }

/// Returns a number of users in words.
func userText(_ count: Int) -> String { counted(count, "user") }

/// Returns a planned number of users, rounded up.
func countText(planned count: Double) -> String {
  count.isFinite && count < 1e15 ? countText(Int(count.rounded(.up))) : undefinedMark
}

/// Returns users per day; whole users from 10 on.
func dailyText(_ users: Double) -> String { fixed(users, users >= 9.95 ? 0 : 1) }

/// Returns an amount per year with three significant digits, such as `22,500`.
func yearlyText(_ amount: Double, hasSign: Bool) -> String {
  guard amount.isFinite else { return undefinedMark }
  let size = abs(amount)
  var unit = 1.0
  while size / unit >= 999.5 { unit *= 10 }
  let decimals = unit > 1 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2
  let rounded = unit > 1 ? (amount / unit).rounded(.toNearestOrEven) * unit : amount
  return signedText(rounded, decimals: decimals, hasPlus: hasSign) ?? undefinedMark
}

/// Returns a duration (D3.5): `12 days`, `about 8 months`, `more than two years`, from ten years on `far more than two
/// years`.
func durationText(days: Double) -> String {
  if !(days < 3_652) { return "far more than two years" }
  if days >= 730 { return "more than two years" }
  let whole = Int(days.rounded(.up))
  if whole <= 120 { return whole == 1 ? "1 day" : "\(whole) days" }
  return "about \(Int((days / 30.4375).rounded())) months"
}

let monthNames = [
  "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
  "December",
]

/// Returns a day in UTC, such as `15 March` or `15 March 2026`.
func dayText(_ milliseconds: Int64, hasYear: Bool = false) -> String {
  let date = CivilDate(daysSince1970: Int((Double(milliseconds) / 86_400_000).rounded(.down)))
  let day = "\(date.day) \(monthNames[date.month - 1])"
  return hasYear ? "\(day) \(date.year)" : day
}

/// Returns two days, such as `5 January to 15 March 2026`, with a common year named once.
func daysText(_ range: ClosedRange<Int64>) -> String {
  func year(_ instant: Int64) -> Substring { instantText(instant).prefix(4) }
  if dayText(range.lowerBound, hasYear: true) == dayText(range.upperBound, hasYear: true) {
    return dayText(range.upperBound, hasYear: true)
  }
  let isOneYear = year(range.lowerBound) == year(range.upperBound)
  return "\(dayText(range.lowerBound, hasYear: !isOneYear)) to \(dayText(range.upperBound, hasYear: true))"
}

func fixed(_ value: Double, _ decimals: Int) -> String {
  scaledHalfToEven(value, decimals: decimals).map { fixedPointText($0, decimals: decimals, isGrouped: true) }
    ?? undefinedMark
}

/// Returns milliseconds as days, such as `10 d`.
func daysText(_ milliseconds: Int64) -> String {
  let days = Double(milliseconds) / 86_400_000
  return days == days.rounded() ? "\(Int(days)) d" : "\(fixed(days, 1)) d"
}

/// Returns a list in words, such as `a, b and c`.
func listText(_ words: [String]) -> String {
  guard words.count > 1, let last = words.last else { return words.first ?? "" }
  return "\(words.dropLast().joined(separator: ", ")) and \(last)"
}

/// Returns users by variant in reading order, such as `120 : 140`; for many variants, the number of users and of variants.
///
/// - Parameter persons: One count an arm; `nil` for all users of the arms.
func splitText(_ readout: ExperimentReadout, _ persons: [Int]? = nil) -> String {
  let counts = persons ?? readout.arms.map(\.persons)
  let users = readout.readingOrder.filter(counts.indices.contains).map { counts[$0] }
  return users.count <= 6
    ? users.map(countText).joined(separator: " : ")
    : "\(countText(users.reduce(0, +))) users in \(countText(users.count)) variants"
}

extension String {
  /// The text with its first letter capitalized.
  public var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
  /// The text with its first letter capitalized, unless its first word is more than lowercase letters: a name.
  public var sentenceCased: String { prefix { $0 != " " }.allSatisfy(\.isLowercase) ? capitalizedFirst : self }
  var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
