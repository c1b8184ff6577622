/// Revenue as conversion × revenue per payer, to show which part changed.
public struct RevenueSplit: Sendable {
  public var currency: String
  /// One per arm, control first.
  public var arms: [Arm]

  public struct Arm: Sendable {
    public var persons: Int
    public var payers: Int
    public var revenue: Double
    /// Payers ÷ users.
    public var conversion: Double?
    /// Revenue ÷ payers.
    public var revenuePerPayer: Double?
    /// Revenue ÷ users.
    public var revenuePerPerson: Double?
    /// Lifts against control, which add up on the logarithmic scale: (1 + a)(1 + b) − 1 is the lift of revenue per
    /// user.
    public var conversionLift: Double?
    public var revenuePerPayerLift: Double?
    public var revenueLift: Double?
  }
}
