/// Values with those above a cap set to the cap. This changes the estimand, so label the result.
public struct Winsorised: Hashable, Sendable {
  public var cap: Double
  public var values: [Double]
  public var cappedCount: Int
  /// The total amount that was cut off, in the unit of the values.
  public var cappedAmount: Double
}

/// Returns the cap of a metric: a quantile of both arms pooled, including zeros, fixed once per metric.
///
/// - Returns: `nil` without values.
public func winsorisingCap(pooled values: [Double], quantile: Double = 0.999) -> Double? {
  sampleQuantile(ofSorted: values.sorted(), quantile)
}

/// Returns the values with those above `cap` set to it.
public func winsorised(_ values: [Double], cap: Double) -> Winsorised {
  var (count, amount) = (0, 0.0)
  let capped = values.map { value in
    guard value > cap else { return value }
    count += 1
    amount += value - cap
    return cap
  }
  return Winsorised(cap: cap, values: capped, cappedCount: count, cappedAmount: amount)
}
