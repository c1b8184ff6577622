/// The χ² test of planned shares; descriptive only, since daily looks multiply its alarms by nine.
public struct SampleRatioTest: Hashable, Sendable {
  /// `nil` without users, as it cannot be estimated.
  public var chiSquare: Double?
  public var p: Double?
  /// The number of arms with positive weight, minus one.
  public var degrees: Int
  /// Whether an arm of weight 0 has users, which is an error whatever p is.
  public var isLeaking: Bool
}

/// Tests whether users were split between the arms as planned: χ² = Σ(n_i − N·w_i)²/(N·w_i) over arms with positive
/// weight.
///
/// - Parameters:
///   - observed: Users, one count per arm.
///   - weights: Planned, one per arm, 0 or more, on any scale; two or more above 0.
public func sampleRatioTest(observed: [Double], weights: [Double]) -> SampleRatioTest {
  precondition(observed.count == weights.count, "one weight per arm")
  precondition(weights.allSatisfy { $0 >= 0 }, "weights must not be negative")
  let live = weights.indices.filter { weights[$0] > 0 }
  precondition(live.count >= 2, "two or more weights must be above 0")
  let isLeaking = weights.indices.contains { weights[$0] == 0 && observed[$0] > 0 }
  let users = live.reduce(0) { $0 + observed[$1] }
  let total = live.reduce(0) { $0 + weights[$1] }
  guard users > 0 else {
    return SampleRatioTest(chiSquare: nil, p: nil, degrees: live.count - 1, isLeaking: isLeaking)
  }
  let chiSquare = live.reduce(0) { sum, arm in
    let expected = users * (weights[arm] / total)
    let distance = (observed[arm] * total - users * weights[arm]) / total
    return sum + distance * distance / expected
  }
  return SampleRatioTest(
    chiSquare: chiSquare, p: ChiSquareDistribution.survival(chiSquare, degrees: Double(live.count - 1)),
    degrees: live.count - 1, isLeaking: isLeaking)
}
