import Basics
import EventModel
import EventSupport
import Foundation
import Testing

@testable import Ingest

/// Tests each key of the mapping language on a record of its own.
@Suite struct MappingLanguageTests {
  /// Reads one record as NDJSON by a mapping whose `fields` and other keys are given.
  private func read(_ record: String, _ keys: String = "", fields: String = "", events: String = "e: activity")
    throws -> Reading
  {
    let yaml = """
      {app: {value: a}, id: id, name: n, user: u, time: t, fields: {\(fields)}, events: {\(events)}\(keys.isEmpty ? "" : ", \(keys)")}
      """
    let mapping = try MappingFile(yaml: yaml, file: "m")
    return try Reading(Array(record.utf8), SourceSettings(mapping: mapping))
  }

  private func record(_ more: String = "", name: String = "e") -> String {
    #"{"id":"1","n":"\#(name)","u":"ann","t":1772323200\#(more.isEmpty ? "" : ",\(more)")}"#
  }

  /// Returns the entry point that a value of the mapping gives.
  private func value(_ source: String, of members: String) throws -> String? {
    try read(record(members), fields: "entry_point: \(source)").events.first?.entryPoint
  }

  @Test(arguments: [
    // Paths
    ("x.y", #""x":{"y":"1"}"#, "1"), ("x.y", #""x.y":"2","x":{"y":"1"}"#, "2"),
    (#""x[0]""#, #""x":["1","2"]"#, "1"), (#""x[-1]""#, #""x":["1","2"]"#, "2"),
    (#""x[key=k].value""#, #""x":[{"key":"j","value":"1"},{"key":"k","value":"2"}]"#, "2"),
    (#""x[key=k].value""#, #""x":[{"key":"k","value":{"string_value":null,"int_value":"3"}}]"#, "3"),
    (#""x.'b[0]'""#, #""x":{"b[0]":"1"}"#, "1"), ("x.y", #""x":"{\"y\":\"1\"}""#, "1"),
    ("'price [EUR]'", #""price [EUR]":"1""#, "1"), ("x", #""x":1"#, "1"), ("x", #""x":0"#, "0"),
    // Sources
    ("[x, y]", #""y":"1""#, "1"), ("[x, y]", #""x":"2","y":"1""#, "2"),
    ("{all: [x, y]}", #""x":"1","y":2"#, "1:2"), ("{all: [x, y], separator: '-'}", #""x":"1","y":2"#, "1-2"),
    // Texts for no value, unless the mapping says what they are
    ("[x, y]", #""x":"NULL","y":"1""#, "1"), ("{path: x, value: z}", #""x":"NaN""#, "z"),
    ("[x, y]", #""x":"none","y":"1""#, "none"), ("{path: x, values: {None: b}}", #""x":"None""#, "b"),
    ("{all: [x, y], value: z}", #""x":"1""#, "z"), ("{path: x, value: z}", "", "z"), ("{value: z}", "", "z"),
    // Steps
    ("{path: x, split: '.', at: 1}", #""x":"a.b.c""#, "b"), ("{path: x, split: '.', at: -1}", #""x":"a.b.c""#, "c"),
    ("{path: x, split: '.', at: 5, value: z}", #""x":"a.b.c""#, "z"),
    ("{path: x, values: {a: b}}", #""x":"a""#, "b"), ("{path: x, values: {a: b}}", #""x":"c""#, "c"),
    ("{path: x, values: {a: b, '*': d}}", #""x":"c""#, "d"), ("{path: x, values: {true: y}}", #""x":true"#, "y"),
    ("{path: x, values: {true: y}}", #""x":"T""#, "y"), ("{path: x, values: {false: n}}", #""x":0"#, "n"),
    ("{path: x, like: {'*YEAR*': yearly, '*': other}}", #""x":"pro.year.1""#, "yearly"),
    ("{path: x, like: {'a?c': yes}}", #""x":"abc""#, "yes"),
    ("{path: x, split: '.', at: 0, values: {a: b}, like: {'b': c}}", #""x":"a.z""#, "b"),
  ])
  func values(source: String, members: String, expected: String) throws {
    #expect(try value(source, of: members) == expected)
  }

  /// `history: complete` says of each payment that an earlier one would be there.
  @Test func aCompleteHistoryIsKeptWithThePayments() throws {
    let members = #""product_id":"pro.monthly","amount":"4.99","began":"2026-02-28T23:00:00Z""#
    func payment(_ keys: String, _ fields: String = "") throws -> Instant? {
      let all = "product_id: product_id, price: amount, currency: {value: USD}\(fields)"
      let reading = try read(record(members), keys, fields: all, events: "e: payment")
      #expect(reading.kinds == ["payment"], "\(reading.rejected)")
      return reading.events.first?.subscriptionStartedAt
    }
    #expect(try payment("") == nil)
    #expect(try payment("history: complete")?.description == "2026-03-01T00:00:00.000Z")
    #expect(try payment("", ", subscription_started_at: began")?.description == "2026-02-28T23:00:00.000Z")
    #expect(throws: ConfigurationError.self) { try payment("history: partly") }
  }

  /// The field of a line in quarantine says which key may be missing.
  @Test func quarantineNamesTheKeyThatIsMissing() throws {
    let comma = try read(record(#""amount":"59,99""#), fields: "price: amount, currency: {value: EUR}")
    #expect(comma.rejected.map(\.reason) == ["invalid:price"])
    #expect(comma.rejected[0].field == "price: 59,99 is not a number; `decimal: \",\"`?")
    let day = try read(#"{"id":"1","n":"e","u":"ann","t":"01/02/2026"}"#)
    #expect(day.rejected.map(\.reason) == ["invalid:ts"])
    #expect(day.rejected[0].field?.contains("dates: day-first") == true)
  }

  @Test func misspeltPathsAreNamed() throws {
    let mapping = try MappingFile(
      yaml: """
        {app: {value: a}, name: n, user: userID, time: t, fields: {country: land, price: amuont}, events: {e: activity}}
        """, file: "m")
    var settings = SourceSettings(mapping: mapping)
    let tally = PathTally(mapping)
    settings.paths = tally
    _ = try Reading(Array(#"{"n":"e","userId":"ann","t":1772323200,"amount":1}"#.utf8), settings)
    #expect(tally.misspelt == ["userID is in no record; userId is", "amuont is in no record; amount is"])
  }

  @Test func absentValues() throws {
    #expect(try value("{path: x, values: {a: null}}", of: #""x":"a""#) == nil)
    #expect(try value("{all: [x, y]}", of: #""x":"1""#) == nil)
    #expect(try value(#""x[2]""#, of: #""x":["1"]"#) == nil)
  }

  /// Exact decimals; 0.07 × 100 is no binary fraction.
  @Test(arguments: [
    (#""p":"1.234,56""#, "{path: p, decimal: ','}", 1_234_560_000),
    (#""p":"59,99""#, "{path: p, decimal: ','}", 59_990_000),
    (#""p":"1,234.56""#, "{path: p, decimal: '.'}", 1_234_560_000), (#""p":999"#, "{path: p, scale: 0.01}", 9_990_000),
    (#""p":"7""#, "{path: p, scale: 0.01}", 70_000), (#""p":"999","c":"EUR""#, "{path: p, scale: minor}", 9_990_000),
    (#""p":"999","c":"jpy""#, "{path: p, scale: minor}", 999_000_000),
    (#""p":"9990","c":"KWD""#, "{path: p, scale: minor}", 9_990_000),
    (#""p":"9,99 €""#, "{path: p, decimal: any}", 9_990_000), (#""p":"US$9.99""#, "{path: p, decimal: any}", 9_990_000),
    (#""p":"1.234,56""#, "{path: p, decimal: any}", 1_234_560_000),
    (#""p":"1,234.56""#, "{path: p, decimal: any}", 1_234_560_000),
    (#""p":"1.199""#, "{path: p, decimal: any}", 1_199_000_000),
    (#""p":"1,199""#, "{path: p, decimal: any}", 1_199_000_000),
    (#""p":"750""#, "{path: p, decimal: any}", 750_000_000),
  ])
  func money(members: String, source: String, expected: Int64) throws {
    let currency = members.contains("\"c\"") ? "c" : "{value: EUR}"
    let reading = try read(
      record(members), fields: "price: \(source), currency: \(currency)")
    #expect(reading.events.first?.price == expected, "\(reading.rejected)")
  }

  @Test func moneyThatIsNone() throws {
    #expect(
      try read(record(#""p":"5","c":"XXQ""#), fields: "price: {path: p, scale: minor}, currency: c").reasons
        == ["invalid:currency"])
    // A group of thousands does not stand behind a fraction.
    #expect(
      try read(record(#""p":"1.199,00""#), fields: "price: {path: p, decimal: '.'}, currency: {value: EUR}").reasons
        == ["invalid:price"])
    // A decimal point where a comma is expected is not taken for a group of thousands.
    #expect(
      try read(record(#""p":"4.99""#), fields: "price: {path: p, decimal: ','}, currency: {value: EUR}").reasons
        == ["invalid:price"])
  }

  /// 1 April 2026, 10:00 UTC is 1775037600.
  @Test(arguments: [
    ("t", "1775037600", "2026-04-01T10:00:00.000Z"), ("t", "1775037600123", "2026-04-01T10:00:00.123Z"),
    ("t", "1775037600123456", "2026-04-01T10:00:00.123Z"), ("t", "1775037600123456789", "2026-04-01T10:00:00.123Z"),
    ("t", "\"1775037600\"", "2026-04-01T10:00:00.000Z"),
    ("{path: t, epoch: us}", "1775037600123456", "2026-04-01T10:00:00.123Z"),
    ("{path: t, dates: day-first}", "\"01.04.2026 10:00\"", "2026-04-01T10:00:00.000Z"),
    ("{path: t, dates: day-first}", "\"1.4.26 10:00\"", "2026-04-01T10:00:00.000Z"),
    ("{path: t, dates: month-first}", "\"4/1/2026 10:05:09 AM\"", "2026-04-01T10:05:09.000Z"),
    ("{path: t, dates: month-first}", "\"4/1/2026 12:00 AM\"", "2026-04-01T00:00:00.000Z"),
    ("{path: t, dates: 'dd-MM-yyyy HH:mm:ss'}", "\"01-04-2026 10:00:00\"", "2026-04-01T10:00:00.000Z"),
    ("{path: t, zone: Europe/Berlin}", "\"2026-04-01 12:00:00\"", "2026-04-01T10:00:00.000Z"),
    // The clocks go from 2:00 to 3:00 on 29 March 2026: the offset before is one hour.
    ("{path: t, zone: Europe/Berlin}", "\"2026-03-29 02:30:00\"", "2026-03-29T01:30:00.000Z"),
    // They go from 3:00 to 2:00 on 25 October 2026: the first 2:30 is summer time.
    ("{path: t, zone: Europe/Berlin}", "\"2026-10-25 02:30:00\"", "2026-10-25T00:30:00.000Z"),
    ("{path: t, zone: Europe/Berlin}", "\"2026-04-01T10:00:00Z\"", "2026-04-01T10:00:00.000Z"),
  ])
  func times(source: String, time: String, expected: String) throws {
    let yaml = "{app: {value: a}, id: id, name: n, user: u, time: \(source), events: {e: activity}}"
    let mapping = try MappingFile(yaml: yaml, file: "m")
    let reading = try Reading(
      Array(#"{"id":"1","n":"e","u":"ann","t":\#(time)}"#.utf8), SourceSettings(mapping: mapping))
    #expect(reading.events.first?.ts.description == expected, "\(reading.rejected)")
  }

  @Test func otherFields() throws {
    let fields = "country: c, plan: p, trial_days: {path: d, unit: duration}"
    let event = try read(
      record(#""c":"Germany","p":"annual","d":"1 week""#), fields: fields, events: "e: trial_start"
    ).events.first
    #expect(event?.country == "DE" && event?.plan == .yearly && event?.trialDays == 7)
    let other = try read(
      record(#""c":"JPN","p":"12 months","d":"P14D""#), fields: fields, events: "e: trial_start"
    ).events.first
    #expect(other?.country == "JP" && other?.plan == .yearly && other?.trialDays == 14)
  }

  /// Lists give several events; exact names come before patterns.
  @Test func rules() throws {
    let list = "e: [{kind: activity}, {kind: paywall_dismissal, when: {x: 1}}, {kind: restore, when: {x: 2}}]"
    let two = try read(record(#""x":1"#), events: list)
    #expect(
      two.kinds == ["activity", "paywall_dismissal"] && two.events.map(\.eventID) == ["1", "1:paywall_dismissal"])
    let patterns = "'a_*': restore, a_b: activity, '*': paywall_dismissal"
    #expect(try read(record(name: "a_b"), events: patterns).kinds == ["activity"])
    #expect(try read(record(name: "a_c"), events: patterns).kinds == ["restore"])
    #expect(try read(record(name: "z"), events: patterns).kinds == ["paywall_dismissal"])
    let own = try read(record(#""v":"bob","w":"9""#), events: "e: {kind: activity, user: v, id: w}").events.first
    #expect(own?.userID == "bob" && own?.eventID == "9")
  }

  @Test(arguments: [
    ("{x: a}", true), ("{x: [b, a]}", true), ("{x: {not: a}}", false), ("{x: {exists: true}}", true),
    ("{z: {exists: true}}", false), ("{y: {gt: 4}}", true), ("{y: {le: 4}}", false), ("{x: {like: 'A*'}}", true),
    ("{x: a, y: 4}", false), ("{any: [{x: b}, {y: 5}]}", true), ("{all: [{x: a}, {y: 5}]}", true),
    ("{not: {x: a}}", false),
    ("{y: {ge: 5, lt: 6}}", true),
  ])
  func conditions(condition: String, holds: Bool) throws {
    let members = #""x":"a","y":5"#
    #expect(
      try read(record(members), events: "e: {kind: activity, when: \(condition)}").events.count == (holds ? 1 : 0))
    #expect(try read(record(members), "skip: \(condition)").events.count == (holds ? 0 : 1))
  }

  /// One identify a day and pair, at 00:00 UTC.
  @Test func joins() throws {
    let reading = try read(
      record(#""anon":"x""#) + "\n" + record(#""anon":"x""#) + "\n" + record(), "joins: [[u, anon]]")
    let joins = reading.events.filter { $0.kind == .identify }
    #expect(joins.count == 1 && joins.first?.previousUserID == "x" && joins.first?.userID == "ann")
    #expect(joins.first?.ts.description == "2026-03-01T00:00:00.000Z")
  }

  /// Records in a list of any document, and delimited text without a header.
  @Test func layouts() throws {
    let list = #"{"object": "list", "more": {"data": [{"n": "e"}]}, "data": ["# + record() + ", " + record() + "\n]}"
    #expect(try read(list, "records: data").kinds == ["activity", "activity"])
    // The inner list has one record, which has no id.
    #expect(try read(list, "records: more.data").reasons == ["missing:event_id"])
    let yaml =
      "{app: {value: a}, id: column1, user: column2, name: column3, time: column4, events: {e: activity}, csv: {header: false, delimiter: '|'}}"
    let mapping = try MappingFile(yaml: yaml, file: "m")
    let reading = try Reading(
      Array("1|ann|e|2026-03-01\n2|bob|e|2026-03-01\n".utf8), SourceSettings(mapping: mapping))
    #expect(reading.events.map(\.userID) == ["ann", "bob"])
    let all = try MappingFile(yaml: "{app: {value: a}, id: id, user: u, time: t, events: {'*': activity}}", file: "m")
    #expect(try Reading(Array(record().utf8), SourceSettings(mapping: all)).kinds == ["activity"])
  }

  /// Errors name what is allowed, and what was meant.
  @Test(arguments: [
    ("evnts: {}", "did you mean events?"), ("dates: weekly", "dates is weekly, but must be day-first"),
    ("zone: Mars", "zone is Mars, but must be a time zone"), ("currency: EURO", "ISO 4217"),
    ("version: 2", "version 1"),
    ("joins: [[a]]", "pairs of paths"), ("csv: {delimiter: ab}", "one character"),
    ("skip: {x: {greater: 1}}", "is not a key; expected one of not"),
    ("fields: {price: {path: a, scale: big}}", "or minor"),
    ("fields: {country: {path: a, scale: 1}}", "is not a key"), ("fields: {prise: a}", "did you mean price?"),
    ("fields: {reason: {path: a, at: 1}}", "needs split"),
    ("skip: {all: [{all: [{all: [{all: [{all: [{all: [{all: [{all: [{x: 1}]}]}]}]}]}]}]}]}", "nested more than 8 deep"),
  ])
  func mistakes(keys: String, message: String) {
    do throws(ConfigurationError) {
      _ = try MappingFile(yaml: "{name: n, user: u, time: t, events: {x: activity}, \(keys)}", file: "m")
      Issue.record("\(keys) was taken")
    } catch {
      #expect(error.description.contains(message), "\(error)")
    }
  }

  /// Comments and the order of keys do not change the meaning; values do.
  @Test func digestIsOfTheMeaning() throws {
    func digest(_ yaml: String) throws -> String { try MappingFile(yaml: yaml, file: "m").digest }
    let one = try digest("name: n\nuser: u\ntime: t\nevents: {x: activity}\n")
    #expect(try digest("# c\ntime: t\nuser: u\nname: n\nevents: {x: activity}") == one)
    #expect(try digest("name: n\nuser: v\ntime: t\nevents: {x: activity}\n") != one)
  }

  /// 999 cents are 9.99 USD; a millionth has six decimals.
  @Test func explanationsSayWhatAmountsAreMultipliedBy() throws {
    let fields = "fields: {price: {path: cents, scale: minor}, price_usd: {path: micros, scale: 0.000001}}"
    let mapping = try MappingFile(yaml: "{name: n, user: u, time: t, events: {x: activity}, \(fields)}", file: "m")
    #expect(mapping.explanation.contains("price: cents, in the smallest unit of its currency: 999 is 9.99 USD"))
    #expect(mapping.explanation.contains("price_usd: micros × 0.000001"), "\(mapping.explanation)")
  }
}
