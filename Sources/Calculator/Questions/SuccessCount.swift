internal import Statistics

/// Successes out of trials, written `8502/44700`.
public struct SuccessCount: Hashable, Sendable {
  public let successes: Double
  public let trials: Double

  /// - Throws: ``CalculatorError/invalid(_:)`` unless it reads `x/n` with whole numbers, 0 ≤ x ≤ n, 1 ≤ n ≤ 10¹².
  public init(_ text: String) throws(CalculatorError) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let x = Int(parts[0]), let n = Int(parts[1]), x >= 0, x <= n, n >= 1, n <= 1_000_000_000_000
    else { throw .invalid("write successes/trials in whole numbers, such as 8502/44700, with 1 trial or more") }
    (successes, trials) = (Double(x), Double(n))
  }

  var proportion: Proportion { Proportion(successes: successes, trials: trials) }

  var text: String { "\(NumberText.count(successes)) of \(NumberText.count(trials))" }

  var fields: Values { ["successes": successes, "trials": trials] }
}
