import Foundation
import Testing

/// Files and apps that arrive in a night beside the expected ones.
@Suite struct NightlyArrivalTests {
  private static let config = """
    sources: [{files: "ev/*.jsonl"}]
    expect: [{files: "ev/{day}.jsonl"}]
    thresholds: {sample_ratio_p: 0}
    """

  private func withNights(_ body: (Folder, _ night: (Int) throws -> Program.Result) throws -> Void) throws {
    try Folder.with { folder in
      try FileManager.default.createDirectory(atPath: folder.path("ev"), withIntermediateDirectories: true)
      try folder.write(Self.config, to: "night.yaml")
      try body(folder) { number in
        try folder.run("nightly", "--config", "night.yaml", "--night", NightlyCommandTests.day(number))
      }
    }
  }

  /// All empty files have the same bytes, so that all but the first are skipped.
  @Test func eachEmptyFileIsReportedOnce() throws {
    try withNights { folder, night in
      try folder.write(NightlyCommandTests.events(1), to: "ev/2026-03-01.jsonl")
      #expect(try night(2).status == 0)
      for day in 3...4 {
        let name = "ev/\(NightlyCommandTests.day(day - 1)).jsonl"
        try folder.write("", to: name)
        for _ in 0..<2 {
          let result = try night(day)
          #expect(result.status == 4, "\(result)")
          #expect(
            result.output.hasSuffix("\nnew      empty: \(name): is empty; send the file again if the day had events\n"),
            "\(result)")
        }
      }
      try folder.write(NightlyCommandTests.events(4), to: "ev/2026-03-04.jsonl")
      #expect(try night(5).status == 0)
      // The whole file takes the place of an empty one.
      try folder.write(NightlyCommandTests.events(3), to: "ev/2026-03-03.jsonl")
      try folder.write(NightlyCommandTests.events(5), to: "ev/2026-03-05.jsonl")
      let late = try night(6)
      #expect(late.status == 4 && late.output.contains("new      late: ev/2026-03-03.jsonl"), "\(late)")
    }
  }

  @Test func aNewAppIsReportedOnce() throws {
    try withNights { folder, night in
      for number in 1...3 {
        var events = NightlyCommandTests.events(number)
        if number > 1 { events += NightlyCommandTests.events(number + 10).replacing(#""demo""#, with: #""dmeo""#) }
        try folder.write(events, to: "ev/\(NightlyCommandTests.day(number)).jsonl")
        let result = try night(number + 1)
        #expect(result.status == (number == 2 ? 4 : 0), "\(result)")
        #expect(
          result.output.contains("\nnew      app: dmeo is a new app: check that its name is right\n") == (number == 2))
      }
    }
  }

  /// Events that are sent again under another name change no number of their days.
  @Test func eventsThatAreSentAgainAreNotLate() throws {
    try withNights { folder, night in
      try folder.write(
        "sources: [{files: ev/}]\nexpect: [{files: \"ev/{day}*\"}]\nthresholds: {sample_ratio_p: 0}", to: "night.yaml")
      for number in 1...2 {
        try folder.write(NightlyCommandTests.events(number), to: "ev/\(NightlyCommandTests.day(number)).jsonl")
        #expect(try night(number + 1).status == 0)
      }
      let again = NightlyCommandTests.events(1).replacing(
        #","app""#, with: #","received_at":"2026-03-03T01:00:00Z","app""#)
      try folder.write(again, to: "ev/2026-03-01-again.jsonl")
      try folder.write(NightlyCommandTests.events(3), to: "ev/2026-03-03.jsonl")
      let result = try night(4)
      #expect(!result.output.contains("late"), "\(result)")
      #expect(result.output.contains("66 of 66 lines repeat known events"), "\(result)")
      let health = try folder.run("health", "--format", "csv").output
      #expect(health.contains("demo,events received 1 to 2 d late,0,"), "\(health)")
    }
  }
}
