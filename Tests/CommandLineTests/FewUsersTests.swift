import Testing

/// Outputs for few users and for data without some kinds of events: counts, and no number that they do not support.
@Suite struct FewUsersTests {
  /// Viewers of each variant on 1 January, of whom the first ones pay at once; the data end on 1 March.
  private static func events(_ variants: [(name: String, viewers: Int, payers: Int)]) -> String {
    variants.map { name, viewers, payers in
      (0..<viewers).map { number in
        let (user, day) = ("\(name)\(number)", "2026-01-01T10:00:00Z")
        let view = Folder.event(
          "paywall_impression", "v-\(user)", day, user: user,
          #","entry_point":"settings","experiment":"test","variant":"\#(name)""#)
        if number >= payers { return view }
        return view
          + Folder.event(
            "conversion", "c-\(user)", day, user: user,
            #","plan":"monthly","product_id":"pro","price":6.99,"currency":"EUR""#)
      }.joined()
    }.joined() + Folder.event("activity", "z", "2026-03-01T00:00:00Z", user: "z")
  }

  private static func said(_ variants: [(String, Int, Int)], _ arguments: String...) throws -> String {
    try Folder.with { folder in
      try folder.write(events(variants), to: "events.jsonl")
      _ = try folder.run("ingest", "events.jsonl")
      let result = try Program.run(arguments, in: folder.url)
      #expect(result.status == 0, "\(result.errors)")
      return (result.output + result.errors).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  @Test func aTestWithOneVariantHasNoVerdict() throws {
    let text = try Self.said([("control", 10, 1)], "experiment", "test", "--width", "80")
    #expect(text.contains("NO VERDICT: only one variant was seen."), "\(text)")
  }

  /// 5 of 8 against 0 of 8 is a lift of +1,000% only with half a payer added to both.
  @Test func aLiftOfFewIsNotShown() throws {
    let text = try Self.said([("control", 8, 0), ("b", 8, 5)], "program", "--width", "80")
    #expect(text.contains("undecided b too few") && !text.contains("1,000%"), "\(text)")
  }

  @Test func aStoreWithoutTestsHasEvents() throws {
    let text = try Folder.with { folder in
      try folder.write(Folder.event("activity", "z", "2026-03-01T00:00:00Z", user: "z"), to: "events.jsonl")
      _ = try folder.run("ingest", "events.jsonl")
      let result = try folder.run("program")
      return result.output + result.errors
    }
    #expect(text.contains("The store has no experiments") && !text.contains("no events yet"), "\(text)")
  }

  /// 29 and 3 of 32 users: χ² = 13² ÷ 16 · 2 = 21.1, p < 0.0001 in one look. All of them have one platform, which is no
  /// segment.
  @Test func aSplitThatOneLookCallsOffIsNotCalledEven() throws {
    let text = try Self.said([("control", 29, 2), ("b", 3, 1)], "experiment", "test", "--width", "200")
    #expect(text.contains("The split may be off: control 29, b 3 (p < 0.0001 in one look)."), "\(text)")
    #expect(text.contains("The check for daily looks does not call it off yet."), "\(text)")
    #expect(!text.contains("even split") && !text.contains("within platform"), "\(text)")
  }

  /// Shares of payments and of payment sheets are unknown where the data have none of them, as in `funnel`.
  @Test(arguments: ["paths", "cadence", "value"]) func sharesOfWhatTheDataLackAreNotShown(report: String) throws {
    let unpaid = try Self.said([("control", 12, 0)], report)
    #expect(unpaid.contains("demo has no payments, so how many paid is not known."), "\(unpaid)")
    #expect(!unpaid.contains("0.0%"), "\(unpaid)")
  }

  @Test func sheetsThatNobodySendsAreNotCounted() throws {
    let text = try Self.said([("control", 12, 1)], "paths")
    #expect(text.contains("demo has no purchase_started events, so how many opened the payment sheet is not known."))
    #expect(!text.contains("0.0%"), "\(text)")
  }

  /// The home page says of 12 viewers without any payment in the data what `funnel` says.
  @Test func theHomePageHasNoShareOfPayers() throws {
    let page = try Folder.with { folder in
      try folder.write(Self.events([("control", 12, 0)]), to: "events.jsonl")
      _ = try folder.run("ingest", "events.jsonl")
      #expect(try folder.run("report", "--output", "out").status == 0)
      return try folder.text(of: "out/index.html")
    }
    let tile = try #require(page.split(separator: "<h2>Viewers who pay</h2>").dropFirst().first).prefix(200)
    #expect(tile.contains("no payments yet") && !tile.contains("%"), "\(tile)")
  }

  @Test func onePaymentIsNotCalledPayments() throws {
    let text = try Self.said([("control", 3, 1)], "revenue", "--from", "2026-02-01", "--to", "2026-02-08")
    #expect(text.contains("In all days: 1 payment."), "\(text)")
  }
}
