/// The comparisons of all pairs of an experiment's arms, and the arms that may be the best.
public struct AllPairs: Hashable, Sendable {
  /// Two arms, by index.
  public struct Pair: Hashable, Sendable {
    /// The arm with the larger estimate, or the smaller index if they are equal.
    public var first: Int
    public var second: Int
    /// Adjusted by Holm over all pairs; `nil` if the pair cannot be tested.
    public var p: Double?
    /// Whether the second arm is shown to be worse.
    public var isShown: Bool
  }

  /// One for every two arms with an estimate, in the order of their indices.
  public var pairs: [Pair]
  /// Indices of the arms with an estimate, the largest first.
  public var ranking: [Int]
  /// Arms not shown to be worse than the one with the largest estimate, including that one, the largest first. More
  /// than one is a tie. The idea is Hsu's (1984), doi:10.1214/aos/1176346711.
  ///
  /// It implements D7.2.
  public var bestGroup: [Int] {
    let beaten = Set(pairs.filter { $0.first == ranking.first && $0.isShown }.map(\.second))
    return ranking.filter { !beaten.contains($0) }
  }

  /// - Parameters:
  ///   - estimates: One per arm, in the good direction; `nil` if it has none.
  ///   - p: Returns the unadjusted p of two indices, the smaller first; `nil` if they cannot be tested.
  ///   - alpha: The level of the family of all pairs.
  public init(estimates: [Double?], alpha: Double, p: (Int, Int) -> Double?) {
    let known = estimates.indices.filter { estimates[$0] != nil }
    func leads(_ one: Int, _ other: Int) -> Bool {
      estimates[one]! != estimates[other]! ? estimates[one]! > estimates[other]! : one < other
    }
    ranking = known.sorted(by: leads)
    let places = known.flatMap { one in known.filter { $0 > one }.map { (one, $0) } }
    let adjusted = Adjustment.holm.adjusted(places.map { p($0.0, $0.1) })
    pairs = zip(places, adjusted).map { place, p in
      let (first, second) = leads(place.0, place.1) ? place : (place.1, place.0)
      return Pair(first: first, second: second, p: p, isShown: p.map { $0 < alpha } ?? false)
    }
  }
}
