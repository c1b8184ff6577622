import Basics
import Testing

/// Expected values follow from RFC 8259; positions are counted by hand, from 1.
@Suite struct JSONParserTests {
  private static func fault(_ text: String) -> String? {
    do {
      _ = try Array(text.utf8).withUnsafeBytes { try JSONNode(reading: $0) }
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    ("", "byte 1: not JSON; expected a value"), ("{\"a\":1,}", "byte 8: not JSON; expected a name in quotes"),
    ("{\"a\" 1}", "byte 6: not JSON; expected a colon"), ("[1 2]", "byte 4: not JSON; expected a comma or ]"),
    ("[01]", "byte 3: not JSON; expected a comma or ]"), ("1.e5", "byte 3: not JSON; expected a digit"),
    ("+1", "byte 1: not JSON; expected a value"),
    ("\"a\n\"", "byte 3: not JSON; expected a string without control characters"),
    ("\"a", "byte 3: not JSON; expected a closing quote"), ("\"\\x\"", "byte 3: not JSON; expected an escape"),
    ("\"\\u12g4\"", "byte 4: not JSON; expected four hexadecimal digits"),
    ("nul", "byte 1: not JSON; expected a value"),
    ("{} {}", "byte 4: not JSON; expected the end"),
  ])
  func mistakesSayWhereAndWhatIsExpected(text: String, message: String) {
    #expect(Self.fault(text) == message)
  }

  @Test func nestsSixtyFourDeep() {
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(Self.fault(nested(64)) == nil)
    #expect(Self.fault(nested(65)) == "byte 65: not JSON; expected at most 64 levels")
  }

  /// Numbers keep their text and members their order; if a name repeats, the last member counts.
  @Test func readsWhatItWrites() throws {
    let text = #"{"b":[1.50,-0e+2,true,false,null],"a":"\"\\\b\f\n\r\t\u0001é😀/","a":{}}"#
    let node = try #require(JSONNode(parsing: Array(text.utf8)))
    #expect(String(decoding: node.json, as: UTF8.self) == text)
    #expect(node["a"]?.members?.isEmpty == true && node["b"]?.elements?.count == 5)
  }

  @Test func surrogatesJoinAndLoneOnesAreReplaced() throws {
    let node = try #require(JSONNode(parsing: Array(#"["\ud83d\ude00","\ud83d","\/"]"#.utf8)))
    #expect(String(decoding: node.json, as: UTF8.self) == "[\"😀\",\"\u{FFFD}\",\"/\"]")
  }
}
