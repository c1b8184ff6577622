import Foundation

/// A linear scale from values to positions, with round ticks.
struct ChartScale {
  let domain: ClosedRange<Double>
  /// The positions of the ends of the domain; the first may be the greater one.
  let ends: (Double, Double)
  /// Multiples of ``step`` in the domain, ascending.
  let ticks: [Double]
  let step: Double

  /// Creates a domain that covers values and ends on ticks.
  ///
  /// - Parameters:
  ///   - values: Values to cover; non-finite ones are ignored.
  ///   - hasZero: Whether the axis always includes 0.
  ///   - limit: The widest range of the axis, such as 0 to 1 for shares.
  ///   - tickCount: The approximate number of ticks.
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
    // Ticks are counted by number, so that rounding errors do not accumulate.
    let least = Int((domain.lowerBound / step - 1e-9).rounded(.up))
    let numbers = least...Int((domain.upperBound / step + 1e-9).rounded(.down))
    ticks = numbers.map { Double($0) * step }
  }

  /// Rounds a step up to 1, 2 or 5 times a power of ten.
  private static func round(_ step: Double) -> Double {
    let power = pow(10, floor(log10(step)))
    for digit in [1.0, 2, 5, 10] where digit * power >= step * (1 - 1e-9) { return digit * power }
    return 10 * power
  }

  /// Returns the position of a value; a value outside the domain is placed at its end.
  func place(_ value: Double) -> Double {
    let share = (min(max(value, domain.lowerBound), domain.upperBound) - domain.lowerBound)
    return ends.0 + share / (domain.upperBound - domain.lowerBound) * (ends.1 - ends.0)
  }
}

/// Rounds how far bars reach up to half of a power of ten, so that their ends can be printed.
func roundReach(_ reach: Double) -> Double {
  let step = reachStep(reach)
  return (reach / step - 1e-9).rounded(.up) * step
}

private func reachStep(_ reach: Double) -> Double { pow(10, floor(log10(max(reach, 1e-9)) + 1e-9)) / 2 }

/// Returns the end of bars with its unit, such as `35 pp`.
func reachText(_ reach: Double, _ unit: ChartUnit) -> String {
  unit.text(reach, step: reachStep(reach)).replacing("+", with: "") + unit.suffix.replacing(",", with: "")
}

/// The scale above or below bars of differences, such as `−35 0 +35 pp`.
func barEnds(_ reach: Double, _ unit: ChartUnit) -> Markup {
  let end = reachText(reach, unit)
  let number = end.replacing(unit.suffix.replacing(",", with: ""), with: "")
  return #"<span class="ends"><span>−\#(number)</span> <span>0</span> <span>+\#(end)</span></span>"#
}

/// The unit of an axis's values.
enum ChartUnit: Sendable, Hashable {
  /// Fractions of 1, as percent.
  case share
  /// Differences of shares, as percentage points.
  case points
  case count
  /// Units of a currency, not micro-units.
  case money(String)
  case days

  /// - Parameter step: The distance between ticks, which sets the decimals needed to distinguish them.
  func text(_ value: Double, step: Double) -> String {
    switch self {
    case .share: Self.text(value * 100, decimals: Self.decimals(step * 100)) + "%"
    case .points: Self.text(value * 100, decimals: Self.decimals(step * 100), hasPlus: true)
    case .count, .days, .money: Self.short(value, step: step)
    }
  }

  /// The unit of ticks that do not say it, such as `, pp`.
  var suffix: String {
    switch self {
    case .points: ", pp"
    case .money(let currency): ", \(currency)"
    case .share, .count, .days: ""
    }
  }

  /// A point's label, with its unit: `27.9%`, `+11.0 pp`, `3,545 USD`.
  func value(_ value: Double) -> String {
    switch self {
    case .share: Self.text(value * 100, decimals: 1) + "%"
    case .points: Self.text(value * 100, decimals: 1, hasPlus: true) + " pp"
    case .money(let currency): "\(Self.text(value, decimals: abs(value) >= 100 ? 0 : 2)) \(currency)"
    case .days: "day \(Self.text(value, decimals: 0))"
    case .count: Self.text(value, decimals: value == value.rounded() ? 0 : 1)
    }
  }

  private static func decimals(_ step: Double) -> Int {
    step >= 1 || step <= 0 ? 0 : min(4, Int((-log10(step)).rounded(.up)))
  }

  static func text(_ value: Double, decimals: Int, hasPlus: Bool = false) -> String {
    signedText(value, decimals: decimals, hasPlus: hasPlus) ?? undefinedMark
  }

  /// Millions as M, billions as G.
  private static func short(_ value: Double, step: Double) -> String {
    for (unit, name) in [(1e9, "G"), (1e6, "M")] where value.magnitude >= unit {
      return text(value / unit, decimals: decimals(step / unit)) + name
    }
    return text(value, decimals: decimals(step))
  }
}
