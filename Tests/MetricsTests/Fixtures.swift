import FolderSupport
import Foundation

/// Worked cases: events, with the expected output of ingest and reports, byte for byte.
struct Fixtures: Sendable {
  struct Case: Decodable, Sendable {
    struct Ingest: Decodable {
      enum CodingKeys: String, CodingKey {
        case files
        case filesSkipped = "files_skipped"
        case filesFailed = "files_failed"
        case events
        case duplicates
        case conflicts
        case quarantined
      }

      var files: Int
      var filesSkipped: Int
      var filesFailed: Int
      var events: Int
      var duplicates: Int
      /// Not counted in every case.
      var conflicts: Int?
      var quarantined: [String: Int]
    }

    struct Run: Decodable {
      var report: String
      var args: [String]
      /// A path in the folder of the cases.
      var expected: String
    }

    /// Path of the events in the folder of the cases; `nil` for the folder `events` of the case.
    var events: String?
    var ingest: Ingest
    var runs: [Run]
  }

  var folder: URL
  var cases: [String: Case]

  /// - Throws: An error if `cases.json` is missing or has another format.
  init(folder: URL) throws {
    self.folder = folder
    cases = try JSONDecoder().decode(
      [String: Case].self, from: Data(contentsOf: folder.appendingPathComponent("cases.json")))
  }

  func events(of name: String) -> URL {
    folder.appendingPathComponent(cases[name]?.events ?? "\(name)/events")
  }

  private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  static let package = here.deletingLastPathComponent().deletingLastPathComponent()
  /// The committed cases.
  static let own = here.appendingPathComponent("Fixtures")
  static let shared = SharedFolder.url(of: "data/fixtures")

  static func names(in folder: URL) -> [String] {
    ((try? Fixtures(folder: folder))?.cases.keys.sorted()) ?? []
  }
}
