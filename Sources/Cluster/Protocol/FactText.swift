internal import EventModel
internal import Lifecycle
internal import Store

/// Converts coded values of the fold to and from the words in rows of facts.
enum FactText {
  private static let trialKinds = CaseNames<TrialKind>()
  private static let reasons = CaseNames<ChurnReason>()
  private static let families = CaseNames<CellFamily>()

  /// In the order of their columns.
  static let outcomeFlags: [ExposureOutcome.Flags] = [
    .hasTrial, .isTrialCancelled, .hasPaid, .isRefunded, .isRetained, .wasActiveBefore, .hasUsage, .isUsedOnFirstDay,
  ]

  static func text(_ kind: TrialKind) -> String? { kind == .none ? nil : trialKinds[kind] }

  static func trialKind(_ text: String?) -> TrialKind? {
    guard let text else { return TrialKind.none }
    return trialKinds.of(text)
  }

  static func text(_ reason: ChurnReason) -> String? { reason == .unstated ? nil : reasons[reason] }

  static func reason(_ text: String?) -> ChurnReason? {
    guard let text else { return .unstated }
    return reasons.of(text)
  }

  static func text(_ family: CellFamily) -> String { families[family] }
  static func family(_ text: String?) -> CellFamily? { text.flatMap(families.of) }

  /// Returns the revenues of an outcome, separated by spaces: for each currency `USD:1000000:true:0:false`, with the
  /// net amount and whether there was a payment, in the horizon and before.
  static func text(_ revenues: [ExposureOutcome.Revenue], currency: (NameID) -> String) -> String? {
    if revenues.isEmpty { return nil }
    return revenues.map { revenue in
      "\(currency(revenue.currency)):\(revenue.net):\(revenue.hasPaid):\(revenue.netBefore):\(revenue.hadPaidBefore)"
    }.joined(separator: " ")
  }

  static func revenues(
    _ text: String?, currency: (String) throws -> NameID
  ) throws -> [ExposureOutcome.Revenue]? {
    guard let text else { return [] }
    return try text.split(separator: " ").map { item -> ExposureOutcome.Revenue? in
      let parts = item.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 5, let net = Int64(parts[1]), let hasPaid = Bool(parts[2]), let before = Int64(parts[3]),
        let hadPaid = Bool(parts[4])
      else { return nil }
      var revenue = ExposureOutcome.Revenue(currency: try currency(parts[0]))
      revenue.net = net
      revenue.hasPaid = hasPaid
      revenue.netBefore = before
      revenue.hadPaidBefore = hadPaid
      return revenue
    }.reduce([]) { all, one in
      guard let all, let one else { return nil }
      return all + [one]
    }
  }
}
