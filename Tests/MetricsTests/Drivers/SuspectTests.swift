import Metrics
import Reports
import Testing

/// Suspects of a change, and faults of the data (definitions 10.8, 10.10), derived by hand. Day 0 is 1 January 2026.
struct SuspectTests {
  private typealias Events = ExperimentEvents

  /// 30 viewers a day from day 0 to 17, but none on day 6. Of the experiment `old`, 15 see `a` and 15 `b`, from day 13 on 25
  /// and 5. From day 14 on, the yearly plan costs 49.99 instead of 59.99. On day 16, the 25 of `a` take a promotional offer.
  /// The events of day 15 are received 2 days late, all others at once. `new` starts on day 12 and goes on to day 35.
  private static let store = Result {
    var lines: [String] = []
    for number in 0..<18 where number != 6 {
      for viewer in 0..<30 {
        let user = "u\(number)-\(viewer)"
        let ms = Events.days(Int64(number), ms: Int64(viewer) * 60_000)
        let variant = viewer < (number < 13 ? 15 : 25) ? "a" : "b"
        let received = Events.start + ms + (number == 15 ? 2 * Events.day : 0) + 1_000
        lines.append(
          Events.line(
            "paywall_impression", user, ms: ms,
            #","entry_point":"map","paywall":"main","experiment":"old","variant":"\#(variant)","currency":"USD","#
              + #""price_monthly":9.99,"price_yearly":\#(number < 14 ? 59.99 : 49.99),"received_at":\#(received)"#))
        if number == 16, variant == "a" {
          lines.append(
            Events.line(
              "conversion", user, ms: ms + 1_000,
              #","plan":"yearly","product_id":"pro","price":30,"currency":"USD","offer_type":"promotional""#))
        }
      }
    }
    for (user, number) in (0..<10).map({ ("e\($0)", Int64(12)) }) + [("last", 35)] {
      lines.append(
        Events.line("exposure", user, ms: Events.days(number), #","experiment":"new","variant":"\#(user.suffix(1))""#))
    }
    let end = Events.line(
      "activity", "end", ms: Events.days(40, ms: -1), #","received_at":\#(Events.start + Events.days(40))"#)
    return try TestStore(lines: lines + [end])
  }

  /// Days 11 to 17 against days 4 to 10.
  private func report(in store: TestStore? = nil) throws -> Report {
    var request = ReportRequest(.funnel)
    request.options = try ReportOptions(arguments: ["--from", "2026-01-12", "--to", "2026-01-19", "--horizon", "1"])
    request.drivers = DriverQuestion(column: "paid_rate")
    return try #require(try (store ?? Self.store.get()).store.read { try request.table($0) })
  }

  private func rows(_ verdict: String, _ names: String..., in store: TestStore? = nil) throws -> [String] {
    try report(in: store).values(ofVerdict: verdict, names).map { row in
      row.map { value in
        switch value {
        case .text(let text): text
        case .count(let count): "\(count)"
        case .rate(let share?): "\((share * 1e6).rounded() / 1e6)"
        default: ""
        }
      }.joined(separator: " | ")
    }
  }

  /// Viewers of `old` are all: 6 days and 7 days of 30. Its shares are 90 and 90 before. Up to day 14 they are 80 and 40, χ² =
  /// 144 (1/102 + 1/78 + 1/68 + 1/52) = 8.1 and p 0.004; up to day 15 they are 105 and 45, χ² = 16.36² (1/106.4 + 1/73.6 +
  /// 1/88.6 + 1/61.4) = 13.5 and p 0.0002, below 0.001. Its last users come on day 17, and the data end on day 40.
  /// `a`, whose viewers alone pay, is the driver, and the price has its viewers: all saw one paywall. It showed the old price
  /// to 15, 15 and 25 viewers and the new one to 100, `b` to 15, 15 and 5 and to 20.
  @Test func experimentsPricesAndOffersAreSuspects() throws {
    #expect(
      try rows("suspect", "rank", "cut", "segment", "part", "before_n", "now_n") == [
        " | experiment | experiment=new | 2026-01-13 started | 0 | 0",
        " | experiment | experiment=old | 2026-01-16 shares moved | 180 | 210",
        " | experiment | experiment=old | 2026-01-18 ended | 180 | 210",
        "1 | price | variant=a,paywall=main | 2026-01-15 9.99 and 59.99 → 9.99 and 49.99 USD | 90 | 155",
        " | product | product=pro | 2026-01-17 new | 0 | 25",
        " | offer_type | offer_type=promotional | 2026-01-17 new | 0 | 25",
      ])
    let text = try render(report(), as: .table)
    for words in ["started 13 Jan", "shares moved 16 Jan", "ended 18 Jan"] {
      #expect(text.contains(words), "\(text)")
    }
  }

  /// Half of the viewers of `a` pay and a sixth of those of `b`. Of 60 viewers a day 6 see `b`, from day 11 on 54 do.
  @Test func anExperimentWhoseSharesMovedIsBehindTheShareOfAVariant() throws {
    let lines = (0..<18).flatMap { day in
      (0..<60).flatMap { number -> [String] in
        let isOfA = number < (day < 11 ? 54 : 6)
        return viewer(
          day, number, #","experiment":"hello","variant":"\#(isOfA ? "a" : "b")""#,
          pays: isOfA ? number % 2 == 0 : number % 6 == 5)
      }
    }
    let text = try report(in: TestStore(lines: lines + [Self.end])).definition[0]
    #expect(text.contains("mostly in variant b: its share of the users rose from 10.0% to 90.0%"))
    #expect(text.hasSuffix("Look first at experiment hello, shares moved on 2026-01-12"))
  }

  /// As above, beside another test, `alpha`, of 60 viewers a day, of whom a third pay in either variant: 6 see `y`, from
  /// day 9 on 54 do.
  @Test func anotherExperimentWhoseSharesMovedIsNotBehindTheShareOfAVariant() throws {
    let lines = (0..<18).flatMap { day in
      (0..<120).flatMap { number -> [String] in
        if number >= 60 {
          let isOfX = number < (day < 9 ? 114 : 66)
          return viewer(
            day, number, #","experiment":"alpha","variant":"\#(isOfX ? "x" : "y")""#, pays: number % 3 == 0)
        }
        let isOfA = number < (day < 11 ? 54 : 6)
        return viewer(
          day, number, #","experiment":"hello","variant":"\#(isOfA ? "a" : "b")""#,
          pays: isOfA ? number % 2 == 0 : number % 6 == 5)
      }
    }
    let text = try report(in: TestStore(lines: lines + [Self.end])).definition[0]
    #expect(text.contains("mostly in variant b") && !text.contains("alpha"))
  }

  private func viewer(_ day: Int, _ number: Int, _ client: String, pays: Bool = false) -> [String] {
    let (user, ms) = ("u\(day)-\(number)", Events.days(Int64(day), ms: Int64(number) * 60_000))
    let paywall = #","entry_point":"map","paywall":"main""#
    return [Events.line("paywall_impression", user, ms: ms, client + paywall)]
      + (pays ? [Events.conversion(user, ms: ms + 1_000, "30")] : [])
  }

  private static let end = Events.line("activity", "end", ms: Events.days(40, ms: -1))

  /// Of 30 viewers a day 10 each are in FR, GB and US, half of them of each variant. From day 14 on the yearly plan costs 89.99
  /// in GB, and 79.99 for variant `a` in FR. In all, 65 of 105 views of `a` and 85 of `b` showed 59.99 on days 11 to 17, so
  /// only single countries have a new price: after 15 views of the old one 20 of the new one.
  @Test func aPriceOfOneCountryIsASuspect() throws {
    let lines = (4..<18).flatMap { day in
      (0..<30).flatMap { number -> [String] in
        let (country, variant) = (["FR", "GB", "US"][number / 10], number % 2 == 0 ? "a" : "b")
        let isNew = day >= 14 && (country == "GB" || country == "FR" && variant == "a")
        let yearly = isNew ? country == "GB" ? 89.99 : 79.99 : 59.99
        return viewer(
          day, number,
          #","country":"\#(country)","variant":"\#(variant)","currency":"USD","price_monthly":9.99,"#
            + #""price_yearly":\#(yearly)"#)
      }
    }
    let store = try TestStore(lines: lines + [Self.end])
    let found = try rows("suspect", "cut", "segment", "part", "before_n", "now_n", in: store)
    #expect(
      found.sorted() == [
        "price | country=GB | 2026-01-15 9.99 and 59.99 → 9.99 and 89.99 USD | 70 | 70",
        "price | variant=a,paywall=main,country=FR | 2026-01-15 9.99 and 59.99 → 9.99 and 79.99 USD | 35 | 35",
      ])
  }

  /// Of 30 viewers a day, 10 in GB see pounds and 20 in US dollars. From day 14 on, the yearly plan costs 89.99 pounds: 40 of
  /// the 70 views now show it. Only GB has pounds, so its viewers are those that the change touches.
  @Test func aPriceInTheCurrencyOfOneCountryIsThatCountrys() throws {
    let lines = (4..<18).flatMap { day in
      (0..<30).flatMap { number -> [String] in
        let (country, currency) = number < 10 ? ("GB", "GBP") : ("US", "USD")
        let yearly = day >= 14 && country == "GB" ? 89.99 : 59.99
        return viewer(
          day, number,
          #","country":"\#(country)","currency":"\#(currency)","price_monthly":9.99,"price_yearly":\#(yearly)"#)
      }
    }
    let found = try rows(
      "suspect", "cut", "segment", "part", "before_n", "now_n", in: try TestStore(lines: lines + [Self.end]))
    #expect(found == ["price | country=GB | 2026-01-15 9.99 and 59.99 → 9.99 and 89.99 GBP | 70 | 70"])
  }

  /// One in five of 60 viewers a day pays, on each platform. From day 12 on, half of the viewers have version 2, in which
  /// nobody pays on android: 0 of 90, while on ios 18 of 90 pay. z of the pair is −6.7, of version 2 −2.9.
  @Test func aVersionThatFailsOnOnePlatformIsNamedWithIt() throws {
    let lines = (4..<18).flatMap { day in
      (0..<60).flatMap { number -> [String] in
        let (platform, version) = (number % 2 == 0 ? "ios" : "android", day < 12 || number < 30 ? "1" : "2")
        return viewer(
          day, number, #","platform":"\#(platform)","app_version":"\#(version)""#,
          pays: number % 5 == 0 && (platform == "ios" || version == "1"))
      }
    }
    let store = try TestStore(lines: lines + [Self.end])
    let pair = "platform=android,app_version=2"
    #expect(try rows("driver", "rank", "segment", "part", "now_n", in: store) == ["1 | \(pair) | mix | 90"])
    #expect(
      try rows("suspect", "rank", "cut", "segment", "part", "before_n", "now_n", in: store) == [
        "1 | platform,app_version | \(pair) | 2026-01-13 | 0 | 90"
      ])
  }

  /// Payers of 400 viewers in US fall from 120 to 60, of 60 in FR they rise from 3 to 36, of 400 in DE they stay 120: in all
  /// 28.3%, then 25.1%. FR stands out more (0.55 ÷ √(0.0475 ÷ 60 + 0.24 ÷ 60) = 7.9), but US pulls down: −0.15 of half of
  /// the others.
  @Test func driversThatPullAsTheNumberMovedComeFirst() throws {
    let lines = [(6, 3, 120), (13, 36, 60)].flatMap { day, ofFR, ofUS in
      (0..<860).flatMap { number -> [String] in
        let (country, place, paying) =
          number < 60 ? ("FR", number, ofFR) : number < 460 ? ("US", number - 60, ofUS) : ("DE", number - 460, 120)
        return viewer(day, number, #","country":"\#(country)""#, pays: place < paying)
      }
    }
    #expect(
      try rows("driver", "rank", "segment", "part", in: TestStore(lines: lines + [Self.end])) == [
        "2 | country=US | rate", "1 | country=FR | rate",
      ])
  }

  /// A failed charge of 10 February counts when 60 days are over; the data end on 1 March.
  @Test func aFailedChargeSaysWhenItCounts() throws {
    let lines = [
      Events.conversion("a", ms: Events.days(9), "10"),
      Events.line("billing_issue", "a", ms: Events.days(40), #","plan":"monthly","product_id":"pro""#),
      Events.line("activity", "end", ms: Events.days(59)),
    ]
    var request = ReportRequest(.recovery)
    request.options = try ReportOptions(arguments: ["--from", "2026-02-09", "--to", "2026-02-16"])
    request.drivers = DriverQuestion(column: "recovered_rate")
    let report = try #require(try TestStore(lines: lines).store.read { try request.table($0) })
    #expect(
      report.emptyNote == "Not known: no failed charge of these days or the days before counts yet; each counts after "
        + "60 days, those of these days from 2026-04-17 on.")
  }

  /// Nothing came on day 6, and no payment on day 17, the day after the first ones. Of 210 events with `received_at`, 30 came
  /// late.
  @Test func faultsOfTheDataComeFirst() throws {
    #expect(
      try rows("data", "cut", "segment", "part", "before_n", "now_n", "before_share", "now_share") == [
        "days | days without an event | 2026-01-07 | 1 | 0 | \(142_857 / 1e6) | 0.0",
        "days | days without an event of conversions | 2026-01-18 | 0 | 1 | 0.0 | \(142_857 / 1e6)",
        "late | events received over 1 d late |  | 0 | 30 | 0.0 | \(142_857 / 1e6)",
      ])
  }

  /// Version 2 is there from day 9 on and version 3 from day 13 on. Of days 11 to 17 against days 4 to 7 the first day of
  /// version 2 is not known, as it lies between the two sides.
  @Test func aVersionFromBetweenTheSidesHasNoFirstDay() throws {
    let lines = (0..<18).flatMap { day in
      (0..<30).flatMap { user in
        let version = day < 9 ? 1 : day < 13 || user < 15 ? 2 : 3
        let (name, ms) = ("u\(day)-\(user)", Events.days(Int64(day), ms: Int64(user) * 60_000))
        let client = #","app_version":"\#(version)""#
        let view = Events.line("paywall_impression", name, ms: ms, client + #","entry_point":"map","paywall":"main""#)
        let paid = #","plan":"yearly","product_id":"pro","price":30,"currency":"USD""#
        return user % 5 > 0 ? [view] : [view, Events.line("conversion", name, ms: ms + 1_000, client + paid)]
      }
    }
    let store = try TestStore(lines: lines + [Events.line("activity", "end", ms: Events.days(40, ms: -1))])
    let days = ["from": "2026-01-12", "to": "2026-01-19", "horizon": "1", "compare": "2026-01-05..2026-01-09"]
    var request = try ReportRequest(.funnel, days.map { ReportRequest.Given($0.key, [$0.value]) })
    request.drivers = DriverQuestion(column: "paid_rate")
    let report = try #require(try store.store.read { try request.table($0) })
    func texts(_ name: String) throws -> [String] {
      let place = try #require(report.columns.firstIndex { $0.name == name })
      return report.rows.filter { $0.contains(.text("suspect")) }.map { row in
        if case .text(let text) = row[place] { text } else { "" }
      }
    }
    #expect(try texts("segment") == ["app_version=2", "app_version=3"])
    #expect(try texts("part") == ["", "2026-01-14"])
  }

  @Test func theLastStepThatCountsIsExplained() throws {
    func column(_ words: [ReportRequest.Given]) throws -> String { try ReportRequest(.paths, words).driverColumn }
    #expect(try column([]) == "paid_rate" && column([.init("to-step", ["started"])]) == "started_rate")
    #expect(try column([.init("to-step", ["nothing"])]) == "paid_rate")
  }
}
