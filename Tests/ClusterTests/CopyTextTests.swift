import Testing

@testable import Cluster

@Suite struct CopyTextTests {
  /// PostgreSQL 15, "COPY", text format: backslash, tab, newline and carriage return are escaped, `\N` is NULL.
  @Test func escapesWhatEndsColumnsAndRows() {
    for (value, text) in [
      ("plain", "plain"), ("a\tb", "a\\tb"), ("a\nb\r", "a\\nb\\r"), ("\\N", "\\\\N"), ("", ""), ("é\\", "é\\\\"),
    ] {
      #expect(escaped(Array(value.utf8)) == Array(text.utf8))
    }
    #expect(Array("\\N".utf8).withUnsafeBytes { CopyText.isNull($0) })
    #expect(!Array("\\\\N".utf8).withUnsafeBytes { CopyText.isNull($0) })
  }

  @Test func whatIsReadIsWhatWasWritten() {
    var seed: UInt64 = 7
    for _ in 0..<500 {
      let bytes = (0..<Int(next(&seed) % 20)).map { _ in
        [0x09, 0x0A, 0x0D, 0x5C, 0x4E, 0x74, 0xC3][Int(next(&seed) % 7)] as UInt8
      }
      let text = escaped(bytes)
      #expect(!text.contains(0x09) && !text.contains(0x0A) && !text.contains(0x0D))
      var read: [UInt8] = []
      #expect(text.withUnsafeBytes { CopyText.read($0, into: &read) } && read == bytes)
    }
  }

  /// The code reads eight bytes at a time, so the test puts special bytes at every place in a block and after the last
  /// one.
  @Test func whatIsSpecialIsFoundAtEveryPlace() {
    for count in 1...49 {
      for place in 0..<count {
        for (byte, code) in [(0x09, "t"), (0x0A, "n"), (0x0D, "r"), (0x5C, "\\")] as [(UInt8, String)] {
          var value = [UInt8](repeating: 0x61, count: count)
          value[place] = byte
          let text = Array(value[..<place]) + Array("\\\(code)".utf8) + Array(value[(place + 1)...])
          #expect(escaped(value) == text)
        }
      }
    }
  }

  @Test func anotherEscapeIsRefused() {
    var read: [UInt8] = []
    for text in ["\\b", "a\\", "\\x41"] {
      #expect(!Array(text.utf8).withUnsafeBytes { CopyText.read($0, into: &read) })
    }
  }

  private func escaped(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    bytes.withUnsafeBytes { CopyText.append($0, to: &text) }
    return text
  }

  private func next(_ seed: inout UInt64) -> UInt64 {
    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return seed >> 33
  }
}
