import EventSupport
import CZlib
import PackingSupport
import Testing

@testable import Ingest

/// Tests archives that are composed here entry by entry, following the format's description (PKWARE, APPNOTE.TXT 4.3).
@Suite struct ZipTests {
  struct Entry {
    var name: String
    var content: [UInt8]
    var isDeflated = true
    /// Whether sizes and checksum come after the entry, as written by programs that cannot seek.
    var hasDescriptor = false
  }

  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  static func archive(_ entries: [Entry], comment: String = "", listed: Int? = nil) -> [UInt8] {
    var bytes: [UInt8] = []
    var directory: [UInt8] = []
    for entry in entries {
      let packed = entry.isDeflated ? rawDeflate(entry.content) : entry.content
      let checksum = Int(crc32(0, entry.content, UInt32(entry.content.count)))
      let sizes = number(checksum, 4) + number(packed.count, 4) + number(entry.content.count, 4)
      let common =
        number(20, 2) + number(entry.hasDescriptor ? 8 : 0, 2) + number(entry.isDeflated ? 8 : 0, 2) + number(0, 4)
        + (entry.hasDescriptor ? [UInt8](repeating: 0, count: 12) : sizes) + number(entry.name.utf8.count, 2)
        + number(0, 2)
      directory += number(0x0201_4B50, 4) + number(20, 2) + common + [UInt8](repeating: 0, count: 14) + entry.name.utf8
      bytes += number(0x0403_4B50, 4) + common + entry.name.utf8 + packed
      if entry.hasDescriptor { bytes += number(0x0807_4B50, 4) + sizes }
    }
    let count = listed ?? entries.count
    return bytes + directory + number(0x0605_4B50, 4) + number(0, 4) + number(count, 2) + number(count, 2)
      + number(directory.count, 4) + number(bytes.count, 4) + number(comment.utf8.count, 2) + comment.utf8
  }

  private static func lines(_ ids: ClosedRange<Int>) -> [UInt8] {
    Array(ids.map { eventLine("activity", id: "e\($0)") + "\n" }.joined().utf8)
  }

  private static let entries = [
    Entry(name: "1/a.json.gz", content: gzipMember(lines(1...300)), hasDescriptor: true),
    Entry(name: "1/", content: [], isDeflated: false),
    Entry(name: "1/.DS_Store", content: [1, 2, 3]),
    Entry(name: "__MACOSX/a", content: [1, 2, 3], isDeflated: false),
    // This entry does not end with a line feed.
    Entry(name: "1/b.json", content: Array(lines(301...600).dropLast())),
    Entry(name: "1/c.json.gz", content: gzipMember(lines(601...700)) + gzipMember(lines(701...800)), isDeflated: false),
  ]

  @Test(arguments: [(4_096, 65_536), (16, 1_024), (1_000, 64)])
  func entriesAreReadOneAfterTheOther(block: Int, chunk: Int) throws {
    let reading = try Reading(
      Self.archive(Self.entries, comment: "by hand"), SourceSettings(), block: block, chunk: chunk)
    #expect(reading.outcomes == [.complete] && reading.rejected.isEmpty)
    #expect(reading.events.map(\.eventID) == (1...800).map { "e\($0)" })
  }

  @Test func anEmptyArchiveIsAnEmptyFile() throws {
    let reading = try Reading(Self.archive([]), SourceSettings())
    #expect(reading.outcomes == [.complete] && reading.events.isEmpty)
  }

  @Test func archivesCutAnywhereFailAndGiveNoLine() throws {
    let archive = Self.archive([Entry(name: "a", content: Self.lines(1...40), hasDescriptor: true)])
    for count in stride(from: 4, to: archive.count, by: 7) {
      let reading = try Reading(Array(archive[..<count]), SourceSettings())
      #expect(reading.events.isEmpty)
      guard case .failed(let reason) = reading.outcomes.first else {
        Issue.record("cut at \(count): \(reading.outcomes)")
        continue
      }
      #expect(reason.contains("truncated"), "\(count): \(reason)")
    }
  }

  /// The extra field of zip64 (4.5.3) may claim more bytes than fit in an `Int`.
  @Test func aSizeAboveAllMeasureIsDamage() throws {
    let header =
      Self.number(0x0403_4B50, 4) + Self.number(20, 2) + Self.number(0, 8) + Self.number(0, 4)
      + Self.number(0xFFFF_FFFF, 4) + Self.number(0xFFFF_FFFF, 4) + Self.number(1, 2) + Self.number(20, 2)
      + Array("a".utf8) + Self.number(1, 2) + Self.number(16, 2) + [UInt8](repeating: 0xFF, count: 16)
    let reading = try Reading(header + Self.lines(1...3), SourceSettings())
    #expect(
      reading.events.isEmpty
        && reading.failures == ["truncated: the compressed data ends too early; copy the file again"])
  }

  @Test func damagesAreFound() throws {
    var wrong = Self.archive([Entry(name: "a", content: Self.lines(1...40), isDeflated: false)])
    wrong[100] ^= 1
    let encrypted = Self.archive([Entry(name: "a", content: [1])]).enumerated().map { $0.offset == 6 ? 1 : $0.element }
    let files = [
      (wrong, "checksum"), (Self.archive(Self.entries, listed: 9), "lists 9 entries, but has 6"),
      (encrypted, "a in it is encrypted"),
    ]
    for (file, words) in files {
      let reading = try Reading(file, SourceSettings())
      #expect(reading.events.isEmpty)
      guard case .failed(let reason) = reading.outcomes.first else {
        Issue.record("\(words): \(reading.outcomes)")
        continue
      }
      #expect(reason.contains(words), "\(reason)")
    }
  }
}
