internal import EventModel
internal import Statistics

/// Formats numbers for people.
enum NumberText {
  /// Returns `decimals` digits after the point, halves rounded away from zero, and a minus sign `−`; `∞` for infinite
  /// values.
  static func fixed(_ value: Double, _ decimals: Int) -> String {
    if value.isInfinite { return value < 0 ? "−∞" : "∞" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let units = (abs(value) * scale).rounded()
    guard units < 1e15 else { return "\(value)" }
    let (whole, rest) = (Int(units / scale), Int(units.truncatingRemainder(dividingBy: scale)))
    let sign = value < 0 && units > 0 ? "−" : ""
    let digits = String(rest)
    let fraction = decimals == 0 ? "" : "." + String(repeating: "0", count: decimals - digits.count) + digits
    return sign + grouped(whole) + fraction
  }

  /// Returns a whole number with commas between thousands; other numbers with their own decimals.
  static func count(_ value: Double) -> String {
    value.rounded() == value && abs(value) < 1e15 ? fixed(value, 0) : "\(value)"
  }

  /// Returns how many decimals, 1 to 8, show two digits of a width; `width` and the value share a unit.
  static func decimals(for width: Double) -> Int {
    guard width > 0, width.isFinite else { return 1 }
    var (decimals, scaled) = (1, width * 10)
    while scaled < 10, decimals < 8 {
      decimals += 1
      scaled *= 10
    }
    return decimals
  }

  /// Returns `19.02% [18.66–19.39]` for a fraction of 1 and its interval.
  static func rate(_ value: Double, _ interval: Interval) -> String {
    let digits = decimals(for: 50 * (interval.high - interval.low))
    return "\(fixed(100 * value, digits))% [\(fixed(100 * interval.low, digits))–\(fixed(100 * interval.high, digits))]"
  }

  /// Returns `−0.82 [−1.33 to −0.31]`, for values that may be negative.
  static func signed(_ value: Double?, _ interval: Interval, scale: Double = 1) -> String {
    let width = interval.high.isFinite ? interval.high - interval.low : abs(value ?? interval.low)
    let digits = decimals(for: scale * width / 2)
    let ends = "[\(fixed(scale * interval.low, digits)) to \(fixed(scale * interval.high, digits))]"
    return (value.map { fixed(scale * $0, digits) } ?? "–") + " " + ends
  }

  /// Returns four digits of a p value.
  static func p(_ value: Double) -> String { value < 1e-300 ? "below 1e-300" : significant(value, 4) }

  /// Returns at most `digits` significant digits, without trailing zeros.
  static func plain(_ value: Double, _ digits: Int = 6) -> String {
    let text = significant(value, digits)
    guard text.contains("."), !text.contains("e") else { return text }
    let kept = String(text.reversed().drop { $0 == "0" }.reversed())
    return kept.hasSuffix(".") ? String(kept.dropLast()) : kept
  }

  /// Returns `digits` significant digits, in exponent form below 0.0001.
  static func significant(_ value: Double, _ digits: Int) -> String {
    if value == 0 || !value.isFinite { return fixed(value, 0) }
    var (exponent, mantissa) = (0, abs(value))
    while mantissa >= 10 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    while mantissa < 1 { (mantissa, exponent) = (mantissa * 10, exponent - 1) }
    if exponent < -4 { return (value < 0 ? "−" : "") + fixed(mantissa, digits - 1) + "e\(exponent)" }
    return fixed(value, max(0, digits - 1 - exponent))
  }
}
