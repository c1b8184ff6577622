import Foundation
import Testing

@testable import Ingest

/// The worked cases of the shared folder: counts made by an independent implementation.
///
/// The folder is `TOLLGATE_SHARED` or `../shared` beside the package; without it these tests are skipped.
@Suite struct FixtureTests {
  struct Case: Decodable, Sendable {
    struct Ingest: Decodable, Sendable {
      var files: Int
      var files_skipped: Int
      var files_failed: Int
      var events: Int
      var duplicates: Int
      var quarantined: [String: Int]
    }
    var ingest: Ingest
  }

  static let folder: String? = {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let candidates: [String?] = [
      ProcessInfo.processInfo.environment["TOLLGATE_SHARED"],
      package.deletingLastPathComponent().appendingPathComponent("shared").path,
    ]
    return candidates.compactMap { folder in folder.map { $0 + "/data/fixtures" } }.first {
      FileManager.default.fileExists(atPath: $0 + "/cases.json")
    }
  }()

  @Test(.enabled(if: folder != nil, "the shared data is not here: set TOLLGATE_SHARED"))
  func countsAreThoseOfTheCases() throws {
    let folder = try #require(Self.folder)
    let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/cases.json"))
    let cases = try JSONDecoder().decode([String: Case].self, from: data)
    #expect(cases.count >= 12)
    for (name, expected) in cases {
      let reading = try Reading([folder + "/" + name + "/events"])
      #expect(reading.outcomes.count { $0 == .complete } == expected.ingest.files, "\(name)")
      #expect(reading.failures.count == expected.ingest.files_failed, "\(name)")
      #expect(reading.skipped.count == expected.ingest.files_skipped, "\(name)")
      #expect(reading.events.count == expected.ingest.events + expected.ingest.duplicates, "\(name)")
      let reasons = Dictionary(grouping: reading.reasons) { $0 }.mapValues(\.count)
      #expect(reasons == expected.ingest.quarantined, "\(name)")
    }
  }

  @Test(.enabled(if: folder != nil, "the shared data is not here: set TOLLGATE_SHARED"))
  func everyLineOfThePublicEventsIsAnEvent() throws {
    let folder = try #require(Self.folder)
    let reading = try Reading([folder + "/../public/events"])
    #expect(reading.rejected.isEmpty)
    #expect(reading.outcomes.filter { $0 != .unfinished } == [.complete, .complete])
    #expect(reading.events.count > 90_189)
  }
}
