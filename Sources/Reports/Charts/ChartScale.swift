import Foundation

/// A linear scale from values to places, with round ticks.
struct ChartScale {
  let domain: ClosedRange<Double>
  /// Where both ends of the domain lie; the first may be the greater one.
  let ends: (Double, Double)
  /// Multiples of ``step`` in the domain, ascending.
  let ticks: [Double]
  let step: Double

  /// A domain that covers values and whose ends are ticks.
  ///
  /// - Parameters:
  ///   - values: Those that are not finite are passed over.
  ///   - hasZero: Whether 0 is on the axis in any case.
  ///   - limit: Where the axis ends at most, such as 1 for shares.
  ///   - tickCount: About how many ticks there are.
  init(
    covering values: [Double], hasZero: Bool = true, limit: ClosedRange<Double> = -.infinity ... .infinity,
    tickCount: Int = 5, ends: (Double, Double)
  ) {
    let known = values.filter(\.isFinite) + (hasZero ? [0] : [])
    var (low, high) = (known.min() ?? 0, known.max() ?? 1)
    if low == high { (low, high) = low == 0 ? (0, 1) : (min(low, 0), max(high, 0)) }
    if low == high { high = low + 1 }
    let step = Self.round((high - low) / Double(max(1, tickCount)))
    let first = max((low / step).rounded(.down) * step, limit.lowerBound)
    let last = min((high / step).rounded(.up) * step, limit.upperBound)
    domain = first...max(last, first + step)
    self.step = step
    self.ends = ends
    // Counted by number, so that rounding does not add up.
    let numbers = Int((domain.lowerBound / step).rounded(.up))...Int((domain.upperBound / step + 1e-9).rounded(.down))
    ticks = numbers.map { Double($0) * step }
  }

  /// 1, 2 or 5 times a power of ten that is not below a step.
  private static func round(_ step: Double) -> Double {
    let power = pow(10, floor(log10(step)))
    for digit in [1.0, 2, 5, 10] where digit * power >= step * (1 - 1e-9) { return digit * power }
    return 10 * power
  }

  /// The place of a value; one outside of the domain is at its end.
  func place(_ value: Double) -> Double {
    let share = (min(max(value, domain.lowerBound), domain.upperBound) - domain.lowerBound)
    return ends.0 + share / (domain.upperBound - domain.lowerBound) * (ends.1 - ends.0)
  }
}

/// How an axis writes its values.
enum ChartUnit: Sendable, Hashable {
  /// Fractions of 1, as percent.
  case share
  /// Differences of shares, as percentage points.
  case points
  case count
  /// Units of a currency, not micro-units.
  case money(String)
  case days

  /// - Parameter step: Between ticks: decimals are as many as tell ticks apart.
  func text(_ value: Double, step: Double) -> String {
    switch self {
    case .share: Self.text(value * 100, decimals: Self.decimals(step * 100)) + "%"
    case .points: (value > 0 ? "+" : "") + Self.text(value * 100, decimals: Self.decimals(step * 100))
    case .count, .days, .money: Self.short(value, step: step)
    }
  }

  /// A value as it stands beside a point, with its unit: `27.9%`, `+11.0 pp`, `3,545 USD`.
  func value(_ value: Double) -> String {
    switch self {
    case .share: Self.text(value * 100, decimals: 1) + "%"
    case .points: (value > 0 ? "+" : "") + Self.text(value * 100, decimals: 1) + " pp"
    case .money(let currency): "\(Self.text(value, decimals: abs(value) >= 100 ? 0 : 2)) \(currency)"
    case .days: "day \(Self.text(value, decimals: 0))"
    case .count: Self.text(value, decimals: value == value.rounded() ? 0 : 1)
    }
  }

  private static func decimals(_ step: Double) -> Int {
    step >= 1 || step <= 0 ? 0 : min(4, Int((-log10(step)).rounded(.up)))
  }

  static func text(_ value: Double, decimals: Int) -> String {
    let scaled = scaledHalfToEven(value, decimals: decimals) ?? 0
    return fixedPointText(scaled, decimals: decimals, isGrouped: true).replacing("-", with: "−")
  }

  /// Millions as M, billions as G.
  private static func short(_ value: Double, step: Double) -> String {
    for (unit, name) in [(1e9, "G"), (1e6, "M")] where value.magnitude >= unit {
      return text(value / unit, decimals: decimals(step / unit)) + name
    }
    return text(value, decimals: decimals(step))
  }
}
