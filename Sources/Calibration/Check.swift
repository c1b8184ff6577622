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
    case .value, .range, .violations: nil
    }
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
    case .violations(let count, let tables, _): count == 0 && tables > 0
    }
  }
}
