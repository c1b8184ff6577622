import Testing

@testable import Statistics

struct HypergeometricTests {
  /// 5 drawn of 7 and 3: C(7, k) C(3, 5 − k) ÷ C(10, 5) is 21, 105, 105 and 21 of 252 for k = 2 to 5. Of 2,520 uniform
  /// numbers in the middle of equal steps, each value has that share to within one step at either end.
  @Test func valuesHaveTheLawsShares() {
    let law = Hypergeometric(successes: 7, failures: 3, draws: 5)
    var counts: [Double: Int] = [:]
    for step in 0..<2_520 { counts[law.value(at: (Double(step) + 0.5) / 2_520), default: 0] += 1 }
    #expect(counts.keys.sorted() == [2, 3, 4, 5])
    for (value, share) in [2.0: 210, 3: 1_050, 4: 1_050, 5: 210] { #expect(abs((counts[value] ?? 0) - share) <= 2) }
  }

  @Test func whatIsCertainIsDrawn() {
    #expect(Hypergeometric(successes: 4, failures: 0, draws: 3).value(at: 0.9) == 3)
    #expect(Hypergeometric(successes: 0, failures: 5, draws: 3).value(at: 0.2) == 0)
    #expect(Hypergeometric(successes: 100, failures: 50, draws: 150).value(at: 0.999_999) == 100)
  }
}
