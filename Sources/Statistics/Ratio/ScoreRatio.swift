internal import RealModule

/// Returns the score interval of a ratio of proportions θ = p₁/p₂, solved in ln θ from
///
///     z(θ) = (p̂₁ − θp̂₂) / √{[p̃₁q̃₁/n₁ + θ²p̃₂q̃₂/n₂]·c},   p̃₁ = θp̃₂
///
/// with p̃₂ the smaller root of Nθp² − (n₁θ + x₁ + n₂ + x₂θ)p + X, taken as 2C/(−B + √(B² − 4AC)), which does not
/// cancel; c = N/(N − 1) for Miettinen & Nurminen, 1 for Koopman.
///
/// - Parameter corrected: Whether c is N/(N − 1).
/// - Returns: Lower bound 0 without treatment successes, upper bound ∞ without control successes, both without any:
///   no information; `nil` when an arm has no trials. The lift is each bound less 1.
///
/// Source: Miettinen & Nurminen (1985), doi:10.1002/sim.4780040211; Koopman (1984), Biometrics 40:513.
public func scoreRatio(
  _ treatment: Proportion, _ control: Proportion, z critical: Double = normalQuantile975, corrected: Bool = true
) -> Interval? {
  let (x1, n1, x2, n2) = (treatment.successes, treatment.trials, control.successes, control.trials)
  guard n1 > 0, n2 > 0 else { return nil }
  let factor = corrected ? (n1 + n2) / (n1 + n2 - 1) : 1
  func z(_ logRatio: Double) -> Double {
    let ratio = Double.exp(logRatio)
    let (a, b, c) = ((n1 + n2) * ratio, n1 * ratio + x1 + n2 + x2 * ratio, x1 + x2)
    let control = 2 * c / (b + max(0, b * b - 4 * a * c).squareRoot())
    let treatment = min(1, ratio * control)
    let variance =
      (treatment * (1 - treatment) / n1 + ratio * ratio * control * max(0, 1 - control) / n2) * factor
    let distance = x1 / n1 - ratio * (x2 / n2)
    return distance == 0 ? 0 : distance / variance.squareRoot()
  }
  // Any ratio near the data starts the search: half a success stands in for none.
  let start = Double.log(max(x1, 0.5) / n1) - Double.log(max(x2, 0.5) / n2)
  let low = x1 == 0 ? 0 : Double.exp(crossing(from: start, direction: -1) { z($0) < critical })
  let high = x2 == 0 ? Double.infinity : Double.exp(crossing(from: start, direction: 1) { z($0) > -critical })
  return Interval(low: low, high: high)
}

/// Where `isInside` stops holding, going from `start` in a direction, by doubling steps and bisection.
///
/// When it does not hold at `start`, where it begins to hold, going the other way.
func crossing(from start: Double, direction: Double, isInside: (Double) -> Bool) -> Double {
  var (inside, outside) = (start, start)
  var step = 0.25
  if isInside(start) {
    repeat {
      inside = outside
      outside += direction * step
      step *= 2
    } while isInside(outside) && abs(outside) < 1_000
  } else {
    repeat {
      outside = inside
      inside -= direction * step
      step *= 2
    } while !isInside(inside) && abs(inside) < 1_000
  }
  for _ in 0..<200 {
    let middle = inside + (outside - inside) / 2
    if middle == inside || middle == outside { break }
    if isInside(middle) { inside = middle } else { outside = middle }
  }
  return inside
}
