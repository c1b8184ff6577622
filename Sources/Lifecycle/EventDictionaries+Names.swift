public import EventModel

extension Context {
  /// Creates a context from its names.
  ///
  /// - Parameter number: Returns the store's number of a name.
  public init(_ row: ContextNames, number: (UInt32) -> Int32 = { Int32($0) }) {
    self.init(
      experiment: number(row.experiment), variant: number(row.variant), paywall: number(row.paywall),
      entryPoint: number(row.entryPoint))
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
