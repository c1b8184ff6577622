import Metrics

/// How people read an undefined value.
let undefinedMark = "–"

/// Decimals of the percents of one column: 1, or up to 3 where all of its shares are small.
///
/// - Parameter shares: Fractions of 1.
func percentDecimals(_ shares: some Sequence<Double>) -> Int {
  let largest = shares.reduce(0) { max($0, $1.magnitude) }
  return largest == 0 || largest >= 0.01 ? 1 : largest >= 0.001 ? 2 : 3
}

extension ReportValue {
  /// A number as people read it, thousands separated; `nil` for texts and when undefined.
  ///
  /// - Parameters:
  ///   - percentDecimals: In `0...4`.
  ///   - hasSign: Whether shares end in `%`.
  func readableNumber(percentDecimals: Int, hasSign: Bool = true) -> String? {
    let number: String? =
      switch self {
      case .text: nil
      case .count(let count): fixedPointText(Int128(count), decimals: 0, isGrouped: true)
      case .rate(let share):
        share.flatMap { scaledHalfToEven($0, decimals: percentDecimals + 2) }
          .map { fixedPointText($0, decimals: percentDecimals, isGrouped: true) + (hasSign ? "%" : "") }
      case .money(let microUnits, let currency):
        microUnits.map {
          let decimals = readableMoneyDecimals(currency)
          return fixedPointText(printedUnits(microUnits: $0, decimals: decimals), decimals: decimals, isGrouped: true)
        }
      case .estimate(let microUnits, let currency):
        microUnits.flatMap { printedUnits(estimate: $0, decimals: readableMoneyDecimals(currency)) }
          .map { fixedPointText($0, decimals: readableMoneyDecimals(currency), isGrouped: true) }
      case .number(let value):
        value.flatMap { scaledHalfToEven($0, decimals: 1) }.map { fixedPointText($0, decimals: 1, isGrouped: true) }
      case .probability(let chance): chance.flatMap(readableProbability)
      case .percent(let percent):
        percent.map { fixedPointText(Int128($0), decimals: 0, isGrouped: true) + (hasSign ? "%" : "") }
      }
    return number.map(withMinus)
  }

  /// The share that a picture can show.
  var share: Double? {
    if case .rate(let share?) = self, share.isFinite { share } else { nil }
  }
}

/// A number with the minus that people read, U+2212.
func withMinus(_ number: String) -> String {
  number.hasPrefix("-") ? "−" + number.dropFirst() : number
}

/// A readable number with its sign; 0 has none.
func withPlus(_ number: String) -> String {
  let isPositive = number.first?.isNumber == true && number.contains { $0.isNumber && $0 != "0" }
  return isPositive ? "+\(number)" : number
}

/// A difference of shares in points without their unit, signed, such as `+11.0`.
///
/// - Returns: `nil` where it is not finite.
func pointsNumber(_ difference: Double) -> String? {
  scaledHalfToEven(difference, decimals: 3).map { signedText($0, decimals: 1, hasPlus: true) }
}

/// A number with its sign, such as `+11.0` and `−0.5`; one that rounds to 0 has none.
///
/// - Returns: `nil` where it is not finite.
func signedText(_ value: Double, decimals: Int, hasPlus: Bool = true) -> String? {
  scaledHalfToEven(value, decimals: decimals).map { signedText($0, decimals: decimals, hasPlus: hasPlus) }
}

/// The bounds of a difference, such as `+3.9 to +14.5`.
///
/// - Returns: `nil` where one is not finite.
func signedBounds(_ low: Double, _ high: Double, decimals: Int) -> String? {
  let leavesOutZero = low > 0 || high < 0
  guard let first = boundText(low, decimals: decimals, leavesOutZero: leavesOutZero),
    let last = boundText(high, decimals: decimals, leavesOutZero: leavesOutZero)
  else { return nil }
  return "\(first) to \(last)"
}

/// The bounds of a difference of shares in points without their unit, such as `+3.9 to +14.5`.
func pointsBounds(_ low: Double, _ high: Double) -> String? { signedBounds(low * 100, high * 100, decimals: 1) }

/// A bound with its sign: if the interval leaves out 0, with as many more decimals as it takes not to read as 0.
func boundText(_ bound: Double, decimals: Int, leavesOutZero: Bool) -> String? {
  var decimals = decimals
  while leavesOutZero, decimals < 6, scaledHalfToEven(bound, decimals: decimals) == 0 { decimals += 1 }
  return signedText(bound, decimals: decimals)
}

private func signedText(_ scaled: Int128, decimals: Int, hasPlus: Bool) -> String {
  let text = withMinus(fixedPointText(scaled, decimals: decimals, isGrouped: true))
  return hasPlus ? withPlus(text) : text
}
