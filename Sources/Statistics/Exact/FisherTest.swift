/// Fisher's exact test of two proportions.
public struct FisherTest: Hashable, Sendable {
  /// The probability of tables no likelier than the observed one, within a factor 1 + 10⁻⁷ as in R.
  public var twoSidedP: Double
  /// The probability of as many or more successes in the treatment.
  public var greaterP: Double
  /// The probability of as many or fewer successes in the treatment.
  public var lessP: Double
  /// The two-sided p minus half the probability of the observed table and of the equally likely one, if any.
  public var midP: Double
}

/// Tests p₁ = p₂ given all margins: the treatment's successes are then hypergeometric.
///
/// - Parameters: Whole counts. The time grows with the smallest margin.
/// - Returns: `nil` when an arm has no trials.
///
/// Source: Fisher (1935); the point probability in Loader's form, the others by their ratios.
public func fisherTest(_ treatment: Proportion, _ control: Proportion) -> FisherTest? {
  guard treatment.trials > 0, control.trials > 0 else { return nil }
  let table = Hypergeometric(
    successes: treatment.successes + control.successes, failures: treatment.failures + control.failures,
    draws: treatment.trials)
  let x = treatment.successes
  let observed = table.probability(of: x)
  let (below, above) = (table.tail(from: x, step: -1), table.tail(from: x, step: 1))
  // Both tails are unimodal: the tables no likelier than the observed one are those beyond it on its side, and the far
  // end of the other side.
  let likely = observed * (1 + 1e-7)
  let ownSide = x >= table.mode ? above : below
  let other = table.farTail(from: x, notAbove: likely, below: x >= table.mode)
  let twoSided = min(1, ownSide + other.sum)
  let tied = other.first >= observed * (1 - 1e-7) ? observed + other.first : observed
  return FisherTest(
    twoSidedP: twoSided, greaterP: min(1, above), lessP: min(1, below), midP: twoSided - tied / 2)
}
