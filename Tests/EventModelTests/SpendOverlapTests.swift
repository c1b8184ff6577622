import EventModel
import Testing

/// Spend of one day split in two ways counts twice. Expected by hand.
@Suite struct SpendOverlapTests {
  private func row(_ day: Int, source: String = "", campaign: String = "", country: String = "") -> SpendRow {
    var slice = SpendRow.Slice()
    (slice.source, slice.campaign, slice.country) = (source, campaign, country)
    return SpendRow(day: CivilDate(daysSince1970: 20_000 + day), slice: slice, currency: "USD", spend: 1)
  }

  @Test func spendByCampaignAfterSpendByCountryOverlaps() throws {
    let stored = [row(1, country: "DE"), row(1, country: "US"), row(2, country: "DE"), row(3, country: "DE")]
    let new = [row(1, campaign: "spring"), row(2, campaign: "spring")]
    let overlap = try #require(SpendOverlap(stored: stored, new: new))
    #expect(overlap.stored == Array(stored.prefix(3)) && overlap.dayCount == 2)
    #expect(overlap.storedParts == ["country"] && overlap.newParts == ["campaign"])
  }

  /// Equal parts, other days and other sources are no second telling; an empty cell of a column is none either.
  @Test func otherSpendDoesNot() {
    let stored = [row(1, source: "meta", country: "DE"), row(1, source: "meta")]
    #expect(SpendOverlap(stored: stored, new: stored) == nil)
    #expect(SpendOverlap(stored: stored, new: [row(2, campaign: "a")]) == nil)
    #expect(SpendOverlap(stored: stored, new: [row(1, source: "apple", campaign: "a")]) == nil)
    #expect(SpendOverlap(stored: stored, new: [row(1, campaign: "a")]) != nil)
  }
}
