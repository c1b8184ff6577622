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

  /// - Parameter arms: Revenue as numerator, payers as denominator; control first.
  init(currency: String, arms: [RatioTally]) {
    self.currency = currency
    self.arms = arms.map { tally in
      let (persons, payers) = (Double(tally.persons), Double(tally.bases))
      return Arm(
        persons: tally.persons, payers: tally.bases, revenue: tally.sum,
        conversion: persons > 0 ? payers / persons : nil, revenuePerPayer: payers > 0 ? tally.sum / payers : nil,
        revenuePerPerson: persons > 0 ? tally.sum / persons : nil)
    }
    func lift(_ value: Double?, _ control: Double?) -> Double? {
      guard let value, let control, control > 0 else { return nil }
      return value / control - 1
    }
    guard let control = self.arms.first else { return }
    for arm in self.arms.indices.dropFirst() {
      self.arms[arm].conversionLift = lift(self.arms[arm].conversion, control.conversion)
      self.arms[arm].revenuePerPayerLift = lift(self.arms[arm].revenuePerPayer, control.revenuePerPayer)
      self.arms[arm].revenueLift = lift(self.arms[arm].revenuePerPerson, control.revenuePerPerson)
    }
  }
}
