public import Statistics

/// The ranking of three or more variants (D7).
public struct RankingReadout: Sendable {
  /// Places in ``ExperimentReadout/arms``, with the largest estimate in the good direction first.
  public var order: [Int]
  /// Each pair of arms once, by their places in ``ExperimentReadout/arms``. p is always valid: with control that of the
  /// decision, else by Holm's method over all pairs; `nil` if the pair cannot be compared.
  public var pairs: [AllPairs.Pair]
  /// Arms not shown to be worse than the first of ``order``; more than one is a tie.
  public var bestGroup: [Int]
  /// Places in ``ExperimentReadout/arms`` of the other treatments in ``bestGroup`` that may be shipped if they are cheaper
  /// (D7.4); empty unless the decision is to ship.
  public var alternatives: [Int] = []
}
