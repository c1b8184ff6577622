import EventModel
import EventSupport
import Ingest
import Testing

@Suite struct RecordContentsTests {
  /// Lines with every field of Events.md, some with characters that JSON escapes, and lines with only the required
  /// fields.
  private static let lines = [
    """
    {"event_id":"1\\u0001","event":"paywall_impression","app":"a\\"b","user_id":"ü\\\\1","ts":1772323200000,\
    "received_at":1772323200500,"platform":"ios","store":"app_store","country":"us","app_version":"1.2","environment":"sandbox",\
    "entry_point":"x\\ty","experiment":"e","variant":"v","paywall":"p","offering":"o","price_weekly":"0.05","price_monthly":9.99,\
    "price_yearly":"59.990001","price_lifetime":100,"tier":"family","currency":"eur","campaign":"c\\n"}
    """,
    """
    {"event_id":"2","event":"conversion","app":"a","user_id":"u","ts":"2026-03-01T00:00:00Z","product_id":"p","plan":"yearly",\
    "price":"120.5","currency":"EUR","price_usd":131.25,"tax_percentage":0.19,"commission_percentage":0.15,"subscription_id":"s",\
    "transaction_id":"t","expires_at":1803859200000,"ownership":"family_shared","offer_type":"win_back","offer_code":"c"}
    """,
    """
    {"event_id":"3","event":"gate_hit","entry_point":"e","app":"a","user_id":"u","ts":1772323200000,"limit_name":"exports","limit":10,"used":2.5}
    """,
    """
    {"event_id":"4","event":"trial_start","app":"a","user_id":"u","ts":1772323200000,"product_id":"p","trial_days":7,\
    "trial_ends_at":1772928000000,"plan":"monthly"}
    """,
    """
    {"event_id":"5","event":"cancellation","app":"a","user_id":"u","ts":1772323200000,"product_id":"p"}
    """,
    """
    {"event_id":"6","event":"billing_issue","app":"a","user_id":"u","ts":1772323200000,"product_id":"p",\
    "grace_ends_at":1772928000000,"reason":"billing"}
    """,
    """
    {"event_id":"7","event":"plan_change","app":"a","user_id":"u","ts":1772323200000,"product_id":"p","plan":"monthly","previous_product_id":"q"}
    """,
    """
    {"event_id":"8","event":"identify","app":"a","user_id":"u","ts":1772323200000,"previous_user_id":"device"}
    """,
    """
    {"event_id":"10","event":"payment","app":"a","user_id":"u","ts":1772323200000,"product_id":"p","plan":"monthly","price":1,\
    "currency":"EUR","subscription_started_at":1772323199999}
    """,
    """
    {"event_id":"9","event":"activity","app":"a","user_id":"u","ts":1772323200000}
    """,
  ]

  /// The bytes of a record's content equal those of its event, which `EventCanonicalJSONTests` checks.
  @Test func contentIsThatOfTheEvent() throws {
    let decoder = try #require(EventDecoder())
    for (number, line) in Self.lines.enumerated() {
      #expect(decoder.decode(Array(line.utf8), number: number + 1) == nil, "\(line)")
    }
    let batch = decoder.takeBatch()
    #expect(batch.records.count == Self.lines.count)
    batch.withRecordContents { contents in
      for record in batch.records {
        var json = Array("before ".utf8)
        contents.appendCanonicalJSON(of: record, to: &json)
        let event = Event(batch: batch, record: record)
        #expect(String(decoding: json, as: UTF8.self) == "before \(event.canonicalJSON())")
        #expect(contents.user(record.user).elementsEqual(event.userID.utf8))
        #expect(contents.text(record.eventID)?.elementsEqual(event.eventID.utf8) == true)
      }
    }
  }

  /// Expected values are the digits printed by `String`.
  @Test(arguments: [0, 7, 10, 1_772_323_200_000, -1, .max, .min] as [Int64])
  func digitsOfIntegers(value: Int64) {
    var text: [UInt8] = []
    DecimalDigits.append(value, to: &text)
    #expect(String(decoding: text, as: UTF8.self) == String(value))
  }
}
