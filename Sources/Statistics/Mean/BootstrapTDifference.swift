/// Returns the studentised (bootstrap-t) interval of the difference of two means:
///
///     difference − t*(1 − α/2)·se  to  difference − t*(α/2)·se
///
/// with t* the resampled (difference* − difference)/se*. Its tails follow the skew of the data, which Welch's do not.
///
/// - Parameters:
///   - resamples: 999 or more for a 95% interval.
///   - generator: Seeded with the experiment's name, so that every reload gives an equal interval.
/// - Returns: `nil` when an arm has fewer than two values or nothing varies.
///
/// Source: Efron & Tibshirani (1993), section 12.5.
public func bootstrapTDifference(
  treatment: [Double], control: [Double], confidence: Double = 0.95, resamples: Int = 1_999,
  generator: CounterGenerator
) -> Interval? {
  let (own, other) = (Moments(treatment), Moments(control))
  guard
    let mean1 = own.mean, let mean0 = other.mean, let v1 = own.varianceOfMean, let v0 = other.varianceOfMean,
    v1 + v0 > 0
  else { return nil }
  let (difference, error) = (mean1 - mean0, (v1 + v0).squareRoot())
  let size = UInt64(treatment.count + control.count)
  var statistics: [Double] = []
  statistics.reserveCapacity(resamples)
  for resample in 0..<resamples {
    let base = UInt64(resample) &* size
    let one = Moments(resampled: treatment, generator, from: base)
    let two = Moments(resampled: control, generator, from: base + UInt64(treatment.count))
    guard
      let m1 = one.mean, let m0 = two.mean, let w1 = one.varianceOfMean, let w0 = two.varianceOfMean, w1 + w0 > 0
    else { continue }
    statistics.append((m1 - m0 - difference) / (w1 + w0).squareRoot())
  }
  statistics.sort()
  let tail = (1 - confidence) / 2
  guard
    let high = sampleQuantile(ofSorted: statistics, 1 - tail), let low = sampleQuantile(ofSorted: statistics, tail)
  else { return nil }
  return Interval(low: difference - high * error, high: difference - low * error)
}

extension Moments {
  fileprivate init(resampled values: [Double], _ generator: CounterGenerator, from base: UInt64) {
    self.init()
    for place in 0..<values.count {
      add(values[generator.index(below: values.count, at: base + UInt64(place))])
    }
  }
}
