import Foundation
internal import Statistics

/// The part of a change of money that exchange rates alone make: amounts of both sides in their own currencies, at the mean
/// rate of one side and of the other (10.3, symmetric).
struct DriverExchange {
  /// Amounts of one side in one currency, in micro-units.
  struct Amounts {
    var units = 0
    /// Without signs, in their own currency.
    var own = 0.0
    /// Without signs, converted.
    var converted = 0.0
    /// Converted, as the number counts them: refunds below 0, proceeds without tax and commission.
    var counted = 0.0

    mutating func add(own: Int64, converted: Int, counted: Int) {
      self += Amounts(units: 1, own: Double(own), converted: Double(converted), counted: Double(counted))
    }

    static func += (left: inout Amounts, right: Amounts) {
      left.units += right.units
      left.own += right.own
      left.converted += right.converted
      left.counted += right.counted
    }

    /// Units of the report's currency for one of this; `nil` without amounts.
    var rate: Double? { own > 0 && converted > 0 ? converted / own : nil }
  }

  struct Part {
    var currency: String
    var before: Amounts
    var now: Amounts
    var rates: (before: Double, now: Double)
    /// In micro-units.
    var change: Double
  }

  /// Those of at least a tenth of the change and of its standard error, in order of bytes.
  private(set) var parts: [Part] = []
  /// The rates before, by currency.
  private(set) var earlier: [String: Double] = [:]
  /// Whether they change the number by more than its standard error (9.5), so that segments would stand out for them alone.
  private(set) var isLarge = false

  var change: Double { parts.reduce(0) { $0 + $1.change } }

  /// - Parameters:
  ///   - before: By currency.
  ///   - scale: Days of now ÷ days of before.
  init(_ before: [String: Amounts], _ now: [String: Amounts], _ number: ComparedNumber, scale: Double) {
    guard let change = number.change, let interval = number.interval else { return }
    let error = (interval.high - interval.low) / 2 / normalQuantile975
    for (currency, earlier) in before.sorted(by: { precedesInBytes($0.key, $1.key) }) {
      guard let later = now[currency], let r0 = earlier.rate, let r1 = later.rate else { continue }
      self.earlier[currency] = r0
      let own = (r1 - r0) * (scale * earlier.counted / r0 + later.counted / r1) / 2
      if abs(own) * 10 >= max(abs(change), error) {
        parts.append(Part(currency: currency, before: earlier, now: later, rates: (r0, r1), change: own))
      }
    }
    isLarge = abs(self.change) > error
  }
}

extension DriverReport {
  func rows(
    _ app: String, _ exchange: DriverExchange, _ whole: (before: DriverCounts.Count, now: DriverCounts.Count)
  ) -> [Row] {
    exchange.parts.map { part in
      Row(
        app: app, verdict: .suspect, cut: "exchange_rate", segment: part.currency, part: words(part.rates),
        before: DriverCounts.Count(units: part.before.units), now: DriverCounts.Count(units: part.now.units),
        contribution: part.change / 1e6, wholes: (whole.before.units, whole.now.units))
    }
  }

  /// A clause on rates that moved; empty if none did by much.
  func clause(of exchange: DriverExchange) -> String {
    if exchange.parts.isEmpty { return "" }
    let amount = amountText(Int((abs(exchange.change) * unit).rounded()))
    return "; exchange rates alone \(exchange.change < 0 ? "lowered" : "raised") it by \(amount) ("
      + exchange.parts.map { "\($0.currency) \(words($0.rates))" }.joined(separator: ", ") + ")"
      + (exchange.isLarge ? ", and the search leaves them out" : "")
  }

  private func words(_ rates: (before: Double, now: Double)) -> String {
    String(format: "%.4g → %.4g", rates.before, rates.now)
  }
}
