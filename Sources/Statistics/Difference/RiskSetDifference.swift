/// A difference of shares between those something happened to and those still at risk of it at the same age, pooled over
/// ages with Mantel–Haenszel weights.
///
/// At each age the groups are made by what had happened up to it, and outcomes count after it, so that nobody is in a group
/// because of the outcome (immortal time). With x₁ of n₁ and x₀ of n₀ at an age, n = n₁ + n₀:
///
///     difference = Σ (x₁·n₀ − x₀·n₁)/n ÷ Σ n₁·n₀/n
///
/// The variance is the linearised jackknife over clusters. With A and W the two sums and A₋ᵢ and W₋ᵢ those without member i,
/// member i adds gᵢ = (A − A₋ᵢ) − difference·(W − W₋ᵢ), and the variance is Σ over clusters of (Σ gᵢ)² ÷ W². A member of many
/// ages is one cluster, so that the ages need not be independent; where one of a group is alone at its age, the jackknife
/// errs towards too wide an interval (Efron & Stein 1981).
///
/// Sources: landmarks, Anderson, Cain & Gelber (1983), doi:10.1200/JCO.1983.1.11.710; one at each age, with clusters, van
/// Houwelingen (2007), doi:10.1111/j.1467-9469.2006.00529.x; weights, Greenland & Robins (1985), doi:10.2307/2530643;
/// jackknife, Efron & Stein (1981), doi:10.1214/aos/1176345462.
public struct RiskSetDifference: Sendable {
  /// Those at risk at one age.
  public struct RiskSet: Sendable {
    /// To whom it happened at the age, and who of them had the outcome after it.
    public var exposed: Int
    public var exposedOutcomes: Int
    /// To whom it had not happened up to the age, and who of them had the outcome after it.
    public var others: Int
    public var otherOutcomes: Int

    public init(exposed: Int = 0, exposedOutcomes: Int = 0, others: Int = 0, otherOutcomes: Int = 0) {
      self.exposed = exposed
      self.exposedOutcomes = exposedOutcomes
      self.others = others
      self.otherOutcomes = otherOutcomes
    }

    /// Share of the weight of one set with this many members; 0 where either group is empty.
    var sums: Sums {
      guard exposed > 0, others > 0 else { return Sums() }
      let size = Double(exposed + others)
      return Sums(
        exposed: Double(exposedOutcomes) * Double(others) / size,
        others: Double(otherOutcomes) * Double(exposed) / size,
        weight: Double(exposed) * Double(others) / size)
    }

    /// The set without one member.
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

  /// Σ n₁·n₀/n; 0 where no age has both groups.
  public var weight: Double { sums.weight }
  /// The weighted share of those it happened to; `nil` where no age has both groups.
  public var exposedShare: Double? { weight > 0 ? sums.exposed / weight : nil }
  /// The weighted share of the others.
  public var otherShare: Double? { weight > 0 ? sums.others / weight : nil }
  public var estimate: Double? { weight > 0 ? (sums.exposed - sums.others) / weight : nil }

  /// The amount that one member of a set adds to its cluster's sum, once every set has been added.
  public func influence(of set: RiskSet, isExposed: Bool, hasOutcome: Bool) -> Double {
    guard let estimate else { return 0 }
    let (all, rest) = (set.sums, set.without(isExposed: isExposed, hasOutcome: hasOutcome).sums)
    return all.exposed - all.others - (rest.exposed - rest.others) - estimate * (all.weight - rest.weight)
  }

  /// Adds a cluster by the sum of what its members add.
  public mutating func addCluster(_ sum: Double) { squares += sum * sum }

  /// The interval, estimate ± z·√variance, inside −1…1; `nil` where no age has both groups.
  public func interval(z: Double = normalQuantile975) -> Interval? {
    guard let estimate else { return nil }
    let margin = z * squares.squareRoot() / weight
    return Interval(low: max(-1, estimate - margin), high: min(1, estimate + margin))
  }
}
