import Basics
import CZstd
import FolderSupport
import Foundation
import Testing
import TruthSupport

@testable import Simulation

/// Checks that the committed sample matches its README and is at most 3 MB.
struct SampleDataTests {
  private static let directory = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("SampleData")

  @Test func isMadeByItsRecordedOptions() throws {
    var options = SampleOptions.sampleData
    options.compression = .none
    let committed = try files(in: Self.directory.appendingPathComponent("events"))
    #expect(committed.values.map(\.count).reduce(0, +) <= 3_000_000)

    try withTemporaryDirectory { directory in
      var summary = try SampleWriter(options: options).write(to: directory.path)
      let plain = try files(in: directory)
      #expect(Set(plain.keys.map { $0 + ".zst" }) == Set(committed.keys))
      for (name, text) in plain {
        let file = try #require(committed[name + ".zst"])
        #expect(zstdText(file, capacity: text.count).map { Data($0) } == text, "\(name)")
        // Another zstd version may compress differently. A few files are enough, because level 19 is slow.
        if ZSTD_versionNumber() == 10_504, name.contains("-2026-01-1") {
          #expect(try text.withUnsafeBytes { try ZstdFrame(level: 19).frame(of: $0) } == Array(file), "\(name)")
        }
      }
      summary.storedBytes = committed.values.map(\.count).reduce(0, +)
      let readme = try String(contentsOf: Self.directory.appendingPathComponent("README.md"), encoding: .utf8)
      let expected = Truth.standard.markdown(of: .sampleData, directory: "SampleData/events", summary: summary)
      #expect(readme == expected, "write SampleData/README.md anew from Truth.markdown")
    }
  }

  @Test func commandNamesEveryOptionThatMatters() {
    #expect(
      SampleOptions.sampleData.command(output: "SampleData/events")
        == """
        tollgate sample --seed 2027 --persons 11500 --first-day 2026-01-05 --days 70 --level 19 \
        --output SampleData/events
        """)
    let options = SampleOptions(seed: 5, size: .events(100), apps: ["steps"], compression: .none)
    #expect(
      options.command(output: "x")
        == """
        tollgate sample --seed 5 --events 100 --first-day 2026-01-05 --days 84 --app steps --compression none --output x
        """)
  }
}
