internal import RealModule

/// Returns the score interval of a ratio of proportions θ = p₁/p₂, solved in ln θ from
///
///     z(θ) = (p̂₁ − θp̂₂) / √{[p̃₁q̃₁/n₁ + θ²p̃₂q̃₂/n₂]·c},   p̃₁ = θp̃₂
///
/// with p̃₂ the smaller root of Ap² + Bp + C = Nθp² − (n₁θ + x₁ + n₂ + x₂θ)p + X; c = N/(N − 1) for Miettinen &
/// Nurminen, 1 for Koopman.
///
/// - Parameter corrected: Whether c is N/(N − 1).
/// - Returns: Lower bound 0 without treatment successes, upper bound ∞ without control successes, and both, which is no
///   information, without any; `nil` if an arm has no trials. The lift is each bound minus 1.
///
/// Source: Miettinen & Nurminen (1985), doi:10.1002/sim.4780040211; Koopman (1984), Biometrics 40:513.
public func scoreRatio(
  _ treatment: Proportion, _ control: Proportion, z critical: Double = normalQuantile975, corrected: Bool = true
) -> Interval? {
  let (x1, n1, x2, n2) = (treatment.successes, treatment.trials, control.successes, control.trials)
  let (f1, f2, total) = (treatment.failures, control.failures, n1 + n2)
  guard n1 > 0, n2 > 0 else { return nil }
  let factor = corrected ? total / (total - 1) : 1
  /// Adds one expression in terms of failures or of successes, whichever cancels less.
  func sum(_ a: Double, _ b: Double, _ c: Double, or d: Double, _ e: Double) -> Double {
    abs(a) + abs(b) + abs(c) < abs(d) + abs(e) ? a + b + c : d + e
  }
  /// B² − 4AC, written with the failures f and t = θ − 1, is (Nt + f₁ − θf₂)² + 4θf₁f₂: a sum. As a difference it loses
  /// all digits if almost all users succeed and θ is near 1. So does q̃ = 1 − p̃, which is therefore solved for
  /// directly.
  func z(_ logRatio: Double) -> Double {
    let (ratio, t) = (Double.exp(logRatio), Double.expMinusOne(logRatio))
    let middle = sum(total * t, f1, -ratio * f2, or: ratio * (n1 + x2), -(n2 + x1))
    let root = (middle * middle + 4 * ratio * f1 * f2).squareRoot()
    let p2 = 2 * (x1 + x2) / (n1 * ratio + x1 + n2 + x2 * ratio + root)
    let up = sum(total * t, f1, ratio * f2, or: ratio * (total + f2), -(x1 + n2))
    let down = sum(-total * t, f1, ratio * f2, or: total + f1, -ratio * (x2 + n1))
    let q2 = up >= 0 ? (up + root) / (2 * total * ratio) : 2 * t * f2 / (up - root)
    let q1 = down >= 0 ? (down + root) / (2 * total) : -2 * t * f1 / (down - root)
    let variance = (ratio * p2 * q1 / n1 + ratio * ratio * p2 * q2 / n2) * factor
    let distance = sum(-t, -f1 / n1, ratio * (f2 / n2), or: x1 / n1, -ratio * (x2 / n2))
    return distance == 0 ? 0 : distance / variance.squareRoot()
  }
  // The search starts at a ratio near the data, with half a success in place of none.
  let start = Double.log(max(x1, 0.5) / n1) - Double.log(max(x2, 0.5) / n2)
  let low = x1 == 0 ? 0 : Double.exp(crossing(from: start, direction: -1) { z($0) < critical })
  let high = x2 == 0 ? Double.infinity : Double.exp(crossing(from: start, direction: 1) { z($0) > -critical })
  return Interval(low: low, high: high)
}
