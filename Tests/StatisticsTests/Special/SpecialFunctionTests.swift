import Statistics
import Testing

/// mpmath 1.3 at 50 digits, printed to 16; SciPy 1.17.1 where stated.
struct SpecialFunctionTests {
  @Test(arguments: [
    (0.0, 0.5), (1.959963984540054, 0.025000000000000015), (9, 1.1285884059538405e-19),
    (20, 2.7536241186062337e-89), (37, 5.725571222524576e-300),
  ])
  func normalTailKeepsItsDigits(x: Double, tail: Double) {
    #expect(isClose(NormalDistribution.survival(x) / tail, 1, within: 1e-12))
    #expect(isClose(NormalDistribution.cdf(-x) / tail, 1, within: 1e-12))
  }

  @Test(arguments: [0.5, 0.9, 0.975, 1e-6, 1e-50, 1e-300, 0.999999])
  func normalQuantileInvertsTheDistribution(p: Double) {
    let x = NormalDistribution.quantile(p)
    #expect(isClose(NormalDistribution.cdf(x) / p, 1, within: 1e-12))
    #expect(isClose(NormalDistribution.quantile(0.975), normalQuantile975, within: 1e-15))
  }

  @Test(arguments: [
    (1e-8, 18.42068073818021, -100000000.57721564), (100, 359.1342053695754, 4.600161852738087),
    (1e8, 1742068066.1038346, 18.420680738952367),
  ])
  func gammaAndItsDerivative(x: Double, logGamma: Double, digamma: Double) {
    #expect(isClose(Gamma.log(x) / logGamma, 1, within: 1e-14))
    #expect(isClose(Gamma.digamma(x) / digamma, 1, within: 1e-14))
  }

  @Test(arguments: [
    (0.5, 0.5, 1.1447298858494002), (100, 1, -4.605170185988092), (5e7, 5e7, -69314725.65424919),
  ])
  func logBetaOfSmallAndHugeArguments(a: Double, b: Double, expected: Double) {
    #expect(isClose(logBeta(a, b) / expected, 1, within: 1e-14))
  }

  @Test(arguments: [
    (20.0, 30.0, 0.4, 0.507700199657648, 0.492299800342352),
    (100.5, 0.5, 0.99999, 0.9642847328634454, 0.03571526713655463),
    (1e6, 1e6, 0.501, 0.9976611505930685, 0.0023388494069315046),
    (300, 5, 0.5, 1.0848008611150563e-83, 1),
  ])
  func betaTails(a: Double, b: Double, x: Double, lower: Double, upper: Double) {
    let beta = BetaDistribution(a: a, b: b)
    #expect(isClose(beta.cdf(x) / lower, 1, within: 1e-11))
    #expect(isClose(beta.survival(x) / upper, 1, within: 1e-11))
  }

  @Test(arguments: [
    (16.0, 134.0, 0.025, 0.0626368535681722), (1, 1e8, 0.975, 3.6888793860747784e-08),
    (0.5, 1e6, 0.025, 4.910346812257255e-10),
  ])
  func betaQuantiles(a: Double, b: Double, p: Double, x: Double) {
    #expect(isClose(BetaDistribution(a: a, b: b).quantile(p) / x, 1, within: 1e-11))
  }

  @Test func betaQuantileInvertsItsTails() {
    for a in [0.5, 1, 3, 40, 1e3, 1e6] {
      for b in [0.5, 1, 3, 40, 1e3, 1e6] {
        let beta = BetaDistribution(a: a, b: b)
        for p in [1e-12, 0.025, 0.5] {
          #expect(isClose(beta.cdf(beta.quantile(p)) / p, 1, within: 1e-8))
          let (x, y) = (beta.upperQuantile(p), BetaDistribution(a: b, b: a).quantile(p))
          #expect(isClose(x, 1 - y, within: 1e-15))
        }
      }
    }
  }

  @Test func studentTailAndQuantile() {
    #expect(isClose(StudentDistribution.survival(2, degrees: 30), 0.02731252248149155, within: 1e-15))
    #expect(isClose(StudentDistribution.survival(30, degrees: 1e5) / 3.6892684361111166e-197, 1, within: 1e-11))
    #expect(isClose(StudentDistribution.quantile(0.975, degrees: 1), 12.706204736174694, within: 1e-12))
    #expect(isClose(StudentDistribution.quantile(0.975, degrees: 1e8), 1.9599640082627665, within: 1e-13))
  }

  @Test func noncentralStudentTails() {
    // SciPy: nct.sf(2, 20, 1.5) and nct.sf(-2, 20, 1.5).
    #expect(isClose(NoncentralStudent.survival(2, degrees: 20, shift: 1.5), 0.3253700858619651, within: 1e-13))
    #expect(isClose(NoncentralStudent.survival(-2, degrees: 20, shift: 1.5), 0.9995542715519018, within: 1e-13))
  }

  @Test func chiSquareTail() {
    #expect(isClose(ChiSquareDistribution.survival(1, degrees: 3), 0.8012519569012008, within: 1e-14))
    #expect(isClose(ChiSquareDistribution.survival(700, degrees: 9) / 6.916357838795498e-145, 1, within: 1e-11))
    #expect(isClose(ChiSquareDistribution.survival(120, degrees: 100), 0.08440668109369183, within: 1e-14))
  }

  @Test func binomialAtAHundredMillion() {
    let law = BinomialDistribution(trials: 1e8, probability: 0.5)
    #expect(isClose(law.logProbability(of: 5e7), -9.43613172712091, within: 1e-13))
    #expect(isClose(law.cdf(5e7), 0.5000398942279404, within: 1e-13))
  }
}
