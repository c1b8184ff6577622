internal import RealModule

/// Returns the weight, Poisson with mean 1, of a user in one resample of a streaming bootstrap.
///
/// - Parameter u: Uniform in [0, 1), such as the generator's draw at the user's index.
///
/// Source: Chamandy et al. (2012), "Estimating uncertainty for massive data streams".
public func poissonWeight(_ u: Double) -> Int {
  var (weight, probability) = (0, Double.exp(-1))
  var cumulated = probability
  while u >= cumulated, weight < 30 {
    weight += 1
    probability /= Double(weight)
    cumulated += probability
  }
  return weight
}
