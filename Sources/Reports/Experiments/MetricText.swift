import Metrics
import Statistics

/// Formats numbers of one metric for readers: shares in percent with one decimal, differences of shares in
/// percentage points, money with two decimals, an interval after its value.
struct MetricText {
  let unit: ExperimentMetric.Unit
  /// Decimals of percents, amounts or plain numbers.
  let decimals: Int

  /// - Parameter readout: Its widest interval decides whether one more decimal is needed to distinguish its ends.
  init(_ readout: MetricReadout) {
    let halves = readout.comparisons.compactMap { comparison in
      (comparison.sequential.interval ?? comparison.interval).map { ($0.high - $0.low) / 2 }
    }
    self.init(readout.metric.unit, halfWidth: halves.max())
  }

  /// - Parameters:
  ///   - halfWidth: Half the width of an interval, in the unit.
  ///   - fixed: Decimals to use whatever the interval.
  init(_ unit: ExperimentMetric.Unit, halfWidth: Double? = nil, decimals fixed: Int? = nil) {
    self.unit = unit
    if let fixed {
      decimals = fixed
      return
    }
    let least = unit == .share ? 1 : 2
    guard let half = halfWidth.map({ unit == .share ? $0 * 1_000 : $0 * 100 }), half > 0, half < 1 else {
      decimals = least
      return
    }
    decimals = half >= 0.1 ? least + 1 : least + 2
  }

  private var currency: String? { if case .money(let currency) = unit { currency } else { nil } }

  private var unitOfLevels: String { unit == .share ? "%" : currency.map { " \($0)" } ?? "" }
  private var unitOfDifferences: String { unit == .share ? " pp" : currency.map { " \($0)" } ?? "" }

  /// Returns a level, such as `26.4%` or `0.53 USD`.
  func value(_ value: Double?) -> String? {
    guard let value, let text = number(value, hasSign: false) else { return nil }
    return text + unitOfLevels
  }

  /// Returns a level with its bounds, such as `26.4% (23.9 to 29.1)`.
  func value(_ value: Double?, _ interval: Interval?) -> String? {
    guard let text = self.value(value) else { return nil }
    guard let interval, let low = number(interval.low, hasSign: false),
      let high = number(interval.high, hasSign: false)
    else { return text }
    return "\(text) (\(low) to \(high))"
  }

  /// Returns the ends of a level, such as `3.71 to 4.35 USD`.
  func range(_ interval: Interval) -> String? {
    guard let low = number(interval.low, hasSign: false), let high = value(interval.high) else { return nil }
    return "\(low) to \(high)"
  }

  /// Returns a difference, such as `+9.2 pp`.
  func difference(_ value: Double?) -> String? {
    guard let value, let text = number(value, hasSign: true) else { return nil }
    return text + unitOfDifferences
  }

  /// Returns the bounds of a difference, such as `+3.9 to +14.5`; the unit is shown with the difference.
  func bounds(_ interval: Interval?) -> String? {
    let scale: Double = unit == .share ? 100 : 1
    return interval.flatMap { signedBounds($0.low * scale, $0.high * scale, decimals: decimals) }
  }

  /// Returns the bounds that hold however often you look; those of the lift where there are no others.
  func bounds(_ reading: SequentialReading) -> String? {
    bounds(reading.interval) ?? reading.liftInterval.flatMap(liftBoundsText).map { "lift \($0)" }
  }

  /// Returns a difference with its bounds, such as `+9.2 pp (+3.9 to +14.5)`.
  func change(_ value: Double?, _ interval: Interval?) -> String? {
    guard let text = difference(value) else { return nil }
    return bounds(interval).map { "\(text) (\($0))" } ?? text
  }

  /// Returns a difference without a sign, such as `4.9 pp`.
  func size(_ value: Double?) -> String? {
    guard let value, let text = number(abs(value), hasSign: false) else { return nil }
    // No two shares differ by more.
    if unit == .share, abs(value) > 1 { return nil }
    return text + unitOfDifferences
  }

  private func number(_ value: Double, hasSign: Bool) -> String? {
    signedText(value * (unit == .share ? 100 : 1), decimals: decimals, hasPlus: hasSign)
  }
}
