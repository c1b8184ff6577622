import EventSupport
import FolderSupport
import Foundation
import Testing

@testable import Ingest

/// Tests the worked cases of the shared folder, whose counts come from an independent implementation.
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

  private static let path = "data/fixtures"
  private static let events = "data/public/events"

  @Test(.enabled(if: SharedFolder.isTried(path), "\(SharedFolder.absence(of: path))"))
  func countsAreThoseOfTheCases() throws {
    let folder = SharedFolder.url(of: Self.path).path
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

  @Test(.enabled(if: SharedFolder.isTried(events), "\(SharedFolder.absence(of: events))"))
  func everyLineOfThePublicEventsIsAnEvent() throws {
    let reading = try Reading([SharedFolder.url(of: Self.events).path])
    #expect(reading.rejected.isEmpty)
    #expect(reading.outcomes.filter { $0 != .unfinished } == [.complete, .complete])
    #expect(reading.events.count > 90_189)
  }
}
