/// How `experiment` looks at a conversion that nothing was planned for: the asymptotic sequence once both arms are large
/// enough for it, and before that the arms of the conversions.
///
/// p is the least min(1, 1/E) of all looks. Of two processes at α each the error could be 2α; what it is was simulated:
/// see ``ReplayMethod/conversionUnplanned`` and `make calibrate`.
public struct UnplannedConversion: Sendable {
  private let sequence: AsymptoticSequence
  private let share: ConversionShare

  /// - Parameters:
  ///   - plannedUnits: N* of the sequence.
  ///   - plannedConversions: What the process of conversions is tuned to.
  ///   - allocation: Of control and treatment.
  public init(
    plannedUnits: Double = 5_000, plannedConversions: Double = 500, allocation: [Double] = [1, 1], alpha: Double = 0.05
  ) {
    sequence = AsymptoticSequence(plannedUnits: plannedUnits, alpha: alpha)
    share = ConversionShare(
      allocation: allocation,
      concentration: ConversionShare.tunedConcentration(plannedConversions: plannedConversions, alpha: alpha))
  }

  /// ln E of one look.
  ///
  /// - Returns: `nil` where the sequence says nothing: nothing varies.
  public func logEValue(treatment: Proportion, control: Proportion) -> Double? {
    if AsymptoticSequence.isReady(treatment, control) { return sequence.look(treatment, control)?.logEValue }
    return share.logEValue([control.successes, treatment.successes])
  }
}
