import Crypto
import EventModel
import EventSupport
import FolderSupport
import Foundation
import PackingSupport
import Testing

@testable import Ingest

@Suite struct BatchReaderTests {
  private func lines(_ count: Int, from first: Int = 0) -> String {
    (first..<first + count).map { eventLine("activity", id: "e\($0)", #""platform":"p\#($0 % 7)""#) + "\n" }.joined()
  }

  private func digest(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

  @Test func smallFilesShareABatch() throws {
    let folder = try TemporaryDirectory()
    let paths = try (0..<5).map { try folder.write(lines(10, from: $0 * 10), to: "\($0)") }
    let reading = try Reading(paths)
    #expect(reading.batchCount == 1)
    #expect(reading.parts.map(\.records) == [0..<10, 10..<20, 20..<30, 30..<40, 40..<50])
    #expect(reading.parts.allSatisfy { $0.isFirst && $0.outcome == .complete && $0.lineCount == 10 })
    #expect(reading.parts.map(\.path) == paths)
    #expect(reading.parts[0].digest == digest(Array(lines(10).utf8)))
    #expect(reading.parts[0].byteCount == Int64(lines(10).utf8.count))
  }

  @Test func largeFilesSpanBatches() throws {
    let folder = try TemporaryDirectory()
    let paths = [try folder.write(lines(25), to: "a"), try folder.write(lines(5, from: 25), to: "b")]
    let reading = try Reading(paths, records: 10)
    // A batch ends between two files once it has half of the limit of 10.
    #expect(reading.batchCount == 4)
    #expect(reading.outcomes == [.unfinished, .unfinished, .complete, .complete])
    #expect(reading.parts.map(\.isFirst) == [true, false, false, true])
    #expect(reading.parts.map(\.records) == [0..<10, 0..<10, 0..<5, 0..<5])
    #expect(reading.parts.map(\.lineCount).suffix(2) == [25, 5])
    #expect(reading.events.map(\.eventID) == (0..<30).map { "e\($0)" })
    #expect(Set(reading.parts.prefix(3).map(\.digest)) == [digest(Array(lines(25).utf8))])
  }

  @Test func filesOfHalfABatchAreNeverSplit() throws {
    let folder = try TemporaryDirectory()
    let paths = try (0..<7).map { try folder.write(lines(5, from: $0 * 5), to: "\($0)") }
    let reading = try Reading(paths, records: 10)
    #expect(reading.outcomes.allSatisfy { $0 == .complete })
    #expect(reading.events.map(\.eventID) == (0..<35).map { "e\($0)" })
  }

  /// A list that was cut off between two events looks whole but for its last bracket.
  @Test func aListWithoutAnEndFailsWhole() throws {
    let events = lines(3).split(separator: "\n").joined(separator: ",\n")
    for (cut, isWhole) in [("]", true), ("] \n", true), ("", false), (",", false), (",{\"event", false)] {
      let reading = try Reading(content: "[\(events)\(cut)")
      #expect(reading.events.count == (isWhole ? 3 : 0))
      #expect(reading.failures == (isWhole ? [] : ["truncated: its JSON list does not end; copy the file again"]))
    }
  }

  /// U+D800 and U+D801 are halves of pairs: both would be read as the same user if each were replaced by U+FFFD.
  @Test func halfAPairOfUTF16IsNoText() throws {
    var units: [UInt16] = [0xFEFF]
    for half: UInt16 in [0xD800, 0xD801] {
      units += lines(1).replacing("\n", with: "").dropLast().utf16
      units += Array(",\"x\":\"".utf16) + [half] + Array("\"}\n".utf16)
    }
    units += lines(1, from: 7).utf16
    let reading = try Reading(content: units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    #expect(reading.reasons == ["invalid_utf8", "invalid_utf8"])
    #expect(reading.events.map(\.eventID) == ["e7"])
  }

  @Test func batchesEndAtTheirByteLimitToo() throws {
    let folder = try TemporaryDirectory()
    let bad = String(repeating: String(repeating: "x", count: 999) + "\n", count: 30)
    let path = try folder.write(bad + lines(3), to: "a")
    let reader = BatchReader(inputs: try InputFile.discover([path]), batchByteLimit: 10_000)
    let reading = try Reading(reader)
    #expect(reading.batchCount >= 3)
    #expect(reading.rejected.count == 30)
    #expect(reading.events.count == 3)
    #expect(reading.parts.filter { $0.outcome == .unfinished }.allSatisfy { $0.rejected.count <= 11 })
  }

  /// Compares with reading only the good files: a failed file leaves nothing in the batch it shares with others.
  @Test func aFileThatFailsIsTakenOutOfItsBatch() throws {
    let folder = try TemporaryDirectory()
    let bad = zstdFrame(Array((lines(50).replacing("steps", with: "junk") + "bad line\n").utf8)).dropLast(3)
    let good = [try folder.write(lines(3), to: "a"), try folder.write(lines(3, from: 3), to: "c")]
    let failing = try folder.write(Array(bad), to: "b")
    let reader = BatchReader(inputs: try InputFile.discover([good[0], failing, good[1]]))
    let batch = try #require(try reader.next())
    #expect(try reader.next() == nil)
    let expected = try #require(try BatchReader(inputs: try InputFile.discover(good)).next())
    #expect(batch.parts.map(\.records) == [0..<3, 3..<3, 3..<6])
    #expect(batch.parts[1].rejected.isEmpty)
    #expect(batch.parts[1].digest == digest(Array(bad)))
    #expect(batch.names.bytes == expected.names.bytes)
    #expect(batch.text == expected.text)
    #expect(batch.users == expected.users)
    #expect(batch.clients.rows == expected.clients.rows)
    #expect(
      batch.records.map { Event(batch: batch, record: $0).canonicalJSON() }
        == expected.records.map { Event(batch: expected, record: $0).canonicalJSON() })
  }

  @Test func aFileThatFailsLaterHandsOutItsFailure() throws {
    let folder = try TemporaryDirectory()
    let content = zstdFrame(Array(lines(2_500).utf8)) + zstdFrame(Array("bad\n".utf8)).dropLast(2)
    let path = try folder.write(content, to: "a")
    let reading = try Reading([path, try folder.write(lines(1), to: "b")], records: 1_000, chunk: 4_096)
    #expect(reading.parts.map(\.isFirst) == [true, false, false, true])
    #expect(reading.parts.map(\.records.count) == [1_000, 1_000, 0, 1])
    #expect(reading.failures == ["truncated: the compressed data ends too early; copy the file again"])
    #expect(reading.parts.last?.outcome == .complete)
  }

  @Test func filesReadBeforeAreSkippedWhateverTheirName() throws {
    let folder = try TemporaryDirectory()
    let known = try folder.write(lines(3), to: "known")
    let new = try folder.write(lines(3, from: 3), to: "new")
    let copy = try folder.write(lines(3, from: 3), to: "copy of new")
    let reading = try Reading([known, new, copy, new], known: [digest(Array(lines(3).utf8))])
    #expect(reading.parts.map(\.path) == [new])
    #expect(reading.skipped.map(\.path) == [known, copy, new])
    #expect(reading.skipped.first?.digest == digest(Array(lines(3).utf8)))
  }

  @Test func aFileThatFailedIsNotKnown() throws {
    let folder = try TemporaryDirectory()
    let bad = Array(gzipMember(Array(lines(3).utf8)).dropLast())
    let reading = try Reading([try folder.write(bad, to: "a"), try folder.write(bad, to: "b")])
    #expect(reading.failures.count == 2)
    #expect(reading.skipped.isEmpty)
  }

  @Test func pipesAreReadAsTheyComeAndFoundKnownAtTheirEnd() throws {
    let folder = try TemporaryDirectory()
    let content = Array(lines(300).utf8)
    func readPipe(_ name: String, known: Set<[UInt8]>) throws -> Reading {
      let path = folder.path + "/" + name
      #expect(mkfifo(path, 0o600) == 0)
      let writer = Thread {
        guard let stream = fopen(path, "w") else { return }
        fwrite(content, 1, content.count, stream)
        fclose(stream)
      }
      writer.start()
      let inputs = try InputFile.discover([path])
      #expect(inputs.map(\.byteCount) == [nil])
      let reader = BatchReader(inputs: inputs, knownDigests: known)
      #expect(reader.progress.bytesTotal == nil)
      return try Reading(reader)
    }
    let first = try readPipe("a", known: [])
    #expect(first.outcomes == [.complete])
    #expect(first.events.count == 300)
    #expect(first.parts.first?.digest == digest(content))
    #expect(first.parts.first?.byteCount == Int64(content.count))
    let second = try readPipe("b", known: [digest(content)])
    #expect(second.outcomes == [.alreadyRead])
    #expect(second.events.isEmpty)
    #expect(second.parts.first?.digest == digest(content))
    #expect(second.skipped.isEmpty)
  }

  @Test func aFileThatChangesWhileItIsReadFails() throws {
    let folder = try TemporaryDirectory()
    for change in ["appended", "overwritten", "cut"] {
      let path = try folder.write(lines(400), to: change)
      let reader = BatchReader(
        inputs: try InputFile.discover([path]), knownDigests: [], batchRecordLimit: 10, batchByteLimit: 1 << 20,
        blockByteCount: 1_024, chunkByteCount: 1_024)
      _ = try reader.next()
      let handle = try #require(FileHandle(forUpdatingAtPath: path))
      switch change {
      case "appended": try handle.seekToEnd()
      case "overwritten": try handle.seek(toOffset: 20_000)
      default: try handle.truncate(atOffset: 20_000)
      }
      if change != "cut" { try handle.write(contentsOf: Data(lines(1).utf8)) }
      try handle.close()
      #expect(try Reading(reader).failures == ["it changed while it was read; ingest it again"], "\(change)")
    }
  }

  /// Files are opened and decompressed up to a mebibyte ahead; the results equal those of reading each file alone.
  @Test func filesThatWaitAreReadAsThoseThatDoNot() throws {
    let folder = try TemporaryDirectory()
    let long = Array(lines(25_000).utf8)
    let short = Array(lines(10, from: 25_000).utf8)
    #expect(long.count > 2 << 20)
    let cut = Array(zstdFrame(long).dropLast(8))
    let contents = [short, zstdFrame(long), gzipMember(long), cut, long, [], zstdFrame(short), cut]
    let paths = try contents.enumerated().map { try folder.write($1, to: "\($0)") }
    let together = try Reading(paths)
    let alone = try paths.map { try Reading([$0]) }
    #expect(together.parts.filter { $0.outcome != .unfinished }.map(\.path) == paths)
    // The fifth and seventh files have the content of the second and first, in other bytes.
    #expect(together.events.map(\.eventID) == alone.flatMap { $0.events.map(\.eventID) })
    #expect(together.failures == alone.flatMap(\.failures))
    #expect(together.failures.count == 2)
    let (digests, expected) = (together.parts.map(\.digest), alone.flatMap { $0.parts.map(\.digest) })
    #expect(Set(digests) == Set(expected))
    #expect(together.skipped.isEmpty)
    // The second of two equal files was decompressed ahead, but is skipped.
    let twice = try Reading([try folder.write(long, to: "a"), try folder.write(long, to: "b")])
    #expect(twice.events.count == 25_000)
    #expect(twice.skipped.map(\.path) == [folder.path + "/b"])
  }

  /// Releasing a reader ends the thread that opens files, even if it has opened the next ones already.
  @Test func aReaderThatIsLetGoOfOpensNoMore() throws {
    let folder = try TemporaryDirectory()
    let paths = try (0..<50).map { try folder.write(lines(10, from: $0 * 10), to: "\($0)") }
    for _ in 0..<20 {
      let reader = BatchReader(inputs: try InputFile.discover(paths), batchRecordLimit: 4)
      _ = try reader.next()
    }
    #expect(try Reading(paths).events.count == 500)
  }

  @Test func whatCannotBeOpenedFailsAndStopsNothing() throws {
    let folder = try TemporaryDirectory()
    let gone = try folder.write(lines(1), to: "gone")
    let inputs = try InputFile.discover([gone, try folder.write(lines(2), to: "there")])
    try FileManager.default.removeItem(atPath: gone)
    let reading = try Reading(BatchReader(inputs: inputs))
    #expect(reading.failures == ["cannot be opened: No such file or directory"])
    #expect(reading.events.count == 2)
  }

  @Test func progressCountsStoredBytesToTheirTotal() throws {
    let folder = try TemporaryDirectory()
    let paths = [
      try folder.write(zstdFrame(Array(lines(500).utf8)), to: "a"), try folder.write(lines(20), to: "b"),
      try folder.write(lines(20), to: "copy of b"),
    ]
    let reader = BatchReader(inputs: try InputFile.discover(paths))
    #expect(reader.progress.bytesRead == 0)
    _ = try Reading(reader)
    #expect(reader.progress.bytesRead == reader.progress.bytesTotal)
  }

  @Test func recycledBatchesLeaveNothingInTheNext() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(lines(1_000), to: "a")
    let expected = try Reading([path], records: 64)
    let reader = BatchReader(inputs: try InputFile.discover([path]), batchRecordLimit: 64)
    var events: [Event] = []
    while let batch = try reader.next() {
      events += batch.records.map { Event(batch: batch, record: $0) }
      reader.recycle(batch)
    }
    #expect(events.map(\.canonicalJSONBytes) == expected.events.map(\.canonicalJSONBytes))
  }

  @Test func noInputsGiveNoBatch() throws {
    #expect(try BatchReader(inputs: []).next() == nil)
  }

  /// Uses many more users, rows and properties than the tables' initial sizes.
  @Test func tablesGrowAndStayRight() throws {
    let text = (0..<5_000).map { index in
      eventLine(
        "gate_hit", id: "e\(index)",
        #""entry_point":"a name longer than thirty-two bytes, number \#(index % 900)","used":\#(index % 1_100),"country":"\#(["us", "DE"][index % 2])","n":\#(index % 700)"#
      ).replacing("\"u1\"", with: "\"u\(index % 1_900)\"") + "\n"
    }.joined()
    let reading = try Reading(content: text)
    #expect(reading.rejected.isEmpty)
    for (index, event) in reading.events.enumerated() {
      #expect(event.userID == "u\(index % 1_900)")
      #expect(event.used == Double(index % 1_100))
      #expect(event.entryPoint == "a name longer than thirty-two bytes, number \(index % 900)")
      #expect(event.properties["n"] == "\(index % 700)")
      #expect(event.country == ["US", "DE"][index % 2])
    }
  }
}
