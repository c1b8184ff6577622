import Basics
import EventModel
import EventSupport
import Foundation
import Testing

@testable import Ingest

/// Compares a decoder that caches lines with one that does not: batches and rejections must be equal.
@Suite struct LineTemplateCacheTests {
  /// All results of decoding lines, including the numbers in the records.
  private struct Outcome: Equatable {
    var records: [String] = []
    var rejected: [String] = []
    var names: [UInt8] = []
    var properties: [UInt8] = []
    var text: [UInt8] = []
    var users: [BatchUser] = []
    var clients: [ClientNames] = []
    var contexts: [ContextNames] = []
    var terms: [TermsNames] = []
  }

  /// Decodes lines in batches of a given size; hits are the lines found in the cache.
  private func decode(_ lines: [[UInt8]], remembering: Bool, batch: Int) -> (outcomes: [Outcome], hits: Int) {
    var decoder = LineDecoder()
    if !remembering { decoder.templatePause = .max }
    var hits = 0
    let outcomes = stride(from: 0, to: lines.count, by: batch).map { first -> Outcome in
      var outcome = Outcome()
      let templateHits = decoder.templateHits
      for (index, line) in lines[first..<min(first + batch, lines.count)].enumerated() {
        // The bytes after the line could follow it in a file and must not be read.
        let buffer =
          line + Array("\n\"}]:,{\"ts\":\"2026-03-01T00:00:00Z\",\"user_id\":\"u9\"}".utf8)
          + [UInt8](repeating: 0x22, count: LineBuffer.padding)
        buffer.withUnsafeBufferPointer { bytes in
          if let rejection = decoder.decodeJSON(bytes.baseAddress!, count: line.count, line: index) {
            outcome.rejected.append("\(index): \(rejection.reason)")
          }
          decoder.resolveUsers()
        }
      }
      hits += decoder.templateHits - templateHits
      decoder.forgetApp()
      let batch = decoder.filler.takeBatch(parts: [])
      outcome.records = batch.records.map { "\($0)" }
      outcome.names = batch.names.bytes
      outcome.properties = batch.properties.bytes
      outcome.text = batch.text
      outcome.users = batch.users
      outcome.clients = batch.clients.rows
      outcome.contexts = batch.contexts.rows
      outcome.terms = batch.terms.rows
      return outcome
    }
    return (outcomes, hits)
  }

  /// An id may be as long as in the previous line; the decoder must not look for its end past the line's memory, which
  /// is not mapped there.
  @Test func nothingBehindALineIsRead() throws {
    let page = Int(getpagesize())
    let memory = try #require(
      mmap(nil, page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0).flatMap { $0 == MAP_FAILED ? nil : $0 }
    )
    defer { munmap(memory, page * 2) }
    try #require(mprotect(memory + page, page, PROT_NONE) == 0)
    var decoder = LineDecoder()
    for count in [Limits.stringBytes, 3, Limits.stringBytes, 20] {
      let id = String(repeating: "i", count: count)
      let line = Array(
        #"{"ts":"2026-03-01T00:00:00Z","app":"steps","event":"activity","event_id":"\#(id)","user_id":"\#(id)"}"#.utf8)
      let start = memory + (page - line.count - LineBuffer.padding)
      start.copyMemory(from: line + [0x0A], byteCount: line.count + 1)
      #expect(decoder.decodeJSON(start.assumingMemoryBound(to: UInt8.self), count: line.count, line: 1) == nil)
      decoder.resolveUsers()
    }
    #expect(decoder.filler.records.count == 4 && decoder.templateHits > 0)
  }

  private func expectTheSame(_ lines: [[UInt8]], batch: Int) -> Int {
    let remembered = decode(lines, remembering: true, batch: batch)
    let careful = decode(lines, remembering: false, batch: batch)
    for (number, pair) in zip(remembered.outcomes, careful.outcomes).enumerated() where pair.0 != pair.1 {
      let different = zip(pair.0.records, pair.1.records).first { $0 != $1 }
      Issue.record("batch \(number): \(String(describing: different)), \(pair.0.rejected), \(pair.1.rejected)")
    }
    #expect(careful.hits == 0)
    return remembered.hits
  }

