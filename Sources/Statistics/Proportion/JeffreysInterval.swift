/// Returns the Jeffreys interval of a proportion, the α/2 and 1 − α/2 quantiles of Beta(x + ½, n − x + ½), with the
/// ends of Brown, Cai & DasGupta: 0 at no success, 1 at no failure.
///
/// - Parameter confidence: In (0, 1).
/// - Returns: Bounds as fractions of 1; `nil` without trials.
///
/// Source: Brown, Cai & DasGupta (2001), doi:10.1214/ss/1009213286.
public func jeffreysInterval(_ sample: Proportion, confidence: Double = 0.95) -> Interval? {
  guard sample.trials > 0 else { return nil }
  let tail = (1 - confidence) / 2
  let posterior = BetaDistribution(a: sample.successes + 0.5, b: sample.failures + 0.5)
  return Interval(
    low: sample.successes == 0 ? 0 : posterior.quantile(tail),
    high: sample.failures == 0 ? 1 : posterior.upperQuantile(tail))
}
