import Foundation
import Statistics
import Testing

/// Properties over whole tables of small counts (statistics.md, calibration 3).
///
/// All of n₁, n₂ ≤ 40 with `TOLLGATE_CALIBRATE` set, else a few sizes of either.
struct ProportionPropertyTests {
  static let sizes: [Int] =
    ProcessInfo.processInfo.environment["TOLLGATE_CALIBRATE"] == nil ? [1, 2, 5, 9] : Array(1...40)

  static func forEachTable(_ body: (_ one: Proportion, _ two: Proportion) -> Void) {
    for n1 in sizes {
      for n2 in sizes {
        for x1 in 0...n1 {
          for x2 in 0...n2 {
            body(
              Proportion(successes: Double(x1), trials: Double(n1)),
              Proportion(successes: Double(x2), trials: Double(n2)))
          }
        }
      }
    }
  }

  @Test func intervalExcludesAMarginExactlyWhenItsTestRejectsIt() {
    for margin in [-0.3, 0, 0.1] {
      Self.forEachTable { one, two in
        guard let test = miettinenNurminenTest(one, two, margin: margin) else { return }
        let interval = miettinenNurminenDifference(one, two)!
        // On the edge itself rounding decides.
        guard abs(test.twoSidedP - 0.05) > 1e-9 else { return }
        #expect(interval.contains(margin) == (test.twoSidedP > 0.05), "\(one) \(two) \(margin)")
      }
    }
  }

  @Test func ratioExcludesOneExactlyWhenTheDifferenceExcludesZero() {
    Self.forEachTable { one, two in
      guard let test = miettinenNurminenTest(one, two), abs(test.twoSidedP - 0.05) > 1e-9 else { return }
      #expect(scoreRatio(one, two)!.contains(1) == (test.twoSidedP > 0.05), "\(one) \(two)")
    }
  }

  @Test func swappingArmsNegatesTheDifferenceAndInvertsTheRatio() {
    Self.forEachTable { one, two in
      let (there, back) = (miettinenNurminenDifference(one, two)!, miettinenNurminenDifference(two, one)!)
      #expect(isClose(there.low, -back.high, within: 1e-14) && isClose(there.high, -back.low, within: 1e-14))
      let (newcombe, mirrored) = (newcombeDifference(one, two)!, newcombeDifference(two, one)!)
      #expect(isClose(newcombe.low, -mirrored.high, within: 1e-14))
      let (ratio, inverse) = (scoreRatio(one, two)!, scoreRatio(two, one)!)
      #expect(
        ratio.low == 0 ? inverse.high == .infinity : isClose(ratio.low * inverse.high, 1, within: 1e-11),
        "\(one) \(two) \(ratio) \(inverse)")
    }
  }

  @Test func oneMoreSuccessRaisesBothBounds() {
    Self.forEachTable { one, two in
      guard one.failures > 0 else { return }
      let more = Proportion(successes: one.successes + 1, trials: one.trials)
      for method in [miettinenNurminenDifference, newcombeDifference] {
        let (before, after) = (method(one, two, normalQuantile975)!, method(more, two, normalQuantile975)!)
        #expect(after.low >= before.low - 1e-12 && after.high >= before.high - 1e-12, "\(one) \(two)")
      }
    }
  }

  @Test func intervalsLieInMinusOneToOneAndContainTheEstimate() {
    Self.forEachTable { one, two in
      let estimate = one.successes / one.trials - two.successes / two.trials
      for method in [miettinenNurminenDifference, newcombeDifference] {
        let interval = method(one, two, normalQuantile975)!
        #expect(interval.low >= -1 && interval.high <= 1, "\(one) \(two)")
        #expect(interval.low <= estimate + 1e-15 && interval.high >= estimate - 1e-15, "\(one) \(two)")
      }
    }
  }

  @Test func miettinenNurminenAtZeroIsTheNMinusOneTest() {
    Self.forEachTable { one, two in
      guard let score = miettinenNurminenTest(one, two), let chiSquare = nMinus1Test(one, two) else { return }
      #expect(isClose(score.twoSidedP, chiSquare.p, within: 1e-12), "\(one) \(two)")
    }
  }

  @Test func fishersTailsAndBoschloosPowerAgree() throws {
    for (one, two) in [(4.0, 9.0), (9, 9), (7, 5)] {
      for x1 in stride(from: 0, through: one, by: 1) {
        for x2 in stride(from: 0, through: two, by: 1) {
          let (first, second) = (Proportion(successes: x1, trials: one), Proportion(successes: x2, trials: two))
          let fisher = try #require(fisherTest(first, second))
          #expect(fisher.greaterP + fisher.lessP > 1 - 1e-12 && fisher.twoSidedP <= 1)
          guard let boschloo = try boschlooTest(first, second) else { continue }
          // Boschloo's one-sided p is never above Fisher's.
          #expect(boschloo <= 2 * min(fisher.greaterP, fisher.lessP) + 1e-9)
        }
      }
    }
  }
}
