internal import RealModule

/// The exact bootstrap distribution of a mean: all nⁿ resamples, weighted by their multinomial probabilities.
public struct IdealBootstrap: Hashable, Sendable {
  /// The 2.5%, 50% and 97.5% quantiles of the resampled means.
  public var quantile025: Double
  public var median: Double
  public var quantile975: Double
  public var mean: Double
  public var standardDeviation: Double
}

/// Returns the bootstrap distribution of a mean without simulation, for samples of up to 9 values: the limit of a
/// simulated bootstrap.
///
/// Quantiles are the least mean at which the cumulative share reaches p, within 10⁻¹².
///
/// - Returns: `nil` without values or with more than 9.
public func idealBootstrap(ofMean values: [Double]) -> IdealBootstrap? {
  let count = values.count
  guard (1...9).contains(count) else { return nil }
  var factorials = [1.0]
  for n in 1...count { factorials.append(factorials[n - 1] * Double(n)) }
  let all = Double.pow(Double(count), count)
  var outcomes: [(mean: Double, share: Double)] = []
  /// Chooses how often the value at `place` is drawn, with `left` draws remaining.
  func draw(_ place: Int, _ left: Int, _ sum: CompensatedSum, _ ways: Double) {
    for times in (place == count - 1 ? left : 0)...left {
      var sum = sum
      sum.add(Double(times), times: values[place])
      if place == count - 1 {
        outcomes.append((sum.value / Double(count), ways / factorials[left] / all))
      } else {
        draw(place + 1, left - times, sum, ways / factorials[times])
      }
    }
  }
  draw(0, count, CompensatedSum(), factorials[count])
  outcomes.sort { $0.mean < $1.mean }
  func quantile(_ p: Double) -> Double {
    var cumulated = 0.0
    for outcome in outcomes {
      cumulated += outcome.share
      if cumulated >= p - 1e-12 { return outcome.mean }
    }
    return outcomes[outcomes.count - 1].mean
  }
  let mean = values.reduce(into: CompensatedSum()) { $0.add($1) }.value / Double(count)
  let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
  return IdealBootstrap(
    quantile025: quantile(0.025), median: quantile(0.5), quantile975: quantile(0.975), mean: mean,
    standardDeviation: squares.squareRoot() / Double(count))
}
