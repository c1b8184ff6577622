import EventSupport
import FolderSupport
import Foundation
import Testing

@testable import Ingest

@Suite struct InputFileTests {
  @Test func directoriesAreReadRecursivelyInByteOrderOfRelativePaths() throws {
    let folder = try TemporaryDirectory()
    let names = ["b", "a/z", "a-b", "a.x", "a/b/c", "Z", "é", "a/b.d"]
    let skipped = [".hidden", "a/.hidden", ".git/config", "_SUCCESS", "_temporary/0/part"]
    for name in names + skipped { try folder.write("x", to: name) }
    let sorted = names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    for root in [folder.path, folder.path + "/"] {
      let prefix = folder.path + "/"
      #expect(try InputFile.discover([root]).map(\.path) == sorted.map { prefix + $0 })
    }
  }

  @Test func linksInDirectoriesAreNotFollowedButGivenOnesAre() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("x", to: "data/real")
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: folder.path + "/data/link", withDestinationPath: file)
    try manager.createSymbolicLink(atPath: folder.path + "/data/loop", withDestinationPath: folder.path)
    try manager.createSymbolicLink(atPath: folder.path + "/linked", withDestinationPath: folder.path + "/data")
    #expect(try InputFile.discover([folder.path + "/data"]).map(\.path) == [file])
    #expect(try InputFile.discover([folder.path + "/linked"]).map(\.path) == [folder.path + "/linked/real"])
    #expect(try InputFile.discover([folder.path + "/data/link"]).map(\.byteCount) == [1])
  }

  @Test func hiddenFilesAreReadWhenGiven() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("x", to: ".hidden")
    #expect(try InputFile.discover([file, "-"]).map(\.path) == [file, "-"])
  }

  @Test func aPathThatDoesNotExistIsAnErrorThatNamesIt() {
    let error = #expect(throws: InputError.self) { try InputFile.discover(["/no/such/path"]) }
    #expect(error?.description == "/no/such/path: cannot be read: No such file or directory")
  }

  @Test(arguments: [
    ("trials-2026-01-31.jsonl.zst", 2026_01_31), ("2026_01_31/trials", 2026_01_31), ("s3/2026/01/31/x", 2026_01_31),
    ("x20260131", 2026_01_31), ("2026-01-30/at-2026-01-31", 2026_01_31), ("2026-13-31", 0), ("2026-01-32", 0),
    ("120260131", 0), ("202601311", 0), ("2026-01/31", 0), ("2026-01-3", 0), ("2026", 0), ("", 0),
  ])
  func theDayInAName(path: String, day: Int) {
    #expect(InputFile.day(in: Array(path.utf8)) == day)
  }

  @Test func onlyMoreThanATransactionHoldsIsReadByDay() {
    func files(_ byteCount: Int64?) -> [InputFile] {
      ["a-2026-01-02", "a-2026-01-03", "b-2026-01-02", "b-2026-01-01", "c"].map {
        InputFile(pathBytes: Array($0.utf8), byteCount: byteCount)
      }
    }
    let large = InputFile.bytesByDay / 5 + 1
    #expect(
      InputFile.inReadingOrder(files(large)).map(\.path)
        == ["c", "b-2026-01-01", "a-2026-01-02", "b-2026-01-02", "a-2026-01-03"])
    #expect(InputFile.inReadingOrder(files(large - 2)) == files(large - 2))
    // Pipes stay in their given order, because each waits for its writer.
    #expect(InputFile.inReadingOrder(files(large) + files(nil)) == files(large) + files(nil))
  }

  /// A file name from somebody else must not control the terminal that prints it.
  @Test(arguments: [
    ("a\u{1B}[31mb", "a\\x1B[31mb"), ("a\nb", "a\\x0Ab"), ("\u{9B}é", "\\xC2\\x9Bé"), ("tab\t", "tab\\x09"),
    ("日本 1", "日本 1"),
  ])
  func namesShowControlCharacters(name: String, shown: String) {
    #expect(InputFile(pathBytes: Array(name.utf8), byteCount: nil).path == shown)
  }

  /// Linux stores file names as bytes; macOS rejects such names.
  #if os(Linux)
    @Test func namesThatAreNoUTF8AreReadAndStayDistinct() throws {
      let folder = try TemporaryDirectory()
      for (byte, id) in [(UInt8(0xE9), "e1"), (0xE8, "e2")] {
        let path = Array((folder.path + "/caf").utf8) + [byte, 0]
        let stream = path.withUnsafeBytes { fopen($0.baseAddress!.assumingMemoryBound(to: CChar.self), "w") }
        fputs(eventLine("activity", id: id), stream)
        fclose(stream)
      }
      let reading = try Reading([folder.path])
      #expect(reading.parts.map(\.path) == [folder.path + "/caf\\xE8", folder.path + "/caf\\xE9"])
      #expect(reading.events.map(\.eventID) == ["e2", "e1"])
    }
  #endif
}
