public import EventModel

extension Context {
  /// Creates a context from the numbers of its names.
  public init(_ row: ContextNames) {
    self.init(
      experiment: Int32(row.experiment), variant: Int32(row.variant), paywall: Int32(row.paywall),
      entryPoint: Int32(row.entryPoint))
  }
}

extension Terms {
  /// Creates the terms that the fold reads.
  ///
  /// - Parameter text: Returns the name with a number.
  public init(_ row: TermsNames, text: (UInt32) -> String) {
    self.init()
    product = Int32(row.product)
    plan = row.plan
    price = row.price
    currency = Int32(row.currency)
    offering = Int32(row.offering)
    offerType = Int32(row.offerType)
    offerCode = Int32(row.offerCode)
    isFamilyTier = row.isFamilyTier
    isFamilyShared = row.isFamilyShared
    trialDays = row.trialDays.map { Int16(clamping: $0) } ?? 0
    if row.trialKind != 0 { trialKind = text(row.trialKind) == "app" ? .app : .introductory }
    if row.reason != 0 {
      reason =
        switch text(row.reason) {
        case "voluntary": .voluntary
        case "billing": .billing
        case "price_increase": .priceIncrease
        default: .other
        }
    }
  }
}
