import Foundation
import Testing

@testable import Parquet

/// Reads files that pyarrow 26 wrote, the seeds of the fuzzer; expected are the values that they were written from. The
/// script Tests/Acceptance/Parquet covers all encodings and codecs by five writers.
@Suite struct ParquetRowsTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../Fuzz/Corpus/parquet").standardizedFileURL

  private static func seed(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  private static let differences: [String] = (0..<40).map { row in
    let numbers = [7, 5, 3, 1, 2, 3, 4, 5]
    return "{\"n\":\(numbers[row % 8]),\"m\":\(row)}"
  }
  private static let texts: [String] = (0..<18).map { $0 % 2 == 0 ? #"{"a":"x"}"# : #"{"a":"y"}"# }
  private static let flags: [String] = (0..<21).map { [#"{"b":true}"#, "{}", #"{"b":false}"#][$0 % 3] }

  private static let files: [(name: String, lines: [String])] = [
    (
      "snappy-v1",
      [
        #"{"event":"paywall_impression","n":1}"#, #"{"event":"conversion","n":-2}"#, #"{"n":3}"#,
        #"{"event":"conversion"}"#,
      ]
    ),
    (
      "gzip-v2",
      [
        #"{"event":"paywall_impression","n":1}"#, #"{"event":"conversion","n":-2}"#, #"{"n":3}"#,
        #"{"event":"conversion"}"#,
      ]
    ),
    ("zstd-dictionary", texts),
    ("lz4", [#"{"a":"paywall paywall paywall paywall paywall paywall "}"#, #"{"a":"annual"}"#]),
    (
      "plain",
      [
        #"{"f":1.5,"g":1,"b":true,"t":"1970-01-01T00:00:00Z"}"#, #"{"g":2,"t":"1970-01-01T00:00:00.001Z"}"#,
        #"{"f":-0.1,"g":3,"b":false,"t":"1970-01-02T00:00:00Z"}"#,
      ]
    ),
    (
      "delta-texts",
      [
        #"{"a":"Hello","b":"axis"}"#, #"{"a":"World","b":"axle"}"#, #"{"a":"Foobar","b":"babble"}"#,
        #"{"a":"ABCDEF","b":"babyhood"}"#,
      ]
    ),
    ("delta", differences),
    ("split", [#"{"f":1.5,"x":"abc"}"#, #"{"f":2.5,"x":"def"}"#, #"{"f":-3}"#]),
    ("runs", flags),
    (
      "lists",
      [#"{"p":[{"key":"screen","value":{"s":"settings"}},{"key":"amount"}]}"#, #"{"p":[]}"#, "{}"]
    ),
    ("maps", [#"{"m":{"k":"v","l":null},"d":[[1],[]]}"#, #"{"d":[null]}"#, #"{"m":{},"d":[]}"#]),
    ("int96", [#"{"t":"2026-01-01T00:00:00.000000001Z"}"#, "{}"]),
    (
      "decimals",
      [
        #"{"p":4.99,"q":1.5,"d":"2026-01-01"}"#, #"{"p":-0.5,"d":"1970-01-01"}"#,
        #"{"p":10,"q":-12345678901234567890.125,"d":"1969-12-31"}"#,
      ]
    ),
    ("no-rows", []),
  ]

  @Test(arguments: files)
  func valuesAreThoseWritten(name: String, lines: [String]) throws {
    let bytes = try Self.seed(name)
    #expect(try ParquetText.lines(bytes) == lines)
    #expect(try ParquetText.lines(bytes, room: 7) == lines)
  }

  /// Local instants of native columns are UTC, and `properties` is the object of its text.
  @Test func nativeColumnsBecomeEvents() throws {
    var options = ParquetOptions()
    options.nativeNames = ["event", "ts", "user_id", "app", "event_id"]
    options.objectName = "properties"
    options.extras = [("country", "DE"), ("app", "other")]
    #expect(
      try ParquetText.lines(Self.seed("native"), options) == [
        #"{"event":"activity","ts":"2026-01-01T00:00:00Z","user_id":"u1","app":"steps","event_id":"e1","#
          + #""properties":{"a":1},"country":"DE"}"#
      ])
    #expect(
      try ParquetText.lines(Self.seed("native")) == [
        #"{"event":"activity","ts":"2026-01-01T00:00:00","user_id":"u1","app":"steps","event_id":"e1","#
          + #""properties":"{\"a\":1}"}"#
      ])
  }

  /// A row that is too long keeps no more than the limit, so that it is seen to be too long.
  @Test func longRowsAreCut() throws {
    var options = ParquetOptions()
    options.rowBytes = 20
    #expect(try ParquetText.lines(Self.seed("lz4"), options) == [#"{"a":"paywall paywal}"#, #"{"a":"annual"}"#])
  }

  @Test(arguments: ["snappy-v1", "gzip-v2", "zstd-dictionary", "lz4", "lists", "maps", "decimals"])
  func everyTruncationIsSaid(name: String) throws {
    let bytes = try Self.seed(name)
    for count in bytes.indices {
      #expect(throws: ParquetFailure.self) { try ParquetText.lines(Array(bytes[..<count])) }
    }
  }

  /// The checksum of a page (CRC-32) is compared, if it has one.
  @Test func changedPagesAreSaid() throws {
    var bytes = try Self.seed("zstd-dictionary")
    let place = try #require(bytes.firstIndex(of: UInt8(ascii: "x")))
    bytes[place] = UInt8(ascii: "z")
    #expect(throws: ParquetFailure.damaged("the checksum of a page is wrong")) { try ParquetText.lines(bytes) }
  }

  @Test func whatIsNotReadNamesTheWayOut() {
    for (codec, name) in [(3, "LZO"), (4, "BROTLI")] {
      #expect(
        throws: ParquetFailure.unread("it is compressed by \(name)")
      ) { try ParquetPageSource.codec(codec) }
    }
    #expect(ParquetFailure.unread("it is compressed by BROTLI").reason.contains("(CODEC zstd)"))
  }

  /// A page of zstd that claims a size far from its own takes no memory for it.
  @Test func claimsAreChecked() throws {
    let source = ParquetPageSource(ParquetInput([UInt8](repeating: 0, count: 64)), end: 64, memoryBytes: 1 << 30)
    var page = ColumnBytes()
    defer { page.deallocate() }
    var header = PageHeader()
    header.kind = .data
    header.packedBytes = 20
    for (codec, plain) in [(1, 2_000), (2, 30_000), (7, 6_000), (6, 1 << 30), (0, 21)] {
      header.plainBytes = plain
      let codec = try ParquetPageSource.codec(codec)
      #expect(throws: ParquetFailure.self) { _ = try source.read(header, codec, at: 4, into: &page) }
    }
    #expect(page.heldBytes == 0)
  }
}
