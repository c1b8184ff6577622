/// The comparisons of all pairs of an experiment's arms, and the arms that may be the best (Decisions.md D7.1, D7.2).
public struct AllPairs: Hashable, Sendable {
  /// Two arms, by index; `leading` has the larger estimate, or the smaller index if they are equal.
  public struct Pair: Hashable, Sendable {
    public var leading: Int
    public var trailing: Int
    /// Adjusted by Holm over all pairs; `nil` if the pair cannot be tested.
    public var adjustedP: Double?
    /// Whether the trailing arm is shown to be worse.
    public var isShown: Bool
  }

  /// One for every two arms with an estimate, in the order of their indices.
  public var pairs: [Pair]
  /// Indices of the arms with an estimate, the largest first.
  public var ranking: [Int]
  /// Arms not shown to be worse than the one with the largest estimate, including that one, the largest first. More
  /// than one is a tie. The idea is Hsu's (1984), doi:10.1214/aos/1176346711.
  public var bestGroup: [Int]

  /// - Parameters:
  ///   - estimates: One per arm, in the good direction; `nil` if it has none.
  ///   - p: Returns the unadjusted p of two indices, the smaller first; `nil` if they cannot be tested.
  ///   - alpha: The level of the family of all pairs.
  public init(estimates: [Double?], alpha: Double, p: (Int, Int) -> Double?) {
    let known = estimates.indices.filter { estimates[$0] != nil }
    func leads(_ one: Int, _ other: Int) -> Bool {
      estimates[one]! != estimates[other]! ? estimates[one]! > estimates[other]! : one < other
    }
    let ranking = known.sorted(by: leads)
    let places = known.flatMap { one in known.filter { $0 > one }.map { (one, $0) } }
    let adjusted = Adjustment.holm.adjusted(places.map { p($0.0, $0.1) })
    let pairs = zip(places, adjusted).map { place, adjustedP in
      let (leading, trailing) = leads(place.0, place.1) ? place : (place.1, place.0)
      return Pair(
        leading: leading, trailing: trailing, adjustedP: adjustedP, isShown: adjustedP.map { $0 < alpha } ?? false)
    }
    self.pairs = pairs
    self.ranking = ranking
    let beaten = Set(pairs.filter { $0.leading == ranking[0] && $0.isShown }.map(\.trailing))
    bestGroup = ranking.filter { !beaten.contains($0) }
  }
}
