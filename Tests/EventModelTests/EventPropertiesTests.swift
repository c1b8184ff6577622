import EventModel
import EventSupport
import Testing

@Suite struct EventPropertiesTests {
  @Test func namesAreSortedByBytesTheLastWinsAndEmptyOnesAreAbsent() {
    let properties = EventProperties([("b", "1"), ("a", "x"), ("é", "2"), ("b", "3"), ("c", ""), ("Z", "4")])
    #expect(String(decoding: properties.json, as: UTF8.self) == #"{"Z":"4","a":"x","b":"3","é":"2"}"#)
    #expect(properties["b"] == "3")
    #expect(properties["c"] == nil)
    #expect(EventProperties([("a", "")]) == .none)
  }

  @Test func namesThatDifferInCodePointsOnlyStayDistinct() {
    let properties = EventProperties([("\u{E9}", "composed"), ("e\u{301}", "decomposed")])
    #expect(properties["\u{E9}"] == "composed")
    #expect(properties["e\u{301}"] == "decomposed")
    #expect(properties.pairs.count == 2)
  }

  @Test func everyCharacterComesBack() {
    let name = String(String.UnicodeScalarView((0...0x2FF).map { Unicode.Scalar($0)! }))
    let value = "\"\\\u{0}\u{1F}日🇩🇪" + name
    let properties = EventProperties([(name, value), ("z", "1")])
    #expect(properties[name] == value)
    #expect(properties["z"] == "1")
    #expect(properties.pairs.map { Array($0.value.utf8) } == [Array(value.utf8), Array("1".utf8)])
  }
}
