import Basics
import Foundation
import Testing

@Suite struct PartFileTests {
  /// Each maker removes what killed processes left, and between creation and lock a folder looks like that.
  @Test func noneIsTakenForLeftWhileItIsMade() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("parts-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let found = (0..<8).concurrentMap { maker in
      (0..<300).count { number in
        PartFile.removeStale(in: folder.path, of: nil)
        guard let part = PartFile(for: "\(folder.path)/\(maker)-\(number)", isFolder: true) else { return false }
        return FileManager.default.fileExists(atPath: part.path)
      }
    }
    #expect(found == Array(repeating: 300, count: 8))
  }
}
