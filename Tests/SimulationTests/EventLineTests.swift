import Foundation
import Testing

@testable import Simulation

struct EventLineTests {
  private static let block = try? Sample(SampleOptions(seed: 11, size: .persons(12_000), days: 75)).block(
    of: 0..<12_000)

  /// The strict check is `EventRules`, written from Events.md.
  @Test func everyLineIsValid() throws {
    let block = try #require(Self.block)
    var start = 0
    var faults: [String] = []
    for line in block.lines where faults.count < 10 {
      let text = Data(block.bytes[start..<line.end])
      faults += EventRules.faults(of: text).map { "\($0): \(String(decoding: text, as: UTF8.self))" }
      start = line.end
    }
    #expect(faults == [])
    #expect(block.lines.last?.end == block.bytes.count)
  }

  @Test func everyKindAndRareFieldOccurs() throws {
    let text = String(decoding: try #require(Self.block).bytes, as: UTF8.self)
    // A sample says of each payment whether it is the first.
    for kind in EventRules.required.keys where kind != "payment" {
      #expect(text.contains(#""event":"\#(kind)""#), "\(kind)")
    }
    for piece in [
      #""environment":"sandbox""#, #""ownership":"family_shared""#, #""trial_kind":"app""#, #""offer_type":"win_back""#,
      #""offer_type":"offer_code""#, #""price":"0.00""#, #""currency":"JPY""#, #""price_lifetime":"#,
      #""tier":"family""#,
      #""limit_name":"swipes_per_day","limit":30,"used":30"#, #""trial_ends_at":"#, #""trial_days":"#,
      #""previous_product_id":"#, #""grace_ends_at":"#, #""reason":"price_increase""#, #""user_id":"anon-"#,
      #""platform":"android""#,
    ] {
      #expect(text.contains(piece), "\(piece)")
    }
  }

  /// Each event is in the file of its family and UTC day.
  @Test func filesAreByFamilyAndDay() throws {
    let sample = try Sample(SampleOptions(seed: 12, size: .persons(1_000), days: 20))
    let block = sample.block(of: 0..<1_000)
    var start = 0
    for line in block.lines {
      let text = String(decoding: block.bytes[start..<line.end], as: UTF8.self)
      let name = sample.fileName(Int(line.file))
      let day = name.dropLast(".jsonl".count).suffix(10)
      #expect(text.contains(#""ts":"\#(day)T"#))
      #expect(
        name.hasPrefix("activity-") == (text.contains(#""event":"activity""#) || text.contains("previous_user_id")))
      start = line.end
    }
  }
}
