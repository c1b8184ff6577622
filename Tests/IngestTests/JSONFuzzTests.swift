import Basics
import EventModel
import EventSupport
import Foundation
import Testing

@testable import Ingest

/// Compares the decoder with `JSONSerialization` on composed and damaged lines, with fixed seeds.
///
/// It leaves out lines on which the two differ by design. `JSONSerialization` accepts NUL escapes, which tollgate
/// rejects as `nul`. It rejects numbers beyond doubles, whose text tollgate keeps. For repeated names it keeps any
/// value; tollgate keeps the last.
@Suite struct JSONFuzzTests {
  /// Returns whether the decoder reads the line as one JSON object; repeated or invalid known fields do not matter.
  private func isObject(_ line: [UInt8]) throws -> Bool {
    switch try decode(line) {
    case .event: true
    case .rejected(let rejected): rejected.reason != "not_json_object"
    }
  }

  private func foundationObject(_ line: [UInt8]) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any]
  }

  private func sortedText(_ object: Any) throws -> Data {
    try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
  }

  @Test func composedObjectsDecodeToWhatFoundationSays() throws {
    var composer = JSONComposer(seed: 41)
    for _ in 0..<4_000 {
      let members = composer.members(distinctNames: true)
      let text = activityLine(members.map { "\($0.name):\($0.value)" }.joined(separator: ","))
      let expected = try #require(foundationObject(Array(text.utf8)), "\(text)")
      let event = try #require(try decode(text).event, "\(text)")
      for (name, value) in expected where !JSONComposer.commonFields.contains(name) {
        switch value {
        case let string as String:
          #expect(event.properties[name] ?? "" == string, "\(name) of \(text)")
        case is NSNull:
          #expect(event.properties[name] == nil, "\(name) of \(text)")
        case let number as NSNumber:
          let kept = try #require(event.properties[name])
          // The literal is kept; reading it again gives Foundation's number.
          if kept == "true" || kept == "false" {
            #expect(number.boolValue == (kept == "true"))
          } else {
            // Foundation's result is sometimes off by a unit in the last place, hence 1e-15.
            let nearest = try #require(Double(kept))
            #expect(abs(nearest - number.doubleValue) <= 1e-15 * abs(nearest), "\(name) of \(text)")
          }
        default:
          let kept = try #require(event.properties[name])
          let again = try JSONSerialization.jsonObject(with: Data(kept.utf8))
          #expect(try sortedText(again) == sortedText(value), "\(name) of \(text)")
        }
      }
    }
  }

  @Test func damagedLinesAreAcceptedOrRejectedAsByFoundation() throws {
    var composer = JSONComposer(seed: 43)
    var accepted = 0
    var rejected = 0
    for _ in 0..<12_000 {
      let members = composer.members(distinctNames: false)
      var line = Array(activityLine(members.map { "\($0.name):\($0.value)" }.joined(separator: ",")).utf8)
      composer.damage(&line)
      // The line is rejected before JSON is parsed, or is not a line at all.
      if String(validating: line, as: UTF8.self) == nil || line.contains(0) || line.contains(0x0A) { continue }
      if line.withUnsafeBufferPointer({ TextCheck.hasNulEscape($0.baseAddress!, count: $0.count) }) { continue }
      if String(decoding: line, as: UTF8.self).contains(#/\d[eE]\+?\d{3,}/#) { continue }
      let expected = foundationObject(line) != nil
      let actual = try isObject(line)
      #expect(actual == expected, "\(String(decoding: line, as: UTF8.self))")
      if expected { accepted += 1 } else { rejected += 1 }
    }
    // Both must happen often for the test to be meaningful.
    #expect(accepted > 2_000 && rejected > 2_000, "\(accepted) accepted, \(rejected) rejected")
  }

  /// The decoder's own scan uses guesses, caches and words; truncated lines must never be accepted or crash it.
  @Test func everyPrefixOfALineIsNoObject() throws {
    let text = Array(
      eventLine("conversion", #""product_id":"p\u00e9","plan":"monthly","price":6.99,"x":[1,{"y":null}]"#).utf8)
    for count in 1..<text.count {
      #expect(try decode(Array(text[..<count])).reason == "not_json_object")
    }
  }
}

/// Composes random members and damages lines.
struct JSONComposer {
  static let commonFields: Set = ["event_id", "event", "ts", "app", "user_id"]
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// Names and values as JSON text.
  mutating func members(distinctNames: Bool) -> [(name: String, value: String)] {
    (0..<Int.random(in: 0...6, using: &generator)).map { index in
      let name = distinctNames ? "k\(index)\(plainText())" : "k\(Int.random(in: 0...2, using: &generator))"
      return (quoted(name), value(depth: 0))
    }
  }

  private mutating func value(depth: Int) -> String {
    switch Int.random(in: 0...(depth < 4 ? 8 : 6), using: &generator) {
    case 0: return ["true", "false", "null"].randomElement(using: &generator)!
    case 1, 2: return number()
    case 3...6: return quoted(plainText())
    case 7:
      let items = (0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth: depth + 1) }
      return "[" + items.joined(separator: space() + ",") + space() + "]"
    default:
      let items = (0..<Int.random(in: 0...3, using: &generator)).map {
        quoted("m\($0)") + space() + ":" + value(depth: depth + 1)
      }
      return "{" + space() + items.joined(separator: ",") + "}"
    }
  }

  private mutating func space() -> String { ["", "", " ", "\t", "\r", "  "].randomElement(using: &generator)! }

  private mutating func number() -> String {
    let whole = ["0", "-0", "7", "-12", "1772323200000", "123456789"].randomElement(using: &generator)!
    let fraction = ["", "", ".0", ".5", ".125", ".10"].randomElement(using: &generator)!
    let exponent = ["", "", "e3", "E-2", "e+0"].randomElement(using: &generator)!
    return whole + fraction + exponent
  }

  private mutating func plainText() -> String {
    let pieces = [
      "a", "user_id", " ", "é", "日本", "😀", "\"", "\\", "/", "\n", "\u{1F}", "0123456789", "{", "]", ":", "e\u{301}",
    ]
    return (0..<Int.random(in: 0...5, using: &generator)).map { _ in pieces.randomElement(using: &generator)! }.joined()
  }

  /// Returns a JSON string of the text, with each character plain or escaped at random.
  private mutating func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
      if mustEscape || Int.random(in: 0...7, using: &generator) == 0 {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16, uppercase: Bool.random(using: &generator))
          quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else {
        quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// Replaces, drops, doubles or inserts a few bytes, mainly those of JSON's grammar.
  mutating func damage(_ line: inout [UInt8]) {
    let grammar = Array("{}[]\",:\\ \t.eE+-019tfnu".utf8)
    for _ in 0..<Int.random(in: 0...2, using: &generator) where !line.isEmpty {
      let place = line.indices.randomElement(using: &generator)!
      let byte =
        Bool.random(using: &generator)
        ? grammar.randomElement(using: &generator)! : UInt8.random(in: 0...255, using: &generator)
      switch Int.random(in: 0...3, using: &generator) {
      case 0: line[place] = byte
      case 1: line.remove(at: place)
      case 2: line.insert(line[place], at: place)
      default: line.insert(byte, at: place)
      }
    }
  }
}
