import Foundation
import Statistics

/// An arm with 3% payers who each pay lognormal(3, 1.2); both arms are alike.
private struct RevenueArm {
  private(set) var moments = Moments()
  /// The amounts that payers paid.
  private(set) var payments: [Double] = []
  static let truth = 0.03 * exp(3 + 1.2 * 1.2 / 2)

  mutating func add(users: Int, _ payers: BinomialSampler, _ draws: inout Draws) {
    let count = Int(payers.draw(&draws))
    moments.merge(Moments(count: Double(users - count), sum: 0, sumOfSquares: 0))
    for _ in 0..<count {
      let payment = exp(3 + 1.2 * draws.normal())
      payments.append(payment)
      moments.add(payment)
    }
  }

  func capped(at cap: Double) -> Moments {
    var moments = Moments(count: self.moments.count - Double(payments.count), sum: 0, sumOfSquares: 0)
    moments.merge(Moments(winsorised(payments, cap: cap).values))
    return moments
  }
}

func revenueChecks(repetitions: Int) -> [Check] {
  let setting = "3% payers, lognormal(3, 1.2), 5,600 an arm"
  let day = BinomialSampler(trials: 200, rate: 0.03)
  let sequence = AsymptoticSequence()
  var (draws, tally) = (Draws(name: "revenue"), Tally())
  for _ in 0..<repetitions {
    var (one, two) = (RevenueArm(), RevenueArm())
    for look in 0..<28 {
      one.add(users: 200, day, &draws)
      two.add(users: 200, day, &draws)
      guard let treatment = MeanArm(one.moments), let control = MeanArm(two.moments),
        let test = welchTest(treatment, control)
      else { continue }
      tally.alarm("every look", if: test.twoSidedP < 0.05)
      let seen = sequence.look(
        estimate: test.difference, standardError: test.standardError, units: treatment.count + control.count)
      tally.alarm("sequence", if: (seen?.p ?? 1) < 0.05)
      guard look == 27 else { continue }
      tally.alarm("last", if: test.twoSidedP < 0.05)
      tally.alarm("covered", if: covers(treatment))
      // Zeros are below any cap, so the quantile over all users is one of the payments.
      let zeros = [Double](repeating: 0, count: 11_200 - one.payments.count - two.payments.count)
      let pooled = zeros + (one.payments + two.payments).sorted()
      if let cap = sampleQuantile(ofSorted: pooled, 0.999), let a = MeanArm(one.capped(at: cap)),
        let b = MeanArm(two.capped(at: cap)), let capped = welchTest(a, b)
      {
        tally.alarm("capped", if: capped.twoSidedP < 0.05)
      }
    }
    tally.endRepetition()
  }
  func check(_ name: String, _ key: String, _ anchor: Double) -> Check {
    Check(
      name: name, setting: setting, outcome: .share(hits: tally[key], of: repetitions, anchor: anchor, anchored: 8_000))
  }
  return [
    check("Welch, last look", "last", 0.04412), check("Welch after the pooled 99.9% cap", "capped", 0.04738),
    check("Welch, every look (negative control)", "every look", 0.2365),
    check("asymptotic sequence, N* 5,000", "sequence", 0.00625),
    check("coverage of one arm's normal interval", "covered", 0.91487), largeArm(repetitions),
  ]
}

private func covers(_ arm: MeanArm) -> Bool {
  abs(arm.mean - RevenueArm.truth) <= normalQuantile975 * arm.variance.squareRoot()
}

private func largeArm(_ repetitions: Int) -> Check {
  let payers = BinomialSampler(trials: 28_000, rate: 0.03)
  var (draws, hits) = (Draws(name: "large revenue"), 0)
  for _ in 0..<repetitions {
    var arm = RevenueArm()
    arm.add(users: 28_000, payers, &draws)
    if let estimate = MeanArm(arm.moments), covers(estimate) { hits += 1 }
  }
  // The anchor has three digits, from 2,000 simulations.
  return Check(
    name: "coverage of one arm's normal interval", setting: "the same, 28,000 an arm",
    outcome: .share(hits: hits, of: repetitions, anchor: 0.942, anchored: 2_000))
}
