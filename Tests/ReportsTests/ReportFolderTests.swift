import FolderSupport
import Foundation
import Testing

@testable import Reports

struct ReportFolderTests {
  private let files = [
    ReportPage.File(name: "a.csv", text: "a\n"), ReportPage.File(name: "index.html", text: "<p>é\n"),
  ]

  private func contents(_ folder: URL) throws -> [String: String] {
    var contents: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      contents[name] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    return contents
  }

  @Test func aFolderIsMadeWithTheFoldersAboveIt() throws {
    try withTemporaryDirectory { (folder: URL) throws -> Void in
      let path = folder.appending(path: "one/two")
      try ReportFolder(path: path.path).write(files)
      #expect(try contents(path) == ["a.csv": "a\n", "index.html": "<p>é\n"])
    }
  }

  @Test func filesAreReplacedAndOthersStay() throws {
    try withTemporaryDirectory { (folder: URL) throws -> Void in
      for name in ["a.csv", "notes.txt"] { try Data("before".utf8).write(to: folder.appending(path: name)) }
      try ReportFolder(path: folder.path + "/").write(files)
      #expect(try contents(folder) == ["a.csv": "a\n", "index.html": "<p>é\n", "notes.txt": "before"])
    }
  }

  @Test func aFileIsRefused() throws {
    try withTemporaryDirectory { (folder: URL) throws -> Void in
      let path = folder.appending(path: "report").path
      try Data("before".utf8).write(to: URL(filePath: path))
      let error = #expect(throws: ReportFolderError.self) { try ReportFolder(path: path) }
      #expect(error?.description == "--output \(path): is a file; expected a folder or a free name")
      #expect(throws: ReportFolderError.self) { try ReportFolder(path: "\(path)/below").write(files) }
      #expect(try contents(folder) == ["report": "before"])
    }
  }

  @Test func whatCannotBeReplacedIsNamedAndNothingIsLeftBehind() throws {
    try withTemporaryDirectory { (folder: URL) throws -> Void in
      try FileManager.default.createDirectory(
        at: folder.appending(path: "index.html"), withIntermediateDirectories: true)
      let error = #expect(throws: ReportFolderError.self) { try ReportFolder(path: folder.path).write(files) }
      #expect(error?.reason.contains("index.html") == true)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.csv", "index.html"])
    }
  }
}
