/// A difference in outcome between users with an event and users still at risk of it at that age, pooled over ages with
/// Mantel–Haenszel weights.
///
/// At each age the groups depend on what happened up to it, and outcomes count after it, so that no user is in a group
/// because of the outcome (immortal time). With x₁ of n₁ and x₀ of n₀ at an age, n = n₁ + n₀:
///
///     difference = Σ (x₁·n₀ − x₀·n₁)/n ÷ Σ n₁·n₀/n
///
/// The variance is the linearised jackknife over clusters. With A and W the two sums and A₋ᵢ and W₋ᵢ those without
/// member i, member i adds gᵢ = (A − A₋ᵢ) − difference·(W − W₋ᵢ), and the variance is Σ over clusters of (Σ gᵢ)² ÷ W².
/// A member of several ages is one cluster, so that the ages need not be independent. If a group has one member at an
/// age, the jackknife interval is too wide rather than too narrow (Efron & Stein 1981).
///
/// Sources: landmarks, Anderson, Cain & Gelber (1983), doi:10.1200/JCO.1983.1.11.710; one at each age, with clusters, van
/// Houwelingen (2007), doi:10.1111/j.1467-9469.2006.00529.x; weights, Greenland & Robins (1985), doi:10.2307/2530643;
/// jackknife, Efron & Stein (1981), doi:10.1214/aos/1176345462.
public struct RiskSetDifference: Sendable {
  /// The members at risk at one age.
  public struct RiskSet: Sendable {
    /// Members with the event at this age, and those of them with the outcome after it.
    public var exposed: Int
    public var exposedOutcomes: Int
    /// Members without the event up to this age, and those of them with the outcome after it.
    public var others: Int
    public var otherOutcomes: Int

    public init(exposed: Int = 0, exposedOutcomes: Int = 0, others: Int = 0, otherOutcomes: Int = 0) {
      self.exposed = exposed
      self.exposedOutcomes = exposedOutcomes
      self.others = others
      self.otherOutcomes = otherOutcomes
    }

    /// The sums of this set; 0 if either group is empty.
    var sums: Sums {
      guard exposed > 0, others > 0 else { return Sums() }
      let size = Double(exposed + others)
      return Sums(
        exposed: Double(exposedOutcomes) * Double(others) / size,
        others: Double(otherOutcomes) * Double(exposed) / size,
        weight: Double(exposed) * Double(others) / size)
    }

    func without(isExposed: Bool, hasOutcome: Bool) -> RiskSet {
      var set = self
      if isExposed {
        set.exposed -= 1
        if hasOutcome { set.exposedOutcomes -= 1 }
      } else {
        set.others -= 1
        if hasOutcome { set.otherOutcomes -= 1 }
      }
      return set
    }
  }

  struct Sums {
    var exposed = 0.0
    var others = 0.0
    var weight = 0.0
  }

  private var sums = Sums()
  /// Σ over clusters of (Σ gᵢ)².
  private var squares = 0.0

  public init() {}

  /// Adds the members of one age.
  public mutating func add(_ set: RiskSet) {
    let own = set.sums
    sums.exposed += own.exposed
    sums.others += own.others
    sums.weight += own.weight
  }

  /// Σ n₁·n₀/n; 0 if no age has both groups.
  public var weight: Double { sums.weight }
  /// The weighted share of members with the event who have the outcome; `nil` if no age has both groups.
  public var exposedShare: Double? { weight > 0 ? sums.exposed / weight : nil }
  /// The weighted share of the others who have the outcome.
  public var otherShare: Double? { weight > 0 ? sums.others / weight : nil }
  public var estimate: Double? { weight > 0 ? (sums.exposed - sums.others) / weight : nil }

  /// Returns the amount that a member of a set adds to its cluster's sum; add every set first.
  public func influence(of set: RiskSet, isExposed: Bool, hasOutcome: Bool) -> Double {
    guard let estimate else { return 0 }
    let (all, rest) = (set.sums, set.without(isExposed: isExposed, hasOutcome: hasOutcome).sums)
    return all.exposed - all.others - (rest.exposed - rest.others) - estimate * (all.weight - rest.weight)
  }

  /// Adds a cluster by the sum of its members' influences.
  public mutating func addCluster(_ sum: Double) { squares += sum * sum }

  /// Returns the interval, estimate ± z·√variance, inside −1…1; `nil` if no age has both groups.
  public func interval(z: Double = normalQuantile975) -> Interval? {
    guard let estimate else { return nil }
    let margin = z * squares.squareRoot() / weight
    return Interval(low: max(-1, estimate - margin), high: min(1, estimate + margin))
  }
}
