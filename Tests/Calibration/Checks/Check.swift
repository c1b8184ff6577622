/// A claim about a method, and its measured outcome.
struct Check: Sendable {
  enum Outcome: Sendable {
    /// A share of simulations that should equal `anchor`, which was itself simulated `anchored` times (`nil`: exact).
    case share(hits: Int, of: Int, anchor: Double, anchored: Double?)
    /// A share of simulations that must not exceed `limit`.
    case atMost(hits: Int, of: Int, limit: Double)
    /// A number that must be within a tolerance of `anchor`, with any simulation error included in the tolerance.
    case value(Double, anchor: Double, within: Double)
    case range(Double, low: Double, high: Double)
    /// A simulated share that must lie between `low` and `high`.
    ///
    /// A full run allows nothing for chance; only a shorter one (`isFull` is false) does.
    case promise(Double, standardError: Double, low: Double, high: Double, isFull: Bool)
    /// A simulated share without a target.
    case told(Double, standardError: Double)
    /// Tables that violate a property, and the first of them.
    case violations(Int, of: Int, first: String?)
  }

  /// The method.
  var name: String
  /// The simulated data.
  var setting: String
  var outcome: Outcome

  /// The standard error of the measured value minus its target; `nil` if there is none.
  var standardError: Double? {
    switch outcome {
    case .share(_, let count, let anchor, let anchored):
      (anchor * (1 - anchor) * (1 / Double(count) + (anchored.map { 1 / $0 } ?? 0))).squareRoot()
    case .atMost(_, let count, let limit): (limit * (1 - limit) / Double(count)).squareRoot()
    case .promise(_, let error, _, _, _), .told(_, let error): error
    case .value, .range, .violations: nil
    }
  }

  /// Returns a check that a share of simulations lies within promised limits.
  static func promise(
    _ name: String, _ setting: String, hits: Int, of count: Int, low: Double = 0, high: Double = 1, full: Int
  ) -> Check {
    let share = Double(hits) / Double(max(1, count))
    // Adds Agresti and Coull's two successes and two failures: a share of 0 in a short run still has an error.
    let shrunken = (Double(hits) + 2) / (Double(count) + 4)
    let error = count >= full ? share * (1 - share) / Double(count) : shrunken * (1 - shrunken) / Double(max(1, count))
    return Check(
      name: name, setting: setting,
      outcome: .promise(share, standardError: error.squareRoot(), low: low, high: high, isFull: count >= full))
  }

  /// Returns a share of simulations without a target.
  static func told(_ name: String, _ setting: String, hits: Int, of count: Int) -> Check {
    let share = Double(hits) / Double(max(1, count))
    return Check(
      name: name, setting: setting,
      outcome: .told(share, standardError: (share * (1 - share) / Double(max(1, count))).squareRoot()))
  }

  /// Returns whether the claim holds.
  ///
  /// - Parameter width: Standard errors to allow for chance.
  func passes(width: Double) -> Bool {
    switch outcome {
    case .share(let hits, let count, let anchor, _):
      abs(Double(hits) / Double(count) - anchor) <= width * (standardError ?? 0)
    case .atMost(let hits, let count, let limit):
      Double(hits) / Double(count) <= limit + width * (standardError ?? 0)
    case .value(let value, let anchor, let tolerance): abs(value - anchor) <= tolerance
    case .range(let value, let low, let high): value >= low && value <= high
    case .promise(let value, let error, let low, let high, let isFull):
      value >= low - (isFull ? 0 : width * error) && value <= high + (isFull ? 0 : width * error)
    case .told: true
    case .violations(let count, let tables, _): count == 0 && tables > 0
    }
  }
}
