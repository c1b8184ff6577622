/// An arm's planned and observed share of the users. It shows the size of a mismatch, because at large counts a trivial
/// one is significant too.
public struct ArmShare: Hashable, Sendable {
  /// Fractions of 1.
  public var planned: Double
  public var observed: Double
  /// Wilson's interval of `observed`.
  public var interval: Interval
}

/// Returns planned and observed shares, one per arm, among the arms with a weight above 0; others are `nil`.
///
/// - Parameters:
///   - observed: Users, one count per arm.
///   - weights: Planned, one per arm, 0 or more, on any scale.
///   - z: The two-sided critical value.
/// - Returns: `nil` without users.
public func armShares(observed: [Double], weights: [Double], z: Double = normalQuantile975) -> [ArmShare?]? {
  precondition(observed.count == weights.count, "one weight per arm")
  let live = weights.indices.filter { weights[$0] > 0 }
  let users = live.reduce(0) { $0 + observed[$1] }
  let total = live.reduce(0) { $0 + weights[$1] }
  guard users > 0 else { return nil }
  return weights.indices.map { arm in
    guard weights[arm] > 0, let interval = wilsonInterval(successes: observed[arm], trials: users, z: z) else {
      return nil
    }
    return ArmShare(planned: weights[arm] / total, observed: observed[arm] / users, interval: interval)
  }
}
