import EventSupport
import PackingSupport
import Testing

@testable import Ingest

@Suite struct LineSplittingTests {
  @Test func linesEndInLineFeedsWithOrWithoutCarriageReturn() throws {
    let lines = (0..<5).map { eventLine("activity", id: "e\($0)") }
    for end in ["\n", "\r\n", "\n\n", "\r\n \t\r\n"] {
      for last in ["", end] {
        let reading = try Reading(content: lines.joined(separator: end) + last)
        #expect(reading.reasons == [])
        #expect(reading.events.map(\.eventID) == ["e0", "e1", "e2", "e3", "e4"])
        #expect(reading.parts.first?.lineCount == 5)
      }
    }
  }

  @Test func aByteOrderMarkIsSkippedAtTheBeginOnly() throws {
    let reading = try Reading(content: "\u{FEFF}\(activityLine())\n\u{FEFF}\(activityLine())\n")
    #expect(reading.events.count == 1)
    #expect(reading.reasons == ["not_json_object"])
    #expect(try Reading(content: "\u{FEFF}").parts.first?.lineCount == 0)
    #expect(try Reading(content: [0xEF, 0xBB]).reasons == ["invalid_utf8"])
    #expect(try Reading(content: zstdFrame(Array("\u{FEFF}\(activityLine())".utf8))).events.count == 1)
  }

  @Test func emptyAndBlankFilesHaveNoLines() throws {
    for content in ["", "\n", "\r\n\r\n", "   ", "\n\n \t\n"] {
      let reading = try Reading(content: content)
      #expect(reading.outcomes == [.complete])
      #expect(reading.parts.first?.lineCount == 0)
      #expect(reading.rejected.isEmpty)
    }
  }

  /// Blank lines that exceed the memory held at once do not hide the lines after them.
  @Test func megabytesOfBlankLinesArePassedOver() throws {
    for blank in [String(repeating: " ", count: 500) + "\r\n", String(repeating: " ", count: 1_000_000) + "\n"] {
      let text = String(repeating: blank, count: 2 * Limits.lineBytes / blank.utf8.count) + activityLine()
      for content in [Array(text.utf8), zstdFrame(Array(text.utf8))] {
        let reading = try Reading(content: content, chunk: 65_536)
        #expect(reading.outcomes == [.complete])
        #expect(reading.events.count == 1)
        #expect(reading.reasons == [])
      }
    }
  }

  /// The limit is 1,048,576 bytes without the line end.
  @Test func aLineMayHaveOneMebibyte() throws {
    func line(count: Int, id: String) -> String {
      let frame = eventLine("activity", id: id, #""note":"""#)
      return eventLine("activity", id: id, #""note":"\#(String(repeating: "n", count: count - frame.utf8.count))""#)
    }
    for end in ["\n", "\r\n"] {
      let text = [
        line(count: Limits.lineBytes, id: "fits"), line(count: Limits.lineBytes + 1, id: "long"),
        String(repeating: "x", count: 3 * Limits.lineBytes), eventLine("activity", id: "last"),
        line(count: Limits.lineBytes + 1, id: "long"),
      ].joined(separator: end)
      for last in ["", end] {
        for chunk in [1_000, 65_536, 1 << 20] {
          let reading = try Reading(content: Array((text + last).utf8), chunk: chunk)
          #expect(reading.events.map(\.eventID) == ["fits", "last"])
          #expect(reading.reasons == ["line_too_long", "line_too_long", "line_too_long"])
          #expect(reading.rejected.map(\.line) == [2, 3, 5])
          #expect(reading.rejected.allSatisfy { $0.raw.count == 4_096 })
          #expect(reading.parts.first?.lineCount == 5)
        }
      }
    }
  }

  /// Chunk sizes increase by one byte, so that every pair of bytes is split once.
  @Test func chunkBoundsChangeNothing() throws {
    let text =
      "\u{FEFF}\r\n" + activityLine(#""variant":"é\u00e9日","x":[1]"#) + "\r\n\nbad\r\n"
      + eventLine("identify", id: "e2", #""previous_user_id":"u0","user_id":"u2""#) + "\n"
      + eventLine("identify", id: "e3", #""previous_user_id":"u\u0030""#)
    let expected = try Reading(content: text)
    #expect(expected.events.count == 2)
    #expect(expected.reasons == ["not_json_object", "field_twice:user_id"])
    for chunk in 1...300 {
      let reading = try Reading(content: Array(text.utf8), block: 16, chunk: chunk)
      #expect(reading.events.map(\.canonicalJSONBytes) == expected.events.map(\.canonicalJSONBytes))
      #expect(reading.rejected.map(\.raw) == expected.rejected.map(\.raw))
      #expect(reading.rejected.map(\.line) == expected.rejected.map(\.line))
    }
  }
}
