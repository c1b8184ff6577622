import Testing

/// Several times in a record, records that were loaded twice, and trials of several lengths.
@Suite struct OddTimesTests {
  /// The payment comes 5 minutes after the view; the records arrive two days later, in the other order.
  @Test(arguments: [["timestamp", "event_time"], ["created_at", "occurred_at"], ["server_time", "client_timestamp"]])
  func theTimeAtWhichAnEventHappenedIsItsTime(columns: [String]) throws {
    let lines = [
      "id,\(columns[0]),user_id,event,product_id,price,currency,\(columns[1])",
      "v,2026-01-09T08:00:00Z,u1,paywall_viewed,,,,2026-01-05T08:00:00Z",
      "p,2026-01-07T08:00:00Z,u1,subscription_started,pro_monthly,9.99,USD,2026-01-05T08:05:00Z",
      "x,2026-02-28T08:00:00Z,u99,paywall_viewed,,,,2026-02-28T07:00:00Z",
    ]
    let found = try OddFile(lines).read()
    #expect(found.funnel == [1, 0, 0, 1, 1], "\(found)")
    let set = try OddFile(lines, "--set", "ts=\(columns[0])").read()
    #expect(set.funnel == [1, 0, 0, 0, 0], "\(set)")
  }

  @Test func twoTimesThatMayBeMeantAreSaid() throws {
    let lines = [
      "id,created_at,user_id,event,product_id,price,currency,timestamp",
      "v,2026-01-09T08:00:00Z,u1,paywall_viewed,,,,2026-01-05T08:00:00Z",
      "p,2026-01-07T08:00:00Z,u1,subscription_started,pro_monthly,9.99,USD,2026-01-05T08:05:00Z",
      "x,2026-02-28T08:00:00Z,u99,paywall_viewed,,,,2026-02-28T07:00:00Z",
    ]
    let found = try OddFile(lines).read()
    #expect(
      found.said.contains("! timestamp is read as the time of the events, but created_at may be it"), "\(found.said)")
    #expect(found.funnel == [1, 0, 0, 1, 1], "\(found)")
  }

  /// Each record was loaded twice.
  @Test(arguments: ["received_at", "_extracted_at"])
  func recordsThatWereLoadedTwiceCountOnce(column: String) throws {
    let lines = [
      "2026-01-05T08:00:00Z,u1,paywall_viewed,,,", "2026-01-05T08:05:00Z,u1,subscription_started,pro_monthly,9.99,USD",
      "2026-02-28T08:00:00Z,u99,paywall_viewed,,,",
    ].flatMap { ["\($0),2026-03-01T08:00:00Z", "\($0),2026-03-02T08:00:00Z"] }
    let found = try OddFile(["timestamp,user_id,event,product_id,price,currency,\(column)"] + lines).read()
    #expect(found.funnel == [1, 0, 0, 1, 1] && found.gross == "9.99", "\(found)")
    #expect(found.said.contains("3 events, 3 duplicates"), "\(found.said)")
  }

  /// Monthly trials last 3 days, yearly ones 14; 6 of each are paid.
  @Test func trialsOfSeveralLengthsAreMeasuredByProduct() throws {
    func lines(_ product: String, _ days: Int, _ first: Int) -> [String] {
      (first..<first + 6).flatMap { user in
        [
          OddFile.view("u\(user)", day: user % 6 + 1, ",,"),
          OddFile.event("trial_started", "u\(user)", day: user % 6 + 1, "\(product),,"),
          OddFile.event("trial_converted", "u\(user)", day: user % 6 + 1 + days, "\(product),9.99,USD"),
        ]
      }
    }
    let found = try OddFile(
      ["id,timestamp,user_id,event,product_id,price,currency"] + lines("pro_monthly", 3, 0) + lines("pro_yearly", 14, 6)
        + [OddFile.last(",,")]
    ).read()
    #expect(found.funnel == [12, 12, 12, 0, 12], "\(found)")
    #expect(found.said.contains("in days: pro_monthly 3, pro_yearly 14"), "\(found.said)")
  }
}
