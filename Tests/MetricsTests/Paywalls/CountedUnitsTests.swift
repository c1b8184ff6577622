import Basics
import FolderSupport
import Foundation
import Testing

/// The fixture case `cells`, whose expected bytes come from the oracle. FixtureTests reads its events as one file; here
/// they come in any order, in any number of commits, while cells are updated.
struct CountedUnitsTests {
  @Test(arguments: [31, 32, 33])
  func theOracleIsMetInWhateverOrderEventsCame(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let fixtures = try Fixtures(folder: Fixtures.own)
    let one = try #require(fixtures.cases["cells"])
    var lines = try String(contentsOf: fixtures.events(of: "cells"), encoding: .utf8).split(separator: "\n").map(
      String.init)
    lines.shuffle(using: &random)
    let store = try TestStore(lines: [])
    while !lines.isEmpty {
      let count = min(lines.count, Int.random(in: 1...400, using: &random))
      try store.ingest(Array(lines.prefix(count)), commitEvents: Int.random(in: 1...300, using: &random))
      lines.removeFirst(count)
    }
    #expect(one.runs.count >= 48)
    for run in one.runs {
      let expected = try String(contentsOf: fixtures.folder.appendingPathComponent(run.expected), encoding: .utf8)
      #expect(
        try store.csv(run.report, run.args) == expected, "\(run.expected): \(run.args.joined(separator: " "))")
    }
  }
}
