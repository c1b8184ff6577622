import Metrics
import Statistics

/// Numbers of one metric as people read them: shares in percent, differences of shares in percentage points, money
/// with its currency.
struct MetricText {
  let unit: ExperimentMetric.Unit
  /// Of percents, amounts or plain numbers.
  let decimals: Int

  /// - Parameter readout: Its widest interval says which digits mean anything.
  init(_ readout: MetricReadout) {
    let halves = readout.comparisons.compactMap { comparison in
      comparison.interval.map { ($0.high - $0.low) / 2 }
    }
    self.init(readout.metric.unit, halfWidth: halves.max())
  }

  /// - Parameters:
  ///   - halfWidth: Of an interval, in the unit; two of its digits are shown.
  ///   - fixed: Decimals whatever the interval.
  init(_ unit: ExperimentMetric.Unit, halfWidth: Double?, decimals fixed: Int? = nil) {
    self.unit = unit
    if let fixed {
      decimals = fixed
      return
    }
    let scaled = unit == .share ? halfWidth.map { $0 * 100 } : halfWidth
    let least = unit == .share ? 1 : 2
    guard let scaled, scaled > 0, scaled.isFinite else {
      decimals = least
      return
    }
    decimals = scaled >= 1 ? least : scaled >= 0.1 ? max(least, 2) : scaled >= 0.01 ? 3 : 4
  }

  private var currency: String? { if case .money(let currency) = unit { currency } else { nil } }

  /// A level, such as `26.4%` or `0.53 USD`.
  func value(_ value: Double?) -> String? {
    guard let value, value.isFinite, let text = number(unit == .share ? value * 100 : value) else { return nil }
    return unit == .share ? text + "%" : currency.map { "\(text) \($0)" } ?? text
  }

  /// A level with its bounds, such as `26.4% [23.9–29.1]`.
  func value(_ value: Double?, _ interval: Interval?) -> String? {
    guard let text = self.value(value) else { return nil }
    let factor = unit == .share ? 100.0 : 1
    guard let interval, let low = number(interval.low * factor), let high = number(interval.high * factor) else {
      return text
    }
    return "\(text) [\(low)–\(high)]"
  }

  /// A difference, such as `+9.2 pp`.
  func difference(_ value: Double?) -> String? {
    guard let value, let text = signed(value) else { return nil }
    return "\(text) \(unit == .share ? "pp" : currency ?? "")".trimmedRight
  }

  /// The bounds of a difference, such as `+3.9 to +14.5 pp`.
  func bounds(_ interval: Interval?) -> String? {
    guard let interval, let low = signed(interval.low), let high = signed(interval.high) else { return nil }
    return "\(low) to \(high) \(unit == .share ? "pp" : currency ?? "")".trimmedRight
  }

  /// A difference without a sign, such as `4.9 pp`.
  func size(_ value: Double?) -> String? {
    guard let value, value.isFinite, let text = number(abs(value) * (unit == .share ? 100 : 1)) else { return nil }
    return "\(text) \(unit == .share ? "pp" : currency ?? "")".trimmedRight
  }

  private func signed(_ value: Double) -> String? {
    guard value.isFinite, let text = number(abs(value) * (unit == .share ? 100 : 1)) else { return nil }
    let isZero = text.allSatisfy { $0 == "0" || $0 == "." }
    return (isZero ? "±" : value < 0 ? "−" : "+") + text
  }

  private func number(_ value: Double) -> String? {
    scaledHalfToEven(value, decimals: decimals).map { fixedPointText($0, decimals: decimals, isGrouped: true) }
  }
}

/// A relative change, such as `+12.3%`; `nil` where it is not finite.
func liftText(_ lift: Double?) -> String? {
  guard let lift, lift.isFinite, let scaled = scaledHalfToEven(abs(lift) * 100, decimals: 1) else { return nil }
  return (scaled == 0 ? "±" : lift < 0 ? "−" : "+") + fixedPointText(scaled, decimals: 1, isGrouped: true) + "%"
}

/// The bounds of a relative change, such as `−3.1% to +20.4%`; an open end reads so.
func liftBoundsText(_ interval: Interval?) -> String? {
  guard let interval else { return nil }
  return "\(liftText(interval.low) ?? "open") to \(liftText(interval.high) ?? "open")"
}

/// A p-value in a sentence, such as `p = 0.0016` or `p < 0.0001`.
func probabilityClause(_ p: Double) -> String {
  guard let text = readableProbability(p) else { return "p unknown" }
  return text.first == "<" ? "p < \(text.dropFirst())" : "p = \(text)"
}

/// A share in percent with one decimal.
func percentText(_ share: Double?) -> String? {
  share.flatMap { ReportValue.rate($0).readableNumber(percentDecimals: 1) }
}

/// A count with its thousands separated.
func countText(_ count: Int) -> String { fixedPointText(Int128(count), decimals: 0, isGrouped: true) }

extension String {
  fileprivate var trimmedRight: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
