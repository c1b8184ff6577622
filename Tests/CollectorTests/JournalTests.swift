import EventModel
import FolderSupport
import Foundation
import Testing

@testable import Collector

@Suite struct JournalTests {
  private static let name = "revenuecat-2026-03-01T12-00-00Z-1.jsonl.zst"

  /// Writes five groups of two lines and returns the file's size after each.
  private static func groups(in folder: JournalFolder) throws -> [Int] {
    let journal = try Journal(name, in: folder)
    return try (0..<5).map { group in
      let lines = (0..<2).map { "{\"n\":\(group * 2 + $0),\"x\":\"\(String(repeating: "ab", count: group * 40))\"}\n" }
      try journal.append(Array(lines.joined().utf8), lineCount: 2)
      return journal.byteCount
    }
  }

  /// Wherever a crash cuts the file, its whole groups are kept and nothing else.
  @Test func aSegmentCutAnywhereKeepsItsWholeGroups() throws {
    let scratch = try TemporaryDirectory()
    let folder = try JournalFolder(path: scratch.path)
    let ends = try Self.groups(in: folder)
    let part = scratch.path + "/" + folder.partName(of: Self.name)
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: part)))
    #expect(whole.count == ends.last)
    for length in 0...whole.count {
      try Data(whole.prefix(length)).write(to: URL(fileURLWithPath: part))
      #expect(try folder.unfinished() == [Self.name])
      let repair = try JournalRepair(Self.name, in: folder)
      let groups = ends.filter { $0 <= length }.count
      #expect(repair.keptByteCount == (groups == 0 ? 0 : ends[groups - 1]))
      #expect(repair.cutByteCount == length - repair.keptByteCount)
      #expect(scratch.names == (groups == 0 ? [] : [Self.name]))
      #expect(scratch.lines.count == groups * 2)
      try? FileManager.default.removeItem(atPath: scratch.path + "/" + Self.name)
    }
  }

  /// After a power failure a file may have its full length but not its last content.
  @Test func aGroupOfOtherBytesIsNotWhole() throws {
    let scratch = try TemporaryDirectory()
    let folder = try JournalFolder(path: scratch.path)
    let ends = try Self.groups(in: folder)
    let whole = scratch.bytes(folder.partName(of: Self.name))
    for place in ends[3]..<ends[4] {
      for other in [whole[place] ^ 0x01, whole[place] ^ 0x80, 0] where other != whole[place] {
        var damaged = whole
        damaged[place] = other
        // A flipped bit in the frame's descriptor can say that there is no checksum; the content is then whole.
        let kept = damaged.withUnsafeBytes { JournalRepair.wholeFrames($0) }
        #expect(
          kept == ends[3] || TemporaryDirectory.unpacked(damaged) == TemporaryDirectory.unpacked(whole), "\(place)")
      }
    }
  }

  @Test func oneFolderHasOneReceiver() throws {
    let scratch = try TemporaryDirectory()
    let first = try JournalFolder(path: scratch.path)
    #expect(throws: JournalFailure.self) { try JournalFolder(path: scratch.path) }
    #expect(first.path == scratch.path)
  }

  @Test func namesAreFree() throws {
    let scratch = try TemporaryDirectory()
    let folder = try JournalFolder(path: scratch.path)
    let noon = Instant(millisecondsSince1970: 1_772_366_400_789)
    #expect(folder.freeName(source: "revenuecat", at: noon) == Self.name)
    _ = try Journal(Self.name, in: folder)
    #expect(folder.freeName(source: "revenuecat", at: noon) == "revenuecat-2026-03-01T12-00-00Z-2.jsonl.zst")
    try folder.publish(Self.name)
    #expect(folder.freeName(source: "revenuecat", at: noon) == "revenuecat-2026-03-01T12-00-00Z-2.jsonl.zst")
    #expect(folder.freeName(source: "appstore", at: noon) == "appstore-2026-03-01T12-00-00Z-1.jsonl.zst")
  }
}
