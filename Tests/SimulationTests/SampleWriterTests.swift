import EventModel
import FolderSupport
import Foundation
import Testing

@testable import Simulation

struct SampleWriterTests {
  private func written(_ options: SampleOptions, personsPerBlock: Int = 2_048) throws -> [String: Data] {
    try withTemporaryDirectory { directory in
      var writer = SampleWriter(options: options)
      writer.personsPerBlock = personsPerBlock
      try writer.write(to: directory.path)
      return try files(in: directory)
    }
  }

  @Test func sameOptionsMakeTheSameBytesWhateverTheThreadsAndBlocks() throws {
    var options = SampleOptions(seed: 3, size: .persons(3_000), days: 30, threads: 1)
    let files = try written(options)
    #expect(files.count > 100)
    #expect(try written(options) == files)
    #expect(try written(options, personsPerBlock: 7) == files)
    options.threads = 3
    #expect(try written(options, personsPerBlock: 101) == files)
    options.seed = 4
    #expect(try written(options) != files)
  }

  /// The files of one day have frames of 1 MiB, and the longest has more than two.
  @Test func longFilesAreCutIntoFramesAtTheSamePlaces() throws {
    var options = SampleOptions(seed: 3, size: .persons(6_000), days: 1, apps: ["steps"], threads: 1)
    let compressed = try written(options)
    #expect(try written(options, personsPerBlock: 500) == compressed)
    options.compression = .none
    let plain = try written(options)
    #expect(Set(plain.keys.map { $0 + ".zst" }) == Set(compressed.keys))
    for (name, text) in plain {
      let file = try #require(compressed[name + ".zst"])
      #expect(zstdText(file, capacity: text.count).map { Data($0) } == text)
    }
    let longest = try #require(plain.values.map(\.count).max())
    #expect(longest > 2 << 20)
  }

  /// A pilot of 8,000 users gives the mean within 1%, and users vary: 3% in total.
  @Test func sizeInEventsIsMetNearly() throws {
    let summary = try withTemporaryDirectory { directory in
      try SampleWriter(options: SampleOptions(size: .events(40_000), days: 40)).write(to: directory.path)
    }
    #expect(abs(summary.events - 40_000) < 1_200)
    #expect(summary.persons > 5_000)
  }

  @Test func summaryAndProgressCountWhatWasWritten() throws {
    try withTemporaryDirectory { directory in
      var seen: [Int] = []
      let options = SampleOptions(size: .persons(500), days: 10, compression: .none)
      let summary = try SampleWriter(options: options).write(to: directory.path) { seen.append($0) }
      let files = try files(in: directory)
      #expect(summary.files == files.count)
      #expect(summary.bytes == files.values.map(\.count).reduce(0, +))
      #expect(summary.storedBytes == summary.bytes)
      #expect(summary.events == files.values.map { $0.count { $0 == 0x0a } }.reduce(0, +))
      #expect(seen.last == summary.events)
    }
  }

  @Test func refusesADirectoryThatHoldsSomething() throws {
    try withTemporaryDirectory { directory in
      try Data("x".utf8).write(to: directory.appendingPathComponent("churn-2020-01-01.jsonl"))
      #expect(throws: SampleError("\(directory.path): holds 1 file; name a new or empty folder")) {
        try SampleWriter(options: SampleOptions()).write(to: directory.path)
      }
    }
  }

  @Test func saysWhichOptionIsOutOfRange() throws {
    func message(_ change: (inout SampleOptions) -> Void) -> String? {
      var options = SampleOptions()
      change(&options)
      do throws(SampleError) { try options.validate() } catch { return error.description }
      return nil
    }
    #expect(message { _ in } == nil)
    #expect(message { $0.size = .persons(0) } == "--persons is 0, but must be from 1 to 268435456")
    #expect(message { $0.days = 0 } == "--days is 0, but must be from 1 to 1830")
    #expect(message { $0.compression = .zstd(level: 20) } == "--level is 20, but must be from 1 to 19")
    #expect(message { $0.threads = 0 } == "--threads is 0, but must be from 1 to 256")
    #expect(
      message { $0.apps = ["walks"] }
        == "no app walks; use different ones of coach, praxisen, steps, techniq"
    )
    #expect(
      message { $0.firstDay = CivilDate(year: 1999, month: 1, day: 1) }
        == "--first-day is 1999-01-01, but must be from 2008-01-01 to 2090-01-01")
  }
}
