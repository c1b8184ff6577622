import Statistics
import Testing

struct AalenJohansenTests {
  /// R `etm` 1.1.1 (golden competing_risks-048, group 1): ends 2, 3 by cause 1, 4, 5 by cause 2, one censored at 1.
  @Test func agreesWithREtm() {
    var estimate = AalenJohansen(atRisk: 6, causes: 2)
    estimate.censor(1)
    estimate.end(1, cause: 0)
    #expect(isClose(estimate.incidence(of: 0), 0.2, within: 1e-15))
    #expect(isClose(estimate.variance(of: 0), 0.032, within: 1e-15))
    estimate.end(1, cause: 0)
    estimate.end(1, cause: 1)
    #expect(isClose(estimate.incidence(of: 0), 0.4, within: 1e-15))
    #expect(isClose(estimate.variance(of: 0), 0.048, within: 1e-15))
    #expect(isClose(estimate.incidence(of: 1), 0.2, within: 1e-15))
    #expect(isClose(estimate.variance(of: 1), 0.032, within: 1e-15))
    #expect(estimate.atRisk == 2)
  }

  @Test func isThePlainProportionWithoutCensoring() {
    var estimate = AalenJohansen(atRisk: 1_000, causes: 2)
    for _ in 0..<123 {
      estimate.end(1, cause: 0)
      estimate.end(2, cause: 1)
    }
    #expect(estimate.incidence(of: 0) == 0.123)
    #expect(isClose(estimate.variance(of: 0), 0.123 * 0.877 / 1_000, within: 1e-19))
    #expect(isClose(estimate.effectiveTrials(of: 0), 1_000, within: 1e-9))
  }

  @Test func isCertainWhenAllEndByOneCause() {
    var estimate = AalenJohansen(atRisk: 10, causes: 2)
    estimate.end(3, cause: 0)
    estimate.censor(4)
    #expect(estimate.incidence(of: 0) == 0.3)
    estimate.end(3, cause: 0)
    #expect(estimate.incidence(of: 0) == 1)
    #expect(estimate.variance(of: 0) == 0)
    #expect(estimate.effectiveTrials(of: 0) == nil)
  }

  /// The direct sum of Methods 2.10, written out, on data with censoring at every time.
  @Test func equalsTheExpandedSum() {
    let rows: [(ends: Int, other: Int, censored: Int)] = [(3, 1, 2), (0, 4, 1), (5, 2, 3), (1, 0, 1), (2, 2, 0)]
    var estimate = AalenJohansen(atRisk: 40, causes: 2)
    for row in rows {
      estimate.end(row.ends, cause: 0)
      estimate.end(row.other, cause: 1)
      estimate.censor(row.censored)
    }
    var (survival, incidence, atRisk) = (1.0, 0.0, 40.0)
    var terms: [(before: Double, after: Double, incidence: Double, atRisk: Double, own: Double, all: Double)] = []
    for row in rows {
      let own = Double(row.ends) / atRisk
      let all = Double(row.ends + row.other) / atRisk
      incidence += survival * own
      terms.append((survival, survival * (1 - all), incidence, atRisk, own, all))
      survival *= 1 - all
      atRisk -= Double(row.ends + row.other + row.censored)
    }
    var variance = 0.0
    for term in terms {
      let rest = (incidence - term.incidence) / term.after
      let mean = term.own * (1 - rest) - (term.all - term.own) * rest
      let square = term.own * (1 - rest) * (1 - rest) + (term.all - term.own) * rest * rest
      variance += term.before * term.before / term.atRisk * (square - mean * mean)
    }
    #expect(isClose(estimate.incidence(of: 0), incidence, within: 1e-15))
    #expect(isClose(estimate.variance(of: 0), variance, within: 1e-16))
  }
}
