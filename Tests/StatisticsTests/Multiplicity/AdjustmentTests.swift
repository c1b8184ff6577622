import Statistics
import Testing

struct AdjustmentTests {
  /// statsmodels 0.14 `multipletests`, golden `multiple_testing-001`.
  @Test(arguments: [
    (Adjustment.holm, [0.03, 0.06, 0.06, 0.02]), (.hochberg, [0.03, 0.04, 0.04, 0.02]),
    (.benjaminiHochberg, [0.02, 0.04, 0.04, 0.02]),
    (.benjaminiYekutieli, [0.041666666666666664, 0.08333333333333333, 0.08333333333333333, 0.041666666666666664]),
    (.bonferroni, [0.04, 0.16, 0.12, 0.02]),
  ])
  func agreesWithStatsmodels(adjustment: Adjustment, expected: [Double]) {
    let adjusted = adjustment.adjusted([0.01, 0.04, 0.03, 0.005])
    for (value, wanted) in zip(adjusted, expected) { #expect(isClose(value, wanted, within: 1e-15)) }
  }

  @Test func undefinedValuesTakeNoPartAndTiesStayTied() {
    for adjustment in Adjustment.allCases {
      let adjusted = adjustment.adjusted([0.02, nil, 0.02, 0.5])
      #expect(adjusted[1] == nil && adjusted[0] == adjusted[2])
      #expect(adjusted[0] == adjustment.adjusted([0.02, 0.02, 0.5])[0])
    }
    #expect(Adjustment.holm.adjusted([]).isEmpty && Adjustment.holm.adjusted([nil]) == [nil])
  }

  @Test func intervalsAreWidenedForTheirFamily() {
    #expect(isClose(simultaneousConfidence(0.95, family: 5), 0.99, within: 1e-15))
  }
}
