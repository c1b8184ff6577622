internal import RealModule

/// The 2×2 e-process for paired traffic: each block has one user of each arm.
///
/// Each block multiplies E by f(y_a; θ̆_a)f(y_b; θ̆_b) / [f(y_a; θ̆₀)f(y_b; θ̆₀)], θ̆ the Bayes estimates
/// (x + β)/(n + 2β) from the blocks before and θ̆₀ their mean.
///
/// Source: Turner, Ly & Grünwald (2024), doi:10.1016/j.jspi.2023.106116.
public struct BlockEValue: Hashable, Sendable {
  /// β of the Beta(β, β) priors; above 0.
  public let prior: Double
  private var firstSuccesses = 0.0
  private var secondSuccesses = 0.0
  private var blocks = 0.0
  public private(set) var logEValue = 0.0
  public var eValue: Double { Double.exp(logEValue) }
  /// The smallest 1/E so far, at most 1.
  public private(set) var p = AlwaysValidP()

  public init(prior: Double = 0.18) {
    precondition(prior > 0, "prior is \(prior), but must be above 0")
    self.prior = prior
  }

  public mutating func add(first: Bool, second: Bool) {
    let a = (firstSuccesses + prior) / (blocks + 2 * prior)
    let b = (secondSuccesses + prior) / (blocks + 2 * prior)
    let null = (a + b) / 2
    func factor(_ outcome: Bool, _ rate: Double) -> Double {
      outcome ? Double.log(rate / null) : Double.log((1 - rate) / (1 - null))
    }
    logEValue += factor(first, a) + factor(second, b)
    firstSuccesses += first ? 1 : 0
    secondSuccesses += second ? 1 : 0
    blocks += 1
    p.look(logEValue: logEValue)
  }
}
