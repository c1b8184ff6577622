public import EventModel

/// The set of plans that a household is shown.
public enum SampleTier: String, Sendable, Hashable, CaseIterable {
  case individual
  case family
}

/// A currency that the sample sells in.
public enum SampleCurrency: String, Sendable, Hashable, CaseIterable {
  case usd = "USD"
  case eur = "EUR"
  case gbp = "GBP"
  case jpy = "JPY"

  /// Digits after the point.
  var decimals: Int { self == .jpy ? 0 : 2 }

  /// Returns an amount of the smallest units as exact text, such as `6.99`.
  func amount(minorUnits: Int) -> String {
    guard decimals > 0 else { return String(minorUnits) }
    let cents = minorUnits % 100
    return "\(minorUnits / 100).\(cents < 10 ? "0" : "")\(cents)"
  }
}

/// A product of the store and its price.
public struct Product: Sendable, Hashable {
  /// The id in event files, such as `steps.yearly`.
  public var id: String
  public var plan: Plan
  public var tier: SampleTier
  /// The only arm that sells it; `nil` for both.
  public var variant: String?
  /// Cents, pence or yen, in the order of ``SampleCurrency/allCases``.
  public var minorUnits: [Int]

  public init(
    _ id: String, _ plan: Plan, tier: SampleTier = .individual, variant: String? = nil, usd: Int, eur: Int,
    gbp: Int, jpy: Int
  ) {
    self.id = id
    self.plan = plan
    self.tier = tier
    self.variant = variant
    minorUnits = [usd, eur, gbp, jpy]
  }

  /// Returns the price as exact decimal text, such as `6.99`.
  public func price(in currency: SampleCurrency) -> String {
    currency.amount(minorUnits: minorUnits(in: currency))
  }

  func minorUnits(in currency: SampleCurrency) -> Int {
    minorUnits[SampleCurrency.allCases.firstIndex(of: currency) ?? 0]
  }
}

extension AppTruth {
  /// Returns an arm's product for a plan and tier; `nil` if it has none.
  public func product(_ plan: Plan, tier: SampleTier, variant: String) -> Product? {
    products.first {
      $0.plan == plan && $0.tier == tier && ($0.variant == nil || $0.variant == variant)
    }
  }
}