  @Test func composedLinesGiveWhatTheCarefulDecoderGives() {
    var composer = EventLineComposer(seed: 71)
    let lines = (0..<24_000).map { _ in Array(composer.line().utf8) }
    let hits = expectTheSame(lines, batch: 8_000)
    // The test is meaningless unless the cache is used.
    #expect(hits > 6_000, "\(hits)")
  }

  @Test func damagedLinesGiveWhatTheCarefulDecoderGives() {
    var composer = EventLineComposer(seed: 73)
    var damager = JSONComposer(seed: 74)
    let lines = (0..<32_000).map { _ -> [UInt8] in
      var line = Array(composer.line().utf8)
      if Int.random(in: 0...2, using: &composer.generator) == 0 { damager.damage(&line) }
      line.removeAll { $0 == UInt8(ascii: "\n") }
      return line
    }
    let hits = expectTheSame(lines, batch: 16_000)
    #expect(hits > 4_000, "\(hits)")
  }

  /// Each line occurs at least twice with equal spans, so that the cache checks its varying values.
  @Test(arguments: [
    #""event_id":"","ts":1772323200000,"user_id":"u""#, #""event_id":"e","ts":1772323200000,"user_id":"u",,"#,
    #""event_id":"e","ts":1772323200000 "user_id":"u""#, #""event_id":"e","ts":1772323200000,"user_id":"u","#,
    #""event_id":"e","ts":1772323200000,"user_id":"u","ts":1772323200000"#, #""event_id":"e","ts":1,"user_id":"u""#,
    #""event_id":"e","ts":"2026-03-01T23:59:60Z","user_id":"u""#, #""event_id":17,"ts":01772323200000,"user_id":"u""#,
    #""event_id":17,"ts":1772323200000,"user_id":18"#, #""event_id":017,"ts":1772323200000,"user_id":18"#,
    #""event_id":"e","ts":1772323200000.0,"user_id":1e3"#, #""event_id":"e\u0041","ts":1772323200000,"user_id":"ü""#,
    #""event_id":"e","ts":"2026-03-01T09:30:00.5Z","user_id":"u","received_at":null"#,
    #""event_id":"e","ts":"2026-03-01T09:30:00.500+01:00","user_id":"u","received_at":"2026-03-01""#,
    #""event_id":"e","ts":"2026-03-01t09:30:00.500z","user_id":"u","received_at":"2107-03-01T00:00:00Z""#,
    #""event_id":"e","ts":"2026-03-01T09:30:00Z","user_id":"u","expires_at":"2026-03-01T09:30:00Z""#,
    #""event_id" : "e" , "ts" : "2026-02-30T09:30:00Z" , "user_id" : "u" "#,
    #""event_id" : "e" , "ts" : "2026-02-28T09:30:00Z" , "user_id" : "u" "#,
    #""event_id":null,"ts":1772323200000,"user_id":"u""#, #""event_id":"e","ts":1772323200000,"user_id":true"#,
  ])
  func oddVaryingValuesAreJudgedAsEver(members: String) {
    let plain = #""event_id":"a","ts":"2026-03-01T09:30:00.123Z","user_id":"u1""#
    var lines: [String] = []
    for repeating in [#""event":"activity","app":"steps""#, #""app":"steps","event":"activity","country":"us""#] {
      for own in [plain, plain, members, members, plain, members] {
        lines.append("{\(own),\(repeating)}")
        lines.append("{\(repeating),\(own)}")
        lines.append("{\(repeating),\(own)} ")
        lines.append("{ \(repeating),\(own)}")
        lines.append("{\(repeating),\(own)},")
        lines.append("{\(repeating),\(own),}")
        lines.append("{\(repeating) \(own)}")
      }
    }
    #expect(expectTheSame(lines.map { Array($0.utf8) }, batch: 1_000) > 0)
  }

