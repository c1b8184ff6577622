import Foundation
import Statistics
import Testing

struct RevenueSplitTests {
  /// By hand: half the payers (2 of 10 against 4 of 10) at twice the price (12 against 6) are the same revenue.
  @Test func halfThePayersAtTwiceThePriceAreTheSameRevenue() throws {
    let split = try #require(
      revenueSplit(
        treatment: RevenueArm(users: 10, payments: Moments([10, 14])),
        control: RevenueArm(users: 10, payments: Moments([5, 7, 6, 6]))))
    #expect(isClose(split.logConversionRatio, -log(2), within: 1e-15))
    #expect(isClose(split.logRevenuePerPayerRatio, log(2), within: 1e-15))
    #expect(isClose(split.logRatio, 0, within: 1e-15))
    #expect(split.conversionRatio.contains(0.5) && split.revenuePerPayer.difference == 6)
  }

  @Test func revenuePerUserCountsTheZeros() throws {
    let arm = RevenueArm(users: 4, payments: Moments([3, 5]))
    #expect(arm.perUser.mean == 2 && arm.perUser.variance == Moments([0, 0, 3, 5]).variance)
  }

  @Test func withoutPayersThereIsNothingToSplit() {
    let none = RevenueArm(users: 10, payments: Moments())
    #expect(revenueSplit(treatment: none, control: RevenueArm(users: 10, payments: Moments([5, 7]))) == nil)
  }
}
