import Basics
import Testing

@Suite struct JSONTextTests {
  /// RFC 8259, section 7: quotation marks, backslashes and characters below U+0020 are escaped, in the two-letter form
  /// if there is one. The code reads eight bytes at a time, so the test puts special bytes at every place in a block
  /// and after the last one.
  @Test(
    arguments: [
      (0x22, #"\""#), (0x5C, #"\\"#), (0x08, #"\b"#), (0x09, #"\t"#), (0x0A, #"\n"#), (0x0C, #"\f"#), (0x0D, #"\r"#),
      (0x00, #"\u0000"#), (0x1F, #"\u001f"#),
    ] as [(UInt8, String)])
  func whatIsSpecialIsEscapedAtEveryPlace(byte: UInt8, code: String) {
    for count in 1...49 {
      for place in 0..<count {
        var value = [UInt8](repeating: 0x61, count: count)
        value[place] = byte
        let expected =
          "\"" + String(repeating: "a", count: place) + code + String(repeating: "a", count: count - place - 1) + "\""
        #expect(quoted(value) == Array(expected.utf8))
      }
    }
  }

  @Test func everythingElseStandsForItself() {
    let value = (0x20...0xFF).map { UInt8($0) }.filter { $0 != 0x22 && $0 != 0x5C }
    #expect(quoted(value) == [0x22] + value + [0x22])
  }

  private func quoted(_ value: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    value.withUnsafeBytes { JSONText.append(quoted: $0, to: &text) }
    return text
  }
}
