/// The rule by which `experiment` reads a conversion without a plan: the asymptotic sequence once both arms are large
/// enough, and the split of conversions between the arms before that.
///
/// p is the smallest min(1, 1/E) of all looks. With two processes at α each, the error could be up to 2α; for its
/// simulated value see ``ReplayMethod/conversionUnplanned`` and `make calibrate`.
public struct UnplannedConversion: Sendable {
  private let sequence: AsymptoticSequence
  private let share: ConversionShare

  /// - Parameters:
  ///   - plannedUnits: N* of the sequence.
  ///   - plannedConversions: The number that the process of conversions is tuned to.
  ///   - allocation: The planned weights of control and treatment.
  public init(
    plannedUnits: Double = 5_000, plannedConversions: Double = 500, allocation: [Double] = [1, 1], alpha: Double = 0.05
  ) {
    sequence = AsymptoticSequence(plannedUnits: plannedUnits, alpha: alpha)
    share = ConversionShare(
      allocation: allocation,
      concentration: ConversionShare.tunedConcentration(plannedConversions: plannedConversions, alpha: alpha))
  }

  /// Returns ln E of one look.
  ///
  /// - Returns: `nil` if nothing varies, so that the sequence gives no result.
  public func logEValue(treatment: Proportion, control: Proportion) -> Double? {
    if AsymptoticSequence.isReady(treatment, control) { return sequence.look(treatment, control)?.logEValue }
    return share.logEValue([control.successes, treatment.successes])
  }
}
