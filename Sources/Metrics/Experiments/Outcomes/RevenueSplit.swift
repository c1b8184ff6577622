/// Revenue as conversion × revenue per payer, so that a reader sees which part moved.
public struct RevenueSplit: Sendable {
  public var currency: String
  /// One per arm, control first.
  public var arms: [Arm]

  public struct Arm: Sendable {
    public var persons: Int
    public var payers: Int
    public var revenue: Double
    /// Payers ÷ persons.
    public var conversion: Double?
    /// Revenue ÷ payers.
    public var revenuePerPayer: Double?
    /// Revenue ÷ persons.
    public var revenuePerPerson: Double?
    /// Against the control; they add up on the logarithmic scale: (1 + a)(1 + b) − 1 is the lift of revenue a person.
    public var conversionLift: Double?
    public var revenuePerPayerLift: Double?
    public var revenueLift: Double?
  }
}
