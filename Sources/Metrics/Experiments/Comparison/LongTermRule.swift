/// Reads the value per user at 12 months by arm, and whether it agrees with the primary.
struct LongTermRule {
  let exposed: ExposedPersons
  /// The decision currency. Without one, and if rates are missing, there is no value.
  let money: MoneyCoverage?

  /// The least share of resamples on one side for the value to agree with the primary, or lean against it.
  private static let leaning = 0.8

  /// - Parameters:
  ///   - leading: The place of the treatment with the largest gain.
  ///   - isGain: Whether it is better or worse by the primary; `nil` if unknown.
  /// - Returns: `nil` for an app without money in one currency.
  func readout(leading: Int, isGain: Bool?) throws -> LongTermReadout? {
    guard let money, !money.isPartial else { return nil }
    let value: ExperimentValue
    do {
      value = try ExperimentValue(exposed, currency: money.currency)
    } catch ReportError.missingRates {
      // Payments after the revenue window have no rate.
      return nil
    }
    let (values, differences) = (value.arms.map(\.value), Array(value.arms.map(\.difference).dropFirst()))
    let bases = values.map { $0?.basis }
    var readout = LongTermReadout(
      basis: nil, daysOfData: value.daysOfData, values: values.map { $0?.point.map { $0 / 1e6 } },
      intervals: values.map { $0.map { $0.interval.scaled(by: 1e-6) } },
      differences: differences.map { $0?.point.map { $0 / 1e6 } },
      differenceIntervals: differences.map { $0.map { $0.interval.scaled(by: 1e-6) } }, agreement: .notKnown,
      reason: value.arms.map(\.note).first { !$0.isEmpty })
    // A fit at its boundary has an interval but no point; the interval is enough to agree or contradict.
    guard differences[leading] != nil else { return readout }
    readout.basis = .weakest(bases.compactMap(\.self))
    readout.agreement = agreement(value.arms[leading + 1], differences[leading], isGain: isGain)
    return readout
  }

  /// Compares the difference of the value with the primary; implements D6.10.
  private func agreement(
    _ arm: ExperimentValue.Arm, _ difference: ExperimentValue.Amount?, isGain: Bool?
  ) -> LongTermReadout.Agreement {
    guard let difference, let isGain else { return .notKnown }
    if isGain ? difference.interval.high < 0 : difference.interval.low > 0 { return .contradicts }
    let (along, against) = isGain ? (arm.shareAbove, arm.shareBelow) : (arm.shareBelow, arm.shareAbove)
    if (against ?? 0) >= Self.leaning { return .leansAgainst }
    return (along ?? 0) >= Self.leaning ? .agrees : .notKnown
  }
}
