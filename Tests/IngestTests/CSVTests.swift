import EventModel
import EventSupport
import Testing

@testable import Ingest

@Suite struct CSVTests {
  private let header = "event_id,event,ts,app,user_id"

  @Test(arguments: [",", ";", "\t"])
  func theDelimiterIsFoundFromTheHeader(delimiter: String) throws {
    let text = """
      event_id,event,ts,app,user_id,entry_point,price_monthly,trial_days,limit
      e1,paywall_impression,2026-03-01T00:00:00Z,steps,u1,settings_card,6.99,7,1e1

      17,activity,1772323200000,steps,4711,,,,
      """.replacing(",", with: delimiter)
    let reading = try Reading(content: text)
    #expect(reading.reasons == [])
    #expect(reading.events.map(\.eventID) == ["e1", "17"])
    #expect(reading.events[0].priceMonthly == 6_990_000)
    #expect(reading.events[0].trialDays == 7)
    #expect(reading.events[0].limit == 10)
    #expect(reading.events[1].entryPoint == nil)
    #expect(reading.parts[0].lineCount == 2)
    #expect(String(decoding: reading.parts[0].csvHeader, as: UTF8.self).hasPrefix("event_id\(delimiter)event"))
  }

  @Test func aCSVLineAndTheSameAsJSONAreOneEvent() throws {
    let csv = try decode(
      #"e1,conversion,1772323200000,steps,u1,p,monthly,6.99,usd,us,"{""a"":1.50,""b"":[1]}",free,,"#,
      csvHeader: "event_id,event,ts,app,user_id,product_id,plan,price,currency,country,properties,note,x,reason")
    let json = try decode(
      eventLine(
        "conversion",
        #""product_id":"p","plan":"monthly","price":"6.99","currency":"USD","country":"US","properties":{"a":1.50,"b":[1]},"note":"free""#
      ))
    #expect(try #require(csv.event).canonicalJSON() == json.event?.canonicalJSON())
  }

  @Test func quotedCellsHoldDelimitersQuotesAndLineEnds() throws {
    for lineEnd in ["\n", "\r\n"] {
      let text = [
        header + ",variant,note",
        #"e1,activity,1772323200000,steps,u1,"a,""b""","one"# + "\n" + #"two""#,
        #""e2","activity","1772323200000","steps","u2","","""""#,
        "e3,activity,1772323200000,steps,u3,é,x",
      ].joined(separator: lineEnd)
      for end in ["", lineEnd] {
        let reading = try Reading(content: text + end)
        #expect(reading.reasons == [])
        #expect(reading.events.map(\.eventID) == ["e1", "e2", "e3"])
        #expect(reading.events.map(\.variant) == [#"a,"b""#, nil, "é"])
        #expect(reading.events[1].properties["note"] == "\"")
        #expect(reading.events.first?.properties["note"] == "one\ntwo")
      }
    }
  }

  @Test func recordsAreNumberedByTheirFirstLineAndBlankLinesCount() throws {
    let text = """
      \(header),note

      e1,activity,1772323200000,steps,u1,"a
      b
      c"
      e2,activity,x,steps,u1,
      e3,activity,1772323200000,steps,u1
      e4,activity,1772323200000,steps,u1,a,b
      """
    let reading = try Reading(content: text)
    #expect(reading.rejected.map(\.line) == [6, 7, 8])
    #expect(reading.reasons == ["invalid:ts", "csv_cells", "csv_cells"])
    #expect(String(decoding: reading.rejected[0].raw, as: UTF8.self) == "e2,activity,x,steps,u1,")
  }

  @Test func aStrayQuoteCostsOneLineAndNotTheRestOfTheFile() throws {
    let good = (0..<200).map { "g\($0),activity,1772323200000,steps,u1" }
    for bad in [
      #"b,activity,1772323200000,steps,"u1"#, #"b,activity,1772323200000,steps,u"1"#, #"b,"activity"x,1,steps,u"#,
    ] {
      let text = ([header] + good.prefix(100) + [bad] + good.suffix(100)).joined(separator: "\n")
      let reading = try Reading(content: text)
      #expect(reading.events.count == 200)
      #expect(reading.reasons == ["csv_quotes"])
      #expect(reading.rejected.first.map { String(decoding: $0.raw, as: UTF8.self) } == bad)
    }
  }

