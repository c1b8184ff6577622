internal import EventModel

/// The words of the answer about recurring revenue (definitions 10.3).
extension DriverReport {
  /// Dimensions of a subscription's first payment; it keeps their values until it ends.
  static let dimensionsOfSubscriptions: [Dimension] = [
    .plan, .tier, .country, .platform, .store, .appVersion, .variant, .entryPoint, .paywall, .experiment, .offerType,
  ]

  var isOfMovements: Bool { if case .recurring = measure { true } else { false } }

  static let movementDefinition = [
    "part: what moved the segment's recurring revenue (7.3); movements that did not occur have no row. The parts of one "
      + "cut add up to the change",
    "there is no search and no driver: most users are on both sides, so a random split of users says nothing about chance",
  ]

  /// The answer in one sentence.
  ///
  /// - Parameter printed: The change in the last printed decimal.
  func sentence(_ app: String, _ number: ComparedNumber, printed: Int, isAlone: Bool) -> String {
    let name = isAlone ? "" : "\(app): "
    guard let p = number.p, printed != 0 else { return "\(name)it did not change" }
    return "\(name)it \(printed < 0 ? "fell" : "rose") by \(amountText(abs(printed))) a month, "
      + (p < 0.05 ? "more than chance explains" : "which chance alone can explain")
  }

  /// Returns an amount with its currency.
  ///
  /// - Parameter printed: In the last printed decimal; not negative.
  func amountText(_ printed: Int) -> String {
    let decimals = money?.decimals ?? 2
    let (whole, rest) = printed.quotientAndRemainder(dividingBy: Int(powerOfTen(decimals)))
    let fraction = decimals == 0 ? "" : "." + String(rest + Int(powerOfTen(decimals))).dropFirst()
    return "\(grouped(whole))\(fraction) \(money?.currency ?? "")"
  }
}
