internal import RealModule

/// The beta-discrete-Weibull model of renewals, S(t) = B(α, β + t^c)/B(α, β): each customer's churn rate may rise or
/// fall with tenure. With c = 1 it is the shifted beta-geometric model.
///
/// Source: Fader, Hardie, Liu, Davin & Steenburgh (2018), J Interactive Marketing 43:1.
public struct BetaDiscreteWeibull: Hashable, Sendable {
  public let alpha: Double
  public let beta: Double
  public let c: Double

  /// - Precondition: All above 0.
  public init(alpha: Double, beta: Double, c: Double) {
    precondition(alpha > 0 && beta > 0 && c > 0, "alpha, beta and c must be above 0")
    self.alpha = alpha
    self.beta = beta
    self.c = c
  }

  func logSurvival(_ t: Int) -> Double {
    t == 0 ? 0 : logBeta(alpha, beta + Double.pow(Double(t), c)) - logBeta(alpha, beta)
  }

  /// S(0)…S(last).
  public func survival(through last: Int) -> [Double] { (0...last).map { Double.exp(logSurvival($0)) } }
}
