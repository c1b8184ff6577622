/// One claim about a method, and what came of it.
struct Check: Sendable {
  enum Outcome: Sendable {
    /// A share of simulations, which ought to be `anchor`, itself simulated `anchored` times (`nil`: exact).
    case share(hits: Int, of: Int, anchor: Double, anchored: Double?)
    /// A share of simulations that must not pass `limit`.
    case atMost(hits: Int, of: Int, limit: Double)
    /// A number without simulation error, or of one that its tolerance holds.
    case value(Double, anchor: Double, within: Double)
    case range(Double, low: Double, high: Double)
    /// A simulated share that decisions.md D13 promises to lie between `low` and `high`. The limits themselves are the
    /// target, with nothing allowed for chance; only a run too short for that (`isFull` is false) allows for it.
    case promise(Double, standardError: Double, low: Double, high: Double, isFull: Bool)
    /// A simulated share that nothing is promised of.
    case told(Double, standardError: Double)
    /// Tables that break a property; the first of them.
    case violations(Int, of: Int, first: String?)
  }

  /// The method.
  var name: String
  /// The data it is tried on.
  var setting: String
  var outcome: Outcome

  /// The standard error of measured less target; `nil` where there is none.
  var standardError: Double? {
    switch outcome {
    case .share(_, let count, let anchor, let anchored):
      (anchor * (1 - anchor) * (1 / Double(count) + (anchored.map { 1 / $0 } ?? 0))).squareRoot()
    case .atMost(_, let count, let limit): (limit * (1 - limit) / Double(count)).squareRoot()
    case .promise(_, let error, _, _, _), .told(_, let error): error
    case .value, .range, .violations: nil
    }
  }

  /// A promise of a share of simulations.
  static func promise(
    _ name: String, _ setting: String, hits: Int, of count: Int, low: Double = 0, high: Double = 1, full: Int
  ) -> Check {
    let share = Double(hits) / Double(max(1, count))
    // Agresti and Coull's two successes and two failures: a share of 0 in a short run is not known without error.
    let shrunken = (Double(hits) + 2) / (Double(count) + 4)
    let error = count >= full ? share * (1 - share) / Double(count) : shrunken * (1 - shrunken) / Double(max(1, count))
    return Check(
      name: name, setting: setting,
      outcome: .promise(share, standardError: error.squareRoot(), low: low, high: high, isFull: count >= full))
  }

  /// A share of simulations without a promise.
  static func told(_ name: String, _ setting: String, hits: Int, of count: Int) -> Check {
    let share = Double(hits) / Double(max(1, count))
    return Check(
      name: name, setting: setting,
      outcome: .told(share, standardError: (share * (1 - share) / Double(max(1, count))).squareRoot()))
  }

  /// - Parameter width: Standard errors that chance may take.
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
