/// The power of an asymptotic confidence sequence at one look: a lower bound of the power of all looks together.
public struct SingleLookPower: Hashable, Sendable {
  /// In standard errors.
  public var criticalValue: Double
  public var powerLowerBound: Double
}

/// Returns the power of an asymptotic confidence sequence with a single look, at `countPerArm` users an arm.
public func asymptoticSequencePower(
  control: Double, treatment: Double, countPerArm n: Double, sequence: AsymptoticSequence
) -> SingleLookPower {
  let critical = sequence.criticalValue(units: 2 * n)
  let error = ((control * (1 - control) + treatment * (1 - treatment)) / n).squareRoot()
  let shift = (treatment - control) / error
  return SingleLookPower(
    criticalValue: critical,
    powerLowerBound: NormalDistribution.survival(critical - shift) + NormalDistribution.survival(critical + shift))
}
