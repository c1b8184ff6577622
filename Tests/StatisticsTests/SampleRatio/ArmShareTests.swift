import Statistics
import Testing

struct ArmShareTests {
  /// The interval is Wilson's of 44,700 in 90,189 (Cookie Cats): 0.4923631 to 0.4988890.
  @Test func showsHowFarOffAnArmIs() throws {
    let shares = try #require(armShares(observed: [44_700, 45_489], weights: [50, 50]))
    let first = try #require(shares[0])
    #expect(first.planned == 0.5 && isClose(first.observed, 44_700.0 / 90_189, within: 1e-15))
    #expect(isClose(first.interval.low, 0.4923630509393165, within: 1e-14))
    #expect(isClose(first.interval.high, 0.4988890264180619, within: 1e-14))
  }

  @Test func anArmWithoutAPlanHasNoShare() throws {
    let shares = try #require(armShares(observed: [3, 1, 7], weights: [1, 0, 3]))
    #expect(shares[1] == nil && shares[0]?.observed == 0.3 && shares[2]?.planned == 0.75)
    #expect(armShares(observed: [0, 0], weights: [1, 1]) == nil)
  }
}
