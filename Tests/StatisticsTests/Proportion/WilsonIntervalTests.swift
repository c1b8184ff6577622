import Statistics
import Testing

struct WilsonIntervalTests {
  /// SciPy: `binomtest(x, n).proportion_ci(method="wilson")`, to 7 digits, hence 1e-7.
  @Test(arguments: [(8.0, 10.0, 0.4901625, 0.9433178), (0, 20, 0, 0.1611252)])
  func agreesWithSciPy(successes: Double, trials: Double, low: Double, high: Double) throws {
    let interval = try #require(wilsonInterval(successes: successes, trials: trials))
    #expect(abs(interval.low - low) < 1e-7 && abs(interval.high - high) < 1e-7)
  }

  /// Newcombe (1998a), table I: 81 of 263 gives 0.2553 to 0.3662.
  @Test func agreesWithNewcombe() throws {
    let interval = try #require(wilsonInterval(successes: 81, trials: 263))
    #expect(abs(interval.low - 0.2553) < 5e-5 && abs(interval.high - 0.3662) < 5e-5)
  }

  @Test func isUndefinedWithoutTrials() {
    #expect(wilsonInterval(successes: 0, trials: 0) == nil)
  }

  @Test func endsExactlyAtZeroAndOne() throws {
    #expect(try #require(wilsonInterval(successes: 0, trials: 7)).low == 0)
    #expect(try #require(wilsonInterval(successes: 7, trials: 7)).high == 1)
  }

  @Test func swappingSuccessAndFailureMirrorsTheBounds() throws {
    for trials in 1...60 {
      for successes in 0...trials {
        let one = try #require(wilsonInterval(successes: Double(successes), trials: Double(trials)))
        let other = try #require(wilsonInterval(successes: Double(trials - successes), trials: Double(trials)))
        #expect(abs(one.low + other.high - 1) < 1e-15 && abs(one.high + other.low - 1) < 1e-15)
      }
    }
  }
}
