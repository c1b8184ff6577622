import Testing

@testable import Metrics

/// The search for drivers and its exact parts; events with planted causes are in `Tests/Acceptance/Oracle/drivers.py`.
struct DriverTests {
  private typealias Side = [(values: [String], count: DriverCells.Count)]

  private func side(_ rows: [(country: String, platform: String, units: Int, met: Int)]) -> Side {
    rows.map { (values: [$0.country, $0.platform], count: DriverCells.Count(units: $0.units, met: $0.met)) }
  }

  private func table(_ before: Side, _ now: Side) -> DriverCells {
    DriverCells([.country, .platform], before: before, now: now)
  }

  /// Before 30 of 100 in A and 10 of 100 in B, now 30 of 50 and 15 of 150, so C = (0.2 + 0.225) ÷ 2 = 0.2125:
  /// mix of A (0.25 − 0.5)(0.45 − 0.2125) = −0.059375, rate 0.375 · 0.3 = 0.1125;
  /// mix of B (0.75 − 0.5)(0.1 − 0.2125) = −0.028125, rate 0. They add up to 0.025.
  @Test func partsAreKitagawas() {
    let cells = table(
      side([("A", "ios", 100, 30), ("B", "ios", 100, 10)]), side([("A", "ios", 50, 30), ("B", "ios", 150, 15)]))
    let parts = DriverParts(cells, cut: [0], isOfSum: false, scale: 1).rows
    #expect(parts.map { $0.segment.map(cells.name) } == ["country=A", "country=A", "country=B", "country=B"])
    #expect(parts.map(\.printed) == [-59_375, 112_500, -28_125, 0])
    // Of the sum 40 to 45: both sides have 200 units, so volume is 0, and the parts are 200 times those of the rate.
    let sums = DriverParts(cells, cut: [0], isOfSum: true, scale: 1).rows
    #expect(sums.map(\.part) == [.volume, .mix, .rate, .mix, .rate])
    // -1,187.5 and -562.5 round down; the missing unit goes to the first of the equal remainders.
    #expect(sums.map(\.printed) == [0, -1_187, 2_250, -563, 0])
  }

  /// 1 for three values of a third: each rounds down to 0, and the first of the equal remainders has the missing unit.
  @Test func printedPartsAddUp() {
    #expect(DriverParts.printed([1.0 / 3, 1.0 / 3, 1.0 / 3], sum: 1) == [1, 0, 0])
    #expect(DriverParts.printed([-0.5, 2.75, -1.25], sum: 1) == [-1, 3, -1])
  }

  /// Germany falls from 20 to 8%, the others stay at 20%.
  @Test func aFallInOneCountryIsItsDriver() throws {
    let before = side([
      ("DE", "ios", 400, 80), ("DE", "android", 400, 80), ("US", "ios", 900, 180), ("US", "android", 900, 180),
    ])
    let now = side([
      ("DE", "ios", 400, 32), ("DE", "android", 400, 32), ("US", "ios", 900, 180), ("US", "android", 900, 180),
    ])
    let cells = table(before, now)
    let top = try #require(DriverSearch(cells).top(seed: "test"))
    #expect(cells.name(top.segment) == "country=DE" && !top.score.isMix && top.p == 0.001)
    let rest = cells.without(top.segment)
    #expect(rest.before.units == 1_800 && rest.now.met == 360)
    #expect(try #require(DriverSearch(rest).top(seed: "test")).p > 0.05)
  }

  /// Both platforms of FR are iOS: the pair is the same users, and stands as another name of the country.
  @Test func segmentsOfTheSameUsersAreOne() throws {
    let before = side([("FR", "ios", 500, 200), ("US", "ios", 800, 160), ("US", "android", 800, 160)])
    let now = side([("FR", "ios", 500, 50), ("US", "ios", 800, 160), ("US", "android", 800, 160)])
    let cells = table(before, now)
    let top = try #require(DriverSearch(cells).top(seed: "test"))
    #expect(cells.name(top.segment) == "country=FR" && top.aliases.map(cells.name) == ["country=FR,platform=ios"])
  }

  @Test func withoutADifferenceNothingStandsOut() throws {
    let one = side([("DE", "ios", 400, 80), ("US", "ios", 900, 180), ("US", "android", 900, 180)])
    #expect(try #require(DriverSearch(table(one, one)).top(seed: "test")).p == 1)
    // Fewer than 20 units are not looked at.
    let few = side([("DE", "ios", 4, 1), ("US", "ios", 5, 2)])
    #expect(DriverSearch(table(few, few)).top(seed: "test") == nil)
  }

  @Test func whatCannotBeSplitIsRefused() throws {
    let store = try TestStore(lines: [])
    for (kind, column, reason) in [
      (ReportKind.revenue, "net", "why does not support revenue; use funnel"),
      (.funnel, "paid_rat", "did you mean paid_rate?"),
    ] {
      var request = ReportRequest(kind)
      (request.comparison, request.drivers) = (try ComparedWith("previous"), DriverQuestion(column: column))
      let error = #expect(throws: OptionError.self) { try store.store.read { try request.run($0) } }
      #expect("\(error.map { "\($0)" } ?? "")".contains(reason))
    }
  }
}
