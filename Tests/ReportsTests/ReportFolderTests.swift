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

  /// SHA-256 of "before", by sha256sum.
  private static let manifest =
    #"{"files":[{"name":"a.csv","size":6,"sha256":"\#(digest)"}]}"#
  private static let digest = "6db7d803e74f1ffa7d8f5adc0bf95b3e15bf4c8373fffadf546227cc6c6742cb"

  @Test func filesAreReplacedAndOthersStay() throws {
    try withTemporaryDirectory { (folder: URL) throws -> Void in
      for name in ["a.csv", "notes.txt"] { try Data("before".utf8).write(to: folder.appending(path: name)) }
      try Data(Self.manifest.utf8).write(to: folder.appending(path: "manifest.json"))
      let page = files + [ReportPage.File(name: "manifest.json", text: "{}")]
      try ReportFolder(path: folder.path + "/").write(page)
      #expect(
        try contents(folder) == [
          "a.csv": "a\n", "index.html": "<p>é\n", "notes.txt": "before", "manifest.json": "{}",
        ])
    }
  }

  /// A file of the user's own, one of an earlier page that was edited since, and another program's manifest.
  @Test(arguments: [("a.csv", false), ("index.html", false), ("a.csv", true), ("manifest.json", false)])
  func foreignFilesAreNamedAndStay(name: String, isEdited: Bool) throws {
    try withTemporaryDirectory { (folder: URL) throws -> Void in
      try Data("mine".utf8).write(to: folder.appending(path: name))
      if isEdited { try Data(Self.manifest.utf8).write(to: folder.appending(path: "manifest.json")) }
      let before = try contents(folder)
      let page = files + [ReportPage.File(name: "manifest.json", text: "{}")]
      let error = #expect(throws: ReportFolderError.self) { try ReportFolder(path: folder.path).write(page) }
      #expect(error?.reason.hasPrefix("\(name) is not as an earlier report wrote it") == true)
      #expect(try contents(folder) == before)
    }
  }

  /// A run that was killed before its manifest leaves files that the next one would write the same.
  @Test func filesOfAKilledRunAreReplaced() throws {
    try withTemporaryDirectory { (folder: URL) throws -> Void in
      try Data("a\n".utf8).write(to: folder.appending(path: "a.csv"))
      try ReportFolder(path: folder.path).write(files)
      #expect(try contents(folder) == ["a.csv": "a\n", "index.html": "<p>é\n"])
    }
  }

  /// SHA-256 of "a\n" and of "", by sha256sum.
  @Test func tablesOfAFormerPageGoUnlessSomebodyChangedThem() throws {
    let digests = [
      "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7",
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ]
    let former = ["old.csv": 0, "changed.csv": 1, "../above.csv": 0, "notes.txt": 0].map { name, digest in
      #"{"name":"\#(name)","size":2,"sha256":"\#(digests[digest])"}"#
    }
    try withTemporaryDirectory { (parent: URL) throws -> Void in
      let folder = parent.appending(path: "page")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for name in ["old.csv", "changed.csv", "own.csv", "../above.csv", "notes.txt"] {
        try Data("a\n".utf8).write(to: folder.appending(path: name))
      }
      try Data(#"{"files":[\#(former.joined(separator: ","))]}"#.utf8).write(
        to: folder.appending(path: "manifest.json"))
      #expect(try ReportFolder(path: folder.path).write(files) == ["changed.csv"])
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
          "a.csv", "changed.csv", "index.html", "manifest.json", "notes.txt", "own.csv",
        ])
      #expect(FileManager.default.fileExists(atPath: parent.appending(path: "above.csv").path))
    }
  }

  @Test func aFileIsRefused() throws {
    try withTemporaryDirectory { (folder: URL) throws -> Void in
      let path = folder.appending(path: "report").path
      try Data("before".utf8).write(to: URL(filePath: path))
      let error = #expect(throws: ReportFolderError.self) { try ReportFolder(path: path) }
      #expect(error?.description == "--output \(path): is a file; name a folder")
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
