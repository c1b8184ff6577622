import Testing

@testable import Parquet

/// Expected are the examples of the formats' own definitions, or bytes derived from them in the comments.
@Suite struct EncodingTests {
  /// Padded, as pages are.
  private func with<Result>(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try (bytes + [UInt8](repeating: 0xAA, count: ParquetPageSource.padding)).withUnsafeBytes {
      try body(UnsafeRawBufferPointer(rebasing: $0[..<bytes.count]))
    }
  }

  private func hybrid(_ bytes: [UInt8], width: Int, count: Int) throws -> [UInt32] {
    try with(bytes) { bytes in
      var reader = HybridReader(bytes, width: width)
      return try [UInt32](unsafeUninitializedCapacity: count) { numbers, filled in
        filled = try reader.read(count, into: numbers.baseAddress!)
      }
    }
  }

  /// Encodings.md, "Run Length Encoding": 0 to 7 in three bits each.
  @Test func packedBitsAreReadLowestFirst() throws {
    #expect(try hybrid([3, 0x88, 0xC6, 0xFA], width: 3, count: 9) == [0, 1, 2, 3, 4, 5, 6, 7])
  }

  /// A run of 300 (its count doubled as a varint: 0xD8 0x04) of 5, then nothing.
  @Test func runsAreReadOverPortions() throws {
    #expect(try hybrid([0xD8, 0x04, 5], width: 3, count: 1_000) == Array(repeating: 5, count: 300))
    #expect(try hybrid([], width: 0, count: 4) == [0, 0, 0, 0])
  }

  /// Encodings.md, "Bit-packed (Deprecated)": 0 to 7, the first bit highest.
  @Test func levelsOfOldFilesAreReadHighestFirst() throws {
    try with([0x05, 0x39, 0x77]) { bytes in
      var reader = HybridReader(highFirst: bytes, width: 3, count: 8)
      let numbers = try [UInt32](unsafeUninitializedCapacity: 9) { numbers, filled in
        filled = try reader.read(9, into: numbers.baseAddress!)
      }
      #expect(numbers == [0, 1, 2, 3, 4, 5, 6, 7])
    }
  }

  @Test func brokenRunsAreSaid() {
    for bytes: [UInt8] in [[0x80], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [4]] {
      #expect(throws: ParquetFailure.self) { try hybrid(bytes, width: 3, count: 4) }
    }
  }

  private func differences(_ bytes: [UInt8], portion: Int) throws -> [Int64] {
    try with(bytes) { bytes in
      var reader = try DeltaReader(bytes)
      let behind = try reader.addressBehind()
      #expect(behind == bytes.baseAddress! + bytes.count)
      var all: [Int64] = []
      while true {
        let some = try [Int64](unsafeUninitializedCapacity: portion) { numbers, filled in
          filled = try reader.read(portion, into: numbers.baseAddress!)
        }
        if some.isEmpty { return all }
        all += some
      }
    }
  }

