import Lifecycle
import Testing

@testable import Store

@Suite struct PersonUnitsTests {
  /// Parts together have what the whole has: one unit per experiment, that of the variant seen first.
  @Test func partsOfExposuresTogetherAreTheWhole() {
    var facts = PersonFacts()
    // Three of four experiments have one variant; the fourth is seen again at the end.
    let experiments = 40_000
    for number in 0..<experiments {
      facts.exposures.append(
        ExposureFact(experiment: Int32(experiments - number), variant: 7, ts: Int64(number), client: 1))
    }
    for number in stride(from: 0, to: experiments, by: 4) {
      facts.exposures.append(
        ExposureFact(experiment: Int32(experiments - number), variant: 8, ts: day + Int64(number), client: 1))
    }
    let numbers = CellKeyNumbers()
    var parts: [PersonUnits] = []
    PersonUnits.forEachPart(ofExposures: facts, app: 3, numbers) { parts.append(copy $0) }
    #expect(parts.count == 4)
    let units = parts.flatMap(\.exposures)
    #expect(units.map(\.fact.experiment) == (1...Int32(experiments)).map { $0 })
    #expect(
      units.allSatisfy {
        $0.fact.ts == Int64(experiments) - Int64($0.fact.experiment) && $0.fact.variant == 7
      })
    #expect(units.allSatisfy { $0.isCrossed == ($0.fact.ts % 4 == 0) })
  }
}
