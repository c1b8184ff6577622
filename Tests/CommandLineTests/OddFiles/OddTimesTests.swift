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

  /// 08:00 and 08:05 in Berlin, in winter an hour ahead of UTC.
  @Test(arguments: ["Europe/Berlin", "+01:00", "60", "3600", "CET"])
  func localTimesHaveTheirZoneInAnotherColumn(zone: String) throws {
    let lines = [
      "id,local_time,user_id,event,product_id,price,currency,utc_offset",
      "v,2026-01-05 08:00:00,u1,paywall_viewed,,,,\(zone)",
      "p,2026-01-05 08:05:00,u1,subscription_started,pro_monthly,9.99,USD,\(zone)",
      "x,2026-02-28 08:00:00,u99,paywall_viewed,,,,UTC",
    ]
    let found = try OddFile(lines).read()
    #expect(found.funnel == [1, 0, 0, 1, 1], "\(found)")
    #expect(found.said.contains("\"ts\":\"2026-01-05T07:00:00.000Z\""), "\(found.said)")
    let others = try OddFile([lines[0].replacing("local_time", with: "timestamp")] + lines.dropFirst()).read()
    #expect(others.said.contains("! timestamp is read as UTC, though utc_offset has zones"), "\(others.said)")
  }

  /// The time of the partition is the event's day.
  @Test func aTimeOnTheSameDayIsTakenInPlaceOfTheDay() throws {
    let found = try OddFile([
      "id,event_date,event_ts,user_id,event,product_id,price,currency",
      "v,2026-01-05,1767600000,u1,paywall_viewed,,,",
      "p,2026-01-05,1767600300,u1,subscription_started,pro_monthly,9.99,USD",
      "x,2026-02-28,1772265600,u99,paywall_viewed,,,",
    ]).read()
    #expect(found.funnel == [1, 0, 0, 1, 1] && !found.said.contains("without the time of day"), "\(found)")
  }

  /// A line of totals behind 120 events is no reason not to measure the trials of 20 users, which last 7 days.
  @Test func aLineOfTotalsIsLeftOut() throws {
    let lines = (0..<20).flatMap { user in
      let day = user % 9 + 1
      return (0..<4).map { "2026-01-0\(day)T08:0\($0):00Z,u\(user),App opened,," } + [
        "2026-01-0\(day)T08:05:00Z,u\(user),Trial started,pro_monthly,",
        "2026-01-\(day + 7 < 10 ? "0" : "")\(day + 7)T08:05:00Z,u\(user),Subscription started,pro_monthly,9.99",
      ]
    }
    let found = try OddFile(
      ["When,Customer,What happened,Plan,Amount"] + lines + ["Total,,120 events,,199.80"], "--currency", "USD"
    ).read()
    #expect(found.said.contains("assumed: trials last 7 days"), "\(found.said)")
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