  @Test func textsAreJudgedAsInJSON() throws {
    let reading = try Reading(
      content: Array(
        """
        \(header),properties,platform
        e1,activity,1772323200000,steps,u1,"{""a"":""\\u0000""}",
        e2,activity,1772323200000,steps,u1,[1],
        e3,activity,1772323200000,steps,u1,"{""a"":""\\ud800""}",
        e4,activity,1772323200000,steps,u1,{,
        e5,activity,1772323200000,steps,u1,,\(String(repeating: "x", count: 201))
        e6,activity,1772323200000,steps,u\u{0},,
        e7,activity,1772323200000,steps,u1,"{""a"" :
          ""b""}",
        e8,activity,1772323200000,steps,
        """.utf8) + [0xFF] + Array(",,\n,,,,,,\n".utf8))
    #expect(
      reading.reasons == [
        "nul", "invalid:properties", "invalid:properties", "invalid:properties", "invalid:platform", "nul",
        "invalid_utf8",
        "missing:event_id",
      ])
    #expect(reading.events.map(\.eventID) == ["e7"])
    #expect(reading.events.first?.properties["a"] == "b")
  }

  @Test func aHeaderWithAKnownColumnTwiceFailsTheFile() throws {
    let reading = try Reading(content: header + ",user_id\ne1,activity,1772323200000,steps,u1,u2\n")
    #expect(reading.failures == ["its header names user_id twice; expected every known field at most once"])
    #expect(reading.events.isEmpty)
  }

  @Test func aFirstLineThatIsNoHeaderLeavesTheFileNDJSON() throws {
    let reading = try Reading(content: "some garbage, of words\n\(activityLine())\n")
    #expect(reading.reasons == ["not_json_object"])
    #expect(reading.events.count == 1)
  }

  @Test func unknownColumnsBecomePropertiesAndThoseOfPropertiesWin() throws {
    let event = try decode(
      #"e1,activity,1772323200000,steps,u1,outer,"{""both"":""inner""}",2"#,
      csvHeader: header + ",both,properties,Other name"
    ).event
    #expect(event?.properties == EventProperties([("both", "inner"), ("Other name", "2")]))
  }

  @Test func recordsLongerThanALineMayBeAreRejected() throws {
    let long = String(repeating: "x", count: Limits.lineBytes)
    let fitting = String(long.dropLast("e1,activity,1772323200000,steps,u1,".utf8.count))
    let text = """
      \(header),note
      e1,activity,1772323200000,steps,u1,\(fitting)
      e2,activity,1772323200000,steps,u1,\(fitting)x
      e3,activity,1772323200000,steps,u1,"\(long)
      e4,activity,1772323200000,steps,u1,
      e5,activity,1772323200000,steps,u1,"\(fitting.prefix(600_000))
      \(fitting.prefix(600_000))"
      e6,activity,1772323200000,steps,u1,
      """
    let reading = try Reading(content: text)
    #expect(reading.events.map(\.eventID) == ["e1", "e4", "e6"])
    #expect(reading.rejected.map(\.line) == [3, 4, 6, 7])
    #expect(reading.reasons == ["line_too_long", "line_too_long", "line_too_long", "csv_quotes"])
    #expect(reading.rejected.prefix(3).allSatisfy { $0.raw.count == 4_096 })
  }

  /// Reads one file in chunks of every small size.
  @Test func chunkBoundsChangeNothing() throws {
    let text = """
      \u{FEFF}\(header),note\r
      e1,activity,1772323200000,steps,u1,"a""b,
      c"\r
      \r
      e2,activity,x,steps,u1,\r
      e3,activity,1772323200000,steps,u1,"open\r
      e4,activity,1772323200000,steps,"u1",""
      """
    let expected = try Reading(content: text)
    #expect(expected.events.map(\.eventID) == ["e1", "e4"])
    for chunk in 1...40 {
      let reading = try Reading(content: Array(text.utf8), block: 16, chunk: chunk)
      #expect(reading.events.map(\.canonicalJSONBytes) == expected.events.map(\.canonicalJSONBytes))
      #expect(reading.reasons == expected.reasons)
      #expect(reading.rejected.map(\.line) == expected.rejected.map(\.line))
      #expect(reading.rejected.map(\.raw) == expected.rejected.map(\.raw))
    }
  }

  @Test func headersAreTold() throws {
    #expect(EventDecoder(csvHeader: Array("a,b".utf8)) == nil)
    #expect(EventDecoder(csvHeader: Array("event_id,event_id".utf8)) == nil)
    #expect(EventDecoder(csvHeader: Array(#""event_id","ts""#.utf8)) != nil)
  }
}
