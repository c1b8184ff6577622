import Basics
import EventModel
import Testing

@testable import Metrics

/// Rates that fit only as units per US dollar.
@Suite struct RateDirectionTests {
  private func faults(_ lines: [String], known: [String] = []) throws -> [Int] {
    let header = "date,currency,usd_per_unit\n"
    let stored = try RateFile.rates(header + known.joined(separator: "\n"), name: "stored")
    do {
      try RateFile.requireDollarsPerUnit(
        header + lines.joined(separator: "\n"), name: "r", from: nil, known: stored)
      return []
    } catch {
      return error.lines.compactMap { Int($0.split(separator: ":")[1]) }
    }
  }

  /// Published moves that were large: the franc's peg ended (0.98 to 1.17 dollars), the pound fell after a vote (1.48 to
  /// 1.37), the Australian dollar fell through parity within weeks.
  @Test func ratesThatMoveAreNotInverted() throws {
    #expect(try faults(["2015-01-14,CHF,0.98", "2015-01-15,CHF,1.17"]) == [])
    #expect(try faults(["2016-06-24,GBP,1.37"], known: ["2016-06-23,GBP,1.48"]) == [])
    #expect(try faults(["2013-04-30,AUD,1.037", "2013-05-31,AUD,0.957", "2013-06-28,AUD,0.914"]) == [])
    // A currency of the same name with fewer zeros is no inverse: a new lira was a million old ones.
    #expect(try faults(["2005-01-03,TRY,0.74"], known: ["2004-12-31,TRY,0.00000074"]) == [])
  }

  @Test func oneInvertedRateAmongOthersIsFound() throws {
    let days = (10...20).map { "2026-03-\($0),JPY,0.0067\($0 % 10)" }
    #expect(try faults(days) == [])
    #expect(try faults(days.dropLast() + ["2026-03-20,JPY,149.5"]) == [12])
    #expect(try faults(["2026-03-21,JPY,149.5"], known: days) == [2])
    // Near one dollar, the inverse is no farther away than rates move.
    #expect(try faults(["2026-03-01,EUR,1.08", "2026-03-02,EUR,0.925"]) == [])
    // The euro's layout of the central bank has one direction.
    try RateFile.requireDollarsPerUnit(
      "Date,USD,JPY\n2026-04-23,1.0878,163.68\n", name: "r", from: nil, known: [])
  }

  /// Rates that are replaced are not compared with.
  @Test func aCorrectedFileReplacesAnInvertedOne() throws {
    #expect(try faults(["2026-03-01,JPY,0.0067", "2026-03-02,JPY,0.0068"], known: ["2026-03-01,JPY,149.5"]) == [])
    #expect(try faults(["2026-03-02,JPY,0.0068"], known: ["2026-03-01,JPY,149.5"]) == [2])
  }
}
