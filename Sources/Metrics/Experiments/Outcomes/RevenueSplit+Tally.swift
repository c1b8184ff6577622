extension RevenueSplit {
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