  /// Uses values of every length and position, so that each comparison of words reaches its edges.
  @Test func spansOfEveryLengthAreToldApart() {
    var lines: [[UInt8]] = []
    for length in 0..<80 {
      let text = String(repeating: "a", count: length)
      for last in ["a", "b"] {
        for _ in 0..<2 {
          lines.append(Array(activityLine(#""platform":"\#(text)\#(last)""#).utf8))
          lines.append(Array(eventLine("gate_hit", id: "e\(text)\(last)", #""entry_point":"\#(last)\#(text)""#).utf8))
        }
      }
    }
    #expect(expectTheSame(lines, batch: 10_000) > 100)
  }

  /// Uses more distinct lines than the cache has room for.
  @Test func aFullMemoBeginsAnew() {
    let lines = (0..<40_000).map { index in
      let number = index % 2 == 0 ? index / 2 : index % 50
      return Array(activityLine(#""n":\#(number),"text":"\#(String(repeating: "x", count: 300))""#).utf8)
    }
    #expect(expectTheSame(lines, batch: 40_000) > 1_000)
  }
}

/// Composes lines that repeat each other except for their varying values, like the lines of a file.
struct EventLineComposer {
  var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func line() -> String {
    let kinds = ["activity", "gate_hit", "trial_start", "conversion", "cancellation", "identify", "unheard_of"]
    let kind = pick(kinds, weight: 9)
    var members = [
      #""event_id":"\#(pick(["", "e", "0a1b2c3d-"]))\#(Int.random(in: 0...999_999, using: &generator))""#,
      #""event":"\#(kind)""#, #""ts":\#(instant())"#, #""app":"\#(pick(["steps", "coach", "ärzte"], weight: 9))""#,
      #""user_id":\#(pick(["\"u\(Int.random(in: 0...300, using: &generator))\"", "17", "\"ü\""], weight: 9))"#,
    ]
    if chance(2) { members.append(#""received_at":\#(instant())"#) }
    if chance(2) {
      members.append(#""platform":"\#(pick(["ios", "android", ""], weight: 6))""#)
      members.append(#""country":"\#(pick(["us", "DE"], weight: 6))""#)
    }
    if chance(4) { members.append(#""entry_point":"\#(pick(["card", "map", "a\\u00e9"], weight: 6))""#) }
    switch kind {
    case "trial_start":
      members.append(pick([#""trial_days":7"#, #""trial_ends_at":\#(instant())"#]))
      members.append(#""plan":"\#(pick(["yearly", "monthly"]))""#)
    case "conversion":
      members += [#""product_id":"p""#, #""plan":"yearly""#, #""price":19.99,"currency":"EUR""#]
      if chance(2) { members.append(#""expires_at":\#(instant())"#) }
      members.append(#""subscription_id":"\#(Int.random(in: 0...99, using: &generator))""#)
    case "identify": members.append(#""previous_user_id":"u\#(Int.random(in: 0...300, using: &generator))""#)
    default: break
    }
    if chance(6) { members.append(#""properties":{"a":"\#(pick(["1", "2"]))","b":[1,{"ts":"x"}]}"#) }
    if chance(16) { members.shuffle(using: &generator) }
    if chance(40) { members.append(members[0]) }
    return "{" + members.joined(separator: chance(30) ? ", " : ",") + "}" + (chance(60) ? " " : "")
  }

  private mutating func instant() -> String {
    let day = pick(["2026-03-01", "2026-03-02", "2026-02-29"], weight: 9)
    let time = String(
      format: "%02d:%02d:%02d", Int.random(in: 0...23, using: &generator), Int.random(in: 0...59, using: &generator),
      Int.random(in: 0...59, using: &generator))
    let rest = pick(["Z", ".123Z", ".5Z", "+02:00", "z", ""], weight: 6)
    return chance(20) ? "177232320\(Int.random(in: 1_000...9_999, using: &generator))" : "\"\(day)T\(time)\(rest)\""
  }

  /// Returns one of the choices; the first is as likely as `weight` of the others.
  private mutating func pick(_ choices: [String], weight: Int = 1) -> String {
    let index = Int.random(in: 0..<choices.count - 1 + weight, using: &generator)
    return choices[max(0, index - weight + 1)]
  }

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }
}
