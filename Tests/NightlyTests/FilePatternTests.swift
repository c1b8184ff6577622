import EventModel
import FolderSupport
import Foundation
import Testing

@testable import Nightly

@Suite struct FilePatternTests {
  @Test func aPatternFindsTheFilesOfADay() throws {
    let folder = try TemporaryDirectory()
    for name in ["a-2026-03-01.jsonl", "b-2026-03-01.jsonl", "a-2026-03-02.jsonl", "other.jsonl"] {
      try Data().write(to: folder.url.appendingPathComponent(name))
    }
    let pattern = FilePattern(text: folder.url.path + "/[ab]-{day}.jsonl")
    let day = try #require(CivilDate("2026-03-01"))
    func names(_ paths: [String]) -> [String] { paths.map { URL(fileURLWithPath: $0).lastPathComponent } }
    #expect(names(pattern.paths(of: day)) == ["a-2026-03-01.jsonl", "b-2026-03-01.jsonl"])
    #expect(names(pattern.paths()).count == 3 && pattern.hasDay && pattern.hasWildcard)
    #expect(pattern.day(in: folder.url.path + "/a-2026-03-02.jsonl") == CivilDate("2026-03-02"))
    #expect(pattern.day(in: folder.url.path + "/other.jsonl") == nil)
    #expect(!FilePattern(text: "events/").hasWildcard)
  }
}
