extension DriverReport {
  /// Dimensions whose values a unit has before its outcome is known. Payments move from version to version anyhow, and the
  /// version of a subscription's start says how old it is, so units of its later life have no version here.
  var dimensions: [Dimension] {
    if isOfMovements { return question.cuts.isEmpty ? Self.dimensionsOfSubscriptions : question.cuts }
    if kind == .experiment { return question.cuts.isEmpty ? ClientSegments.dimensions : question.cuts }
    let known: [Dimension] =
      [.variant, .entryPoint, .paywall, .experiment, .country, .platform, .store] + ownDimensions + properties
    return (question.cuts.isEmpty ? known : question.cuts).filter { $0 != compared?.dimension }
  }

  /// More properties, with all pairs of them, would make the search long.
  static let mostProperties = 8
  static let mostValues = 50

  private var ownDimensions: [Dimension] {
    switch kind {
    case .revenue, .refunds, .recovery: [.plan, .product, .tier, .offerType, .stage]
    case .subscriptions, .saves: [.plan, .product, .tier, .offerType]
    case .trials: [.appVersion, .plan, .tier, .trialKind]
    case .cancellations: [.appVersion, .plan, .tier]
    default: [.appVersion]
    }
  }
}

extension ReportKind {
  /// The units that a change is searched in, in words.
  ///
  /// - Parameter column: The number that changed.
  public func driverUnits(of column: String) -> String {
    switch self {
    case .trials: "trials"
    case .savings: "purchases"
    case .cancellations: column.hasPrefix("trial") ? "trials" : "subscriptions"
    case .subscriptions: "subscriptions"
    case .revenue: column == DriverMoney.Column.refunded.rawValue ? "refunds" : "payments"
    case .refunds: "payments"
    case .recovery: "failed charges"
    case .saves: "cancellations"
    default: "users"
    }
  }

  /// Whether its units are of a subscription's later life, whose number in each plan and stage grows with the app.
  var isOfSubscriptions: Bool { [.subscriptions, .refunds, .recovery, .saves].contains(self) }
}
