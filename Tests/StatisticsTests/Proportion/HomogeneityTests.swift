import Statistics
import Testing

@Suite struct HomogeneityTests {
  /// Σ (observed − expected)² ÷ expected, with expected = row · column ÷ 92, added up in Python; with 2 degrees of freedom
  /// p = exp(−x ÷ 2). The least expected count is 32 · 16 ÷ 92.
  @Test func isPearsons() throws {
    let test = try #require(Homogeneity([[10, 20, 30], [6, 9, 17]]))
    #expect(abs(test.statistic - 0.27157465150403504) < 1e-12)
    #expect(test.degrees == 2)
    #expect(abs(test.p - 0.873028283380073) < 1e-12)
    #expect(abs(test.leastExpected - 32 * 16 / 92.0) < 1e-12)
  }

  /// Campbell (2007): the N − 1 χ² of a 2 × 2 table is (ad − bc)²(N − 1) ÷ (mnrs); of (1, 9; 11, 3) it is
  /// (1·3 − 9·11)² · 23 ÷ (10 · 14 · 12 · 12) = 10.51428…, and erfc(√(10.51428… ÷ 2)) = 0.0011845….
  @Test func theSmallerOneOfCampbell() throws {
    let test = try #require(Homogeneity([[1, 9], [11, 3]]))
    let expected = 96.0 * 96 * 23 / (10 * 14 * 12 * 12)
    #expect(abs(test.pOfFew - ChiSquareDistribution.survival(expected, degrees: 1)) < 1e-14)
    #expect(test.pOfFew > test.p)
  }

  /// An empty group or class says nothing about shares.
  @Test func nothingToCompare() throws {
    #expect(Homogeneity([[3, 4]]) == nil)
    #expect(Homogeneity([[3, 0], [5, 0]]) == nil)
    #expect(Homogeneity([[3, 4], [0, 0]]) == nil)
    let whole = try #require(Homogeneity([[3, 4], [5, 6]]))
    let padded = try #require(Homogeneity([[3, 0, 4], [0, 0, 0], [5, 0, 6]]))
    #expect(whole.statistic == padded.statistic && whole.degrees == padded.degrees)
  }
}
