import Foundation
import Testing

@testable import Store

/// Compares the encoding of ids with Foundation's `UUID` and `Int64`.
@Suite struct CodedTextTests {
  private func uuid(_ text: String) -> [UInt8]? {
    let words = Array(text.utf8).withUnsafeBytes { CodedText.uuid($0) }
    return words.map { words in withUnsafeBytes(of: words) { Array($0) } }
  }

  private func expected(_ text: String) -> [UInt8]? {
    // Foundation reads more than it writes, such as `+f` for two digits.
    guard let uuid = UUID(uuidString: text), uuid.uuidString.lowercased() == text else { return nil }
    return withUnsafeBytes(of: uuid.uuid) { Array($0) }
  }

  @Test func uuidsAreTheirBytes() {
    for _ in 0..<2_000 {
      let text = UUID().uuidString.lowercased()
      #expect(uuid(text) == expected(text), "\(text)")
    }
  }

  /// Tries each byte at each place.
  @Test func anyOtherTextIsNoUUID() {
    let valid = Array("0fa91e26-3c5d-4b78-9a0f-f0123456789a".utf8)
    for place in valid.indices {
      for byte in UInt8(0)...127 {
        var bytes = valid
        bytes[place] = byte
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(uuid(text) == expected(text), "\(text)")
      }
      for byte in UInt8(128)...255 {
        var bytes = valid
        bytes[place] = byte
        #expect(bytes.withUnsafeBytes { CodedText.uuid($0) } == nil)
      }
    }
    #expect(uuid("0fa91e26-3c5d-4b78-9a0f-f0123456789") == nil)
    #expect(uuid("") == nil)
  }

  @Test func plainDecimalNumbersAreIntegers() {
    for text in ["0", "7", "410020986811333", "999999999999999999"] {
      #expect(Array(text.utf8).withUnsafeBytes { CodedText.integer($0) } == Int64(text))
    }
    for text in ["", "00", "07", "-1", "+1", "1.0", "1e3", " 1", "1000000000000000000", "9a"] {
      #expect(Array(text.utf8).withUnsafeBytes { CodedText.integer($0) } == nil, "\(text)")
    }
  }
}

extension CodedTextTests {
  @Test func theTextOfAUUIDIsThatWhichWasRead() throws {
    for text in [
      "00000000-0000-0000-0000-000000000001", "ffffffff-ffff-ffff-ffff-ffffffffffff",
      "d4c3b2a1-0f1e-4d2c-bb3a-495867768594",
    ] {
      let words = try #require(Array(text.utf8).withUnsafeBytes { CodedText.uuid($0) })
      let read = CodedText.uuidText(UInt64(bigEndian: words.0), UInt64(bigEndian: words.1))
      #expect(String(decoding: read, as: UTF8.self) == text)
    }
  }
}
