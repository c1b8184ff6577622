import FolderSupport
import Foundation
import Ingest
import Testing

@testable import Store

@Suite struct VersionTests {
  private func ingest(_ number: Int, into path: String, from folder: URL) throws {
    let file = folder.appendingPathComponent("\(number).jsonl")
    let line = """
      {"event_id":"e\(number)","event":"activity","ts":"2026-03-01T00:00:00Z","app":"a","user_id":"u"}

      """
    try Data(line.utf8).write(to: file)
    _ = try Ingestion(store: Store.open(path: path)).run(InputFile.discover([file.path]))
  }

  @Test func itIsAnotherOneAfterEachCommit() throws {
    try withTemporaryDirectory { url in
      let path = url.appendingPathComponent("store.db").path
      try ingest(1, into: path, from: url)
      let watch = StoreWatch(path: path)
      let first = try watch.version()
      #expect(try watch.version() == first)
      try ingest(2, into: path, from: url)
      let second = try watch.version()
      #expect(second != first)
      #expect(try watch.version() == second)
    }
  }

  @Test func itIsAnotherOneWhenAnotherFileTakesTheName() throws {
    try withTemporaryDirectory { url in
      let (path, other) = (url.appendingPathComponent("store.db").path, url.appendingPathComponent("other.db").path)
      try ingest(1, into: path, from: url)
      try ingest(2, into: other, from: url)
      let watch = StoreWatch(path: path)
      let first = try watch.version()
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      #expect(throws: StoreError.notFound(path: path)) { _ = try watch.version() }
      try FileManager.default.moveItem(atPath: other, toPath: path)
      #expect(try watch.version() != first)
    }
  }
}
