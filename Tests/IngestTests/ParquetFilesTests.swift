import EventSupport
import Basics
import FolderSupport
import Foundation
import PackingSupport
import Parquet
import Testing

@testable import Ingest

/// Reads Parquet files as events: a seed of the fuzzer with one native event, `e1` of `steps` at 2026-01-01, and files
/// that the program's writer makes.
@Suite struct ParquetFilesTests {
  private static let native = try! FuzzCheckTests.seeds("parquet")[8]

  private static func table(_ rows: [[String]], names: [String]) throws -> [UInt8] {
    let writer = ParquetWriter(names.map { ($0, .text) }, ZstdFrame(level: 1))
    for row in rows {
      for (column, cell) in row.enumerated() {
        try Array(cell.utf8).withUnsafeBytes { try writer.append(column, $0) }
      }
      try writer.endRow()
    }
    return try writer.finish()
  }

  private static let names = ["event", "ts", "user_id", "app", "event_id"]

  private static func events(_ count: Int) throws -> [UInt8] {
    try table((0..<count).map { ["activity", "2026-01-01T00:00:00Z", "u\($0 % 7)", "steps", "e\($0)"] }, names: names)
  }

  @Test func rowsAreEvents() throws {
    let reading = try Reading(content: Self.native)
    #expect(reading.outcomes == [.complete] && reading.rejected.isEmpty)
    let event = try #require(reading.events.first)
    #expect(event.eventID == "e1" && event.ts.millisecondsSince1970 == 1_767_225_600_000)
  }

  @Test(arguments: [1, 5_000])
  func rowsDoNotDependOnTheSizesOfReading(records: Int) throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(Self.events(9_999), to: "events.parquet")
    let reading = try Reading([path], records: max(2, records), block: 16, chunk: 509)
    #expect(reading.events.map(\.eventID) == (0..<9_999).map { "e\($0)" })
    #expect(reading.parts.last?.outcome == .complete && reading.parts.last?.lineCount == 9_999)
  }

  /// Parquet in a compressed file or an archive is copied first.
  @Test func compressedFilesAreRead() throws {
    let bytes = try Self.events(300)
    for packed in [
      gzipMember(bytes), zstdFrame(bytes), ZipTests.archive([ZipTests.Entry(name: "a.parquet", content: bytes)]),
    ] {
      let reading = try Reading(content: packed)
      #expect(reading.events.count == 300 && reading.outcomes == [.complete])
    }
    let both = ZipTests.archive([
      ZipTests.Entry(name: "a.parquet", content: bytes), ZipTests.Entry(name: "b.parquet", content: bytes),
    ])
    #expect(try Reading(content: both).failures == ["has 2 files, the first of them Parquet: unpack it first"])
  }

  /// A row that is no event keeps its number and its content as JSON.
  @Test func rowsThatAreNoEventsAreQuarantined() throws {
    let rows = [
      ["activity", "2026-01-01T00:00:00Z", "u1", "steps", "e1"], ["activity", "yesterday", "u1", "steps", "e2"],
    ]
    let reading = try Reading(content: Self.table(rows, names: Self.names))
    #expect(reading.events.count == 1 && reading.rejected.map(\.line) == [2])
    #expect(
      reading.rejected.map { String(decoding: $0.raw, as: UTF8.self) }
        == [#"{"event":"activity","ts":"yesterday","user_id":"u1","app":"steps","event_id":"e2"}"#])
  }

  /// A damaged file fails as a whole, and files beside it are read.
  @Test func damagedFilesFailAsAWhole() throws {
    let bytes = try Self.events(200_000)
    let folder = try TemporaryDirectory()
    var damaged = bytes
    // The head of the first page.
    damaged.replaceSubrange(4..<68, with: repeatElement(0, count: 64))
    let reading = try Reading(
      [folder.write(damaged, to: "a"), folder.write(Array(bytes.dropLast(1)), to: "b"), folder.write(bytes, to: "c")],
      records: 200_000)
    #expect(reading.failures.count == 2 && reading.failures.allSatisfy { $0.contains("damaged Parquet data") })
    #expect(reading.events.count == 200_000)
  }

  /// Folders named `key=value` give the columns that the file lacks, and are part of its identity.
  @Test func foldersGiveColumns() throws {
    let folder = try TemporaryDirectory()
    let bytes = try Self.events(3)
    for place in ["country=DE", "country=US", "country=__HIVE_DEFAULT_PARTITION__/platform=i%6Fs"] {
      try folder.write(bytes, to: "\(place)/data_0.parquet")
    }
    try folder.write("", to: "_SUCCESS")
    try folder.write(bytes, to: "copy/data_0.parquet")
    let reading = try Reading([folder.url.path])
    #expect(reading.parts.map(\.outcome) == [.complete, .complete, .complete, .complete])
    #expect(Set(reading.parts.map(\.digest)).count == 4)
    let lines = reading.events.map { String(decoding: $0.canonicalJSONBytes, as: UTF8.self) }
    #expect(lines.count == 12 && lines.filter { $0.contains(#""country":"DE""#) }.count == 3)
    #expect(lines.filter { $0.contains(#""platform":"ios""#) && !$0.contains("country") }.count == 3)
    #expect(try Reading([folder.url.path], known: Set(reading.parts.map(\.digest))).skipped.count == 4)
  }

  @Test func changesDuringReadingAreSaid() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(Self.events(10), to: "a.parquet")
    let source = try ByteSource(InputFile(pathBytes: Array(path.utf8), byteCount: nil), blockByteCount: 4_096)
    _ = try source.digestAhead()
    let content = try Decompressor(source)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)
    defer { room.deallocate() }
    _ = try content.read(into: room)
    try source.checkUnchanged()
    try folder.write(Self.events(11), to: "a.parquet")
    #expect(throws: FileFailure.self) { try source.checkUnchanged() }
  }
}