  /// Encodings.md, "Delta Encoding", examples 1 and 2, with the packed bits that the second describes: 0 0 0 3 3 3 3 in
  /// two bits each is 0xC0 0x3F.
  @Test func differencesAreAdded() throws {
    for portion in [1, 3, 100] {
      #expect(try differences([8, 1, 5, 2, 2, 0], portion: portion) == [1, 2, 3, 4, 5])
      #expect(
        try differences([8, 1, 8, 14, 3, 2, 0xC0, 0x3F], portion: portion) == [7, 5, 3, 1, 2, 3, 4, 5])
    }
  }

  /// 64 bits of difference at a bit offset: -1 after 2^63 − 1 wraps, as the format says.
  @Test func differencesWrap() throws {
    let first: [UInt8] = [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
    let bytes = [8, 1, 2] + first + [0, 64] + [1] + [UInt8](repeating: 0, count: 63)
    #expect(try differences(bytes, portion: 5) == [.max, .min])
  }

  @Test func brokenDifferencesAreSaid() {
    for bytes: [UInt8] in [[], [8, 0, 5, 2], [8, 3, 5, 2], [8, 1, 5, 2, 2, 65], [8, 1, 5, 2, 2, 64, 1]] {
      #expect(throws: ParquetFailure.self) { try differences(bytes, portion: 8) }
    }
  }

  private func unpacked(
    _ block: [UInt8], count: Int, _ read: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) throws -> Void
  ) throws -> String {
    var room = [UInt8](repeating: 0, count: count)
    try block.withUnsafeBytes { block in try room.withUnsafeMutableBytes { try read(block, $0) } }
    return String(decoding: room, as: UTF8.self)
  }

  /// format_description.txt: a literal "ab" (tag (2 − 1) << 2), a copy of 6 from 2 before (tag 01 with length 6 − 4 in
  /// bits 2–4), and one of 3 with two bytes of distance.
  @Test func snappyBlocksAreRead() throws {
    let block: [UInt8] = [11, 0x04, 0x61, 0x62, 0x09, 2, 0x0A, 4, 0]
    #expect(try unpacked(block, count: 11) { try Snappy.read($0, into: $1) } == "abababababa")
    for count in block.indices {
      #expect(throws: (any Error).self) {
        _ = try unpacked(Array(block[..<count]), count: 11) { try Snappy.read($0, into: $1) }
      }
    }
    // A distance before the start.
    #expect(throws: (any Error).self) { _ = try unpacked([4, 0x01, 1], count: 4) { try Snappy.read($0, into: $1) } }
  }

  /// lz4_Block_format.md: a token with two literals and a match of 4 + 5, then a last one with one literal.
  @Test func lz4BlocksAreRead() throws {
    let block: [UInt8] = [0x25, 0x61, 0x62, 2, 0, 0x10, 0x63]
    #expect(try unpacked(block, count: 12) { try LZ4.read($0, into: $1) } == "abababababac")
    let framed: [UInt8] = [0, 0, 0, 12, 0, 0, 0, 7] + block
    #expect(try unpacked(framed, count: 12) { try LZ4.read(framed: $0, into: $1) } == "abababababac")
    #expect(throws: (any Error).self) { _ = try unpacked([0x14, 0x61, 9, 0], count: 9) { try LZ4.read($0, into: $1) } }
  }

  private func text(_ write: (inout ColumnBytes) -> Void) -> String {
    var bytes = ColumnBytes()
    defer { bytes.deallocate() }
    write(&bytes)
    return String(decoding: bytes.bytes, as: UTF8.self)
  }

  @Test func numbersHaveAllTheirDigits() {
    #expect(text { ValueForm.decimal(scale: 2).append(-50, to: &$0) } == "-0.5")
    #expect(text { ValueForm.decimal(scale: 0).append(.min, to: &$0) } == "-9223372036854775808")
    #expect(text { ValueForm.decimal(scale: 3).append(0, to: &$0) } == "0")
    #expect(text { ValueForm.unsigned64.append(-1, to: &$0) } == "18446744073709551615")
    #expect(text { ValueForm.unsigned32.append(-1, to: &$0) } == "4294967295")
    #expect(text { ValueForm.double.append(Int64(bitPattern: (1e21).bitPattern), to: &$0) } == "1e+21")
    #expect(text { ValueForm.double.append(Int64(bitPattern: Double.nan.bitPattern), to: &$0) } == "")
    // 2^127 − 1 and −2^127, the ends of DECIMAL(38) in sixteen bytes.
    let most: [UInt8] = [0x7F] + Array(repeating: 0xFF, count: 15)
    let least: [UInt8] = [0x80] + Array(repeating: 0, count: 15)
    #expect(
      text { text in most.withUnsafeBytes { ValueForm.decimalBytes(scale: 9).append($0, to: &text) } }
        == "170141183460469231731687303715.884105727")
    #expect(
      text { text in least.withUnsafeBytes { ValueForm.decimalBytes(scale: 0).append($0, to: &text) } }
        == "-170141183460469231731687303715884105728")
  }

  @Test func instantsAreOfTheirDay() {
    let instant = ValueForm.instant(unitsPerSecond: 1_000_000, isUTC: true)
    #expect(text { instant.append(-1, to: &$0) } == "\"1969-12-31T23:59:59.999999Z\"")
    #expect(text { instant.append(1_000, to: &$0) } == "\"1970-01-01T00:00:00.001Z\"")
    #expect(text { ValueForm.date.append(-719_528, to: &$0) } == "\"0000-01-01\"")
    for extreme in [Int64.min, .max] {
      #expect(text { ValueForm.instant(unitsPerSecond: 1_000, isUTC: false).append(extreme, to: &$0) }.hasSuffix("\""))
      #expect(text { ValueForm.time(unitsPerSecond: 1_000).append(extreme, to: &$0) }.hasSuffix("\""))
    }
    // Spark's INT96: the nanoseconds of a Julian day, 2,440,588 being 1970-01-01.
    let int96: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 0x8C, 0x3D, 0x25, 0]
    #expect(
      text { text in int96.withUnsafeBytes { ValueForm.int96.append($0, to: &text) } }
        == "\"1970-01-01T00:00:00.000000001Z\"")
  }

  @Test func textsThatAreNoUTF8AreBase64() {
    for (bytes, expected): ([UInt8], String) in [
      ([0xFF, 0x00], "\"base64:/wA=\""), (Array("é\"\n".utf8), "\"é\\\"\\n\""), ([], "\"\""),
      (Array("12345678\u{1}".utf8), "\"12345678\\u0001\""),
    ] {
      #expect(text { text in bytes.withUnsafeBytes { ValueForm.text.append($0, to: &text) } } == expected)
    }
  }

  /// Only a text that is one object as a whole stands as an object.
  @Test func objectsAreSplicedWhole() {
    for (json, expected) in [
      (#"{"a":"}"} "#, #"{"a":"}"} "#), (#"{},"x":{}"#, #""{},\"x\":{}""#), ("[1]", "\"[1]\""),
      ("{\n\"a\":1}", #"{ "a":1}"#),
    ] {
      #expect(
        text { text in Array(json.utf8).withUnsafeBytes { ValueForm.object.append($0, to: &text) } } == expected)
    }
  }
}
