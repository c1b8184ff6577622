import FolderSupport
import Foundation
import Logging
import Testing

@testable import Collector

@Suite struct JournalWriterTests {
  private static func writer(
    _ folder: JournalFolder, _ change: (inout JournalWriter.Limits) -> Void = { _ in }
  ) -> JournalWriter {
    var limits = JournalWriter.Limits()
    change(&limits)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return JournalWriter(folder, source: "revenuecat", limits: limits, logger: logger)
  }

  private static func line(_ number: Int) -> [UInt8] { Array("{\"n\":\(number)}\n".utf8) }

  private static func append(_ numbers: Range<Int>, to writer: JournalWriter) async {
    await withTaskGroup(of: Void.self) { tasks in
      for number in numbers {
        tasks.addTask { await #expect(throws: Never.self) { try await writer.append(Self.line(number)) } }
      }
    }
  }

  @Test func linesThatWaitTogetherShareAGroup() async throws {
    let scratch = try TemporaryDirectory()
    let writer = Self.writer(try JournalFolder(path: scratch.path))
    await Self.append(0..<2_000, to: writer)
    #expect(scratch.names.count == 1 && scratch.names[0].hasSuffix(".jsonl.zst.part"))
    let counts = writer.close()
    #expect(counts.lines == 2_000 && counts.journals == 1 && counts.groups < 1_000)
    #expect(Set(scratch.lines) == Set((0..<2_000).map { "{\"n\":\($0)}" }) && scratch.lines.count == 2_000)
    await #expect(throws: JournalWriter.Refusal.self) { try await writer.append(Self.line(0)) }
  }

  @Test func segmentsEndBySize() async throws {
    let scratch = try TemporaryDirectory()
    let writer = Self.writer(try JournalFolder(path: scratch.path)) { $0.journalBytes = 1 }
    for number in 0..<5 { try await writer.append(Self.line(number)) }
    #expect(writer.close().journals == 5)
    #expect(scratch.lines.sorted() == (0..<5).map { "{\"n\":\($0)}" })
  }

  @Test func segmentsEndByTimeThoughNothingComes() async throws {
    let scratch = try TemporaryDirectory()
    let writer = Self.writer(try JournalFolder(path: scratch.path)) { $0.journalSeconds = 0.2 }
    try await writer.append(Self.line(1))
    for _ in 0..<200 where writer.state.journals == 0 { try await Task.sleep(for: .milliseconds(50)) }
    #expect(writer.state.journals == 1 && scratch.lines == ["{\"n\":1}"])
    try await writer.append(Self.line(2))
    #expect(writer.close().journals == 2)
  }

  /// Lines that cannot be written are refused; once the folder is back, the next line is accepted.
  @Test func aFolderThatVanishesIsAFailureUntilItIsBack() async throws {
    let scratch = try TemporaryDirectory()
    let writer = Self.writer(try JournalFolder(path: scratch.path))
    try FileManager.default.removeItem(atPath: scratch.path)
    await #expect(throws: JournalWriter.Refusal.self) { try await writer.append(Self.line(1)) }
    #expect(writer.state.isFailing && writer.state.lines == 0)
    try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: false)
    try await writer.append(Self.line(2))
    #expect(!writer.state.isFailing)
    #expect(writer.close().lines == 1 && scratch.lines == ["{\"n\":2}"])
  }

  @Test func whatWaitsIsBounded() async throws {
    let scratch = try TemporaryDirectory()
    let writer = Self.writer(try JournalFolder(path: scratch.path)) { $0.waitingBytes = 10 }
    await #expect(throws: JournalWriter.Refusal.self) { try await writer.append(Array(repeating: 0x20, count: 11)) }
    try await writer.append(Array("{\"n\":1}\n".utf8))
    #expect(writer.close().lines == 1)
  }
}
