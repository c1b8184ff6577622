import EventSupport
import Basics
import PackingSupport
import Testing

@testable import Ingest

@Suite struct DecompressorTests {
  /// About 40 lines that compress little.
  private let text: [UInt8] = {
    var generator = SplitMix64(seed: 31)
    return (0..<40).flatMap { index in
      Array(
        (eventLine("activity", id: "e\(index)", #""note":"\#(UInt64.random(in: 0...UInt64.max, using: &generator))""#)
          + "\n").utf8)
    }
  }()

  /// A frame without content, which readers must skip.
  private let skippable: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]

  private func pieces() -> [[UInt8]] {
    let cuts = [0, 10, 10, text.count / 2, text.count]
    return zip(cuts, cuts.dropFirst()).map { Array(text[$0..<$1]) }
  }

  @Test func framesAndMembersAreReadToTheEnd() throws {
    let files = [
      text, zstdFrame(text), pieces().flatMap { zstdFrame($0) }, skippable + zstdFrame(text) + skippable,
      gzipMember(text), pieces().flatMap { gzipMember($0) },
    ]
    for file in files {
      let reading = try Reading(content: file)
      #expect(reading.outcomes == [.complete])
      #expect(reading.events.map(\.eventID) == (0..<40).map { "e\($0)" })
    }
  }

  @Test func blockAndChunkBoundsChangeNothing() throws {
    let files = [text, pieces().flatMap { zstdFrame($0) } + skippable, pieces().flatMap { gzipMember($0) }]
    for file in files {
      for (block, chunk) in [(16, 1), (16, 7), (17, 64), (64, 3), (4_096, 1), (1 << 20, 1 << 20)] {
        let reading = try Reading(content: file, block: block, chunk: chunk)
        #expect(reading.outcomes == [.complete])
        #expect(reading.events.count == 40)
      }
    }
  }

  @Test func filesCutAnywhereFailAndGiveNoLine() throws {
    let parts = pieces()
    for compress in [{ zstdFrame($0) }, gzipMember] {
      let frames = parts.map(compress)
      let file = frames.flatMap { $0 }
      // A file that ends between frames is complete.
      var ends: Set = [0]
      for frame in frames { ends.insert(ends.max()! + frame.count) }
      for count in 0..<file.count {
        let reading = try Reading(content: Array(file[..<count]))
        if ends.contains(count) {
          #expect(reading.outcomes == [.complete], "\(count)")
        } else {
          #expect(reading.failures.count == 1, "\(count)")
          #expect(reading.events.isEmpty && reading.rejected.isEmpty, "\(count)")
        }
      }
    }
  }

  @Test func whatFollowsTheLastFrameMustBeAFrame() throws {
    for garbage in [[0x00], [0x0A], Array("{}".utf8), [UInt8](repeating: 0, count: 600)] {
      #expect(try Reading(content: zstdFrame(text) + garbage).failures.count == 1)
      #expect(try Reading(content: gzipMember(text) + garbage).failures.count == 1)
    }
  }

  /// RFC 8878, 3.1.1: the descriptor 0x50 announces a length of two bytes, to which 256 are added: 0x0605 + 256 = 1,797.
  /// The only block is the last and empty.
  @Test(arguments: [16, 64 << 10])
  func aFrameIsAsLongAsItStates(block: Int) throws {
    let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x50, 0x2A, 0x05, 0x06, 0x01, 0x00, 0x00]
    #expect(try Reading(content: frame, block: block).failures.count == 1)
  }

  /// RFC 8878, 3.1.1: a frame begins with 28 B5 2F FD. Formats before it have 22 to 27 in the first byte.
  @Test(arguments: [16, 64 << 10], 0x22...0x27)
  func oldFormatsAreNoFrames(block: Int, first: UInt8) throws {
    let old: [UInt8] = [first, 0xB5, 0x2F, 0xFD, 0, 0xEF, 0xBB, 0xBF]
    #expect(try Reading(content: zstdFrame(text) + old, block: block).failures.count == 1)
  }

  /// Damages every bit except those that pad the last byte of the data, before the 8 bytes of checksum and size.
  ///
  /// zstd has no content checksums by default, so only structural damage has to be detected there.
  @Test func damagedGzipIsFound() throws {
    let file = gzipMember(text)
    for place in 10..<file.count where place != file.count - 9 {
      var damaged = file
      damaged[place] ^= 0x10
      let reading = try Reading(content: damaged)
      #expect(reading.failures.count == 1, "\(place)")
      #expect(reading.events.isEmpty)
    }
  }

  @Test func aWindowAbove128MiBIsRefusedWithTheRemedy() throws {
    // The bytes: magic number, descriptor without content size, window descriptor for 2^(10 + 18) bytes, an empty last
    // block.
    let file: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 18 << 3, 0x01, 0x00, 0x00]
    #expect(
      try Reading(content: file).failures == ["needs a zstd window above 128 MiB; compress it with --long=27 or less"])
    var allowed = file
    allowed[5] = 17 << 3
    #expect(try Reading(content: allowed).outcomes == [.complete])
  }

  /// The file is a gibibyte of one letter without a line feed: the line is rejected, and memory stays near the size of
  /// one line.
  @Test(arguments: [true, false])
  func aBombIsReadInBoundedMemory(isZstd: Bool) throws {
    let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 24)
    let compressed = isZstd ? zstdFrame(piece) : gzipMember(piece)
    let before = residentBytes()
    var file: [UInt8] = []
    for _ in 0..<64 { file += compressed }
    let tail = "\n" + activityLine()
    file += isZstd ? zstdFrame(Array(tail.utf8)) : gzipMember(Array(tail.utf8))
    let reading = try Reading(content: file)
    #expect(reading.reasons == ["line_too_long"])
    #expect(reading.rejected.first?.raw.count == 4_096)
    #expect(reading.events.count == 1)
    #expect(reading.rejected.first?.line == 1)
    // Other tests run at the same time and take hundreds of megabytes; a gibibyte would still stand out.
    #expect(residentBytes() - before < 768 << 20)
  }
}
