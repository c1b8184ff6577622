import EventModel
import Foundation
import Testing

@testable import Metrics

/// Questions to `why` as readers ask them. Day 0 is 1 January 2026, a Thursday.
struct DriverQuestionTests {
  private typealias Events = ExperimentEvents

  /// The first and the last event of the data, so that they have all of the days before.
  private static func end(_ number: Int64) -> String {
    [0, number].map { Events.line("activity", "end", ms: Events.days($0)) }.joined(separator: "\n")
  }

  private func report(_ kind: ReportKind, _ column: String, _ lines: [String], days: String...) throws -> Report {
    var request = ReportRequest(kind)
    request.options = try ReportOptions(arguments: days)
    request.drivers = DriverQuestion(column: column)
    return try #require(try TestStore(lines: lines).store.read { try request.table($0) })
  }

  /// Returns columns of the rows of a verdict.
  private func rows(_ report: Report, _ verdict: String, _ names: String...) throws -> [String] {
    return try report.values(ofVerdict: verdict, names).map { row in
      row.map { value in
        switch value {
        case .text(let text): text
        case .count(let count): "\(count)"
        case .number(let number?): "\(number)"
        default: "?"
        }
      }.joined(separator: " ")
    }
  }

  /// 10 trials of 7 days start each day. On 12 February those of the week from 26 January are over, with 3 days of grace;
  /// those of 2 February are not, although the week is.
  @Test func aQuestionWithoutDaysTakesAWeekThatCounts() throws {
    let lines = (0..<42).flatMap { day in
      (0..<10).map { Events.trial("t\(day)-\($0)", ms: Events.days(Int64(day))) }
    }
    for (kind, column) in [(ReportKind.cancellations, "trial_cancel_rate"), (.trials, "trial_to_paid_rate")] {
      let report = try report(kind, column, lines + [Self.end(42)])
      #expect(try rows(report, "total", "before_n", "now_n") == ["70 70"], "\(kind.name)")
      let parameters = Dictionary(uniqueKeysWithValues: report.parameters.map { ($0.name, $0.value) })
      #expect(parameters["from"] == "2026-01-26" && parameters["to"] == "2026-02-02", "\(kind.name)")
      #expect(parameters["week"] == "the newest full week whose trials are all over", "\(kind.name)")
    }
  }

  /// Of 100 viewers each in DE and US, 20 and 100 are left. DE: own −80 ÷ √120 = −7.30; 20 of its 120 viewers of both weeks
  /// are of now, and 100 of 200 in US: −0.3333 ÷ √(0.375 · 0.625 (1/120 + 1/200)) = −5.96.
  @Test func viewersWhoAreMissingAreADriver() throws {
    let lines = [("DE", 0, 100), ("US", 0, 100), ("DE", 7, 20), ("US", 7, 100)].flatMap { country, day, count in
      (0..<count).map {
        Events.line(
          "paywall_impression", "\(country)\(day)-\($0)", ms: Events.days(Int64(day)),
          #","entry_point":"map","country":"\#(country)""#)
      }
    }
    let report = try report(
      .funnel, "users", lines + [Self.end(40)], days: "--from", "2026-01-08", "--to", "2026-01-15")
    #expect(try rows(report, "total", "contribution") == ["-80.0"])
    #expect(try rows(report, "driver", "segment", "part", "contribution") == ["country=DE volume -80.0"])
  }

  private static func payment(_ kind: String, _ user: String, _ day: Int64, _ price: Int, _ more: String = "") -> String
  {
    Events.line(
      kind, user, ms: Events.days(day),
      #","plan":"weekly","product_id":"p","price":\#(price),"currency":"USD","subscription_id":"\#(user)"\#(more)"#)
  }

  /// Of 40 weekly subscriptions of the first day, all renew after a week and 20 after two: none churns in the week from day 6,
  /// and 20 in the next. Both are within 31 days of the first event.
  @Test func aYoungAppSaysThatFewRenewalsWereDue() throws {
    let lines = [(0, 40), (7, 40), (14, 20)].flatMap { day, count in
      (0..<count).map { Self.payment(day == 0 ? "conversion" : "renewal", "s\($0)", Int64(day), 10) }
    }
    let report = try report(
      .subscriptions, "churn_rate", lines + [Self.end(40)], days: "--from", "2026-01-14", "--to", "2026-01-21")
    #expect(report.definition[0].hasSuffix(". Few renewals were due before, as the data begin on 2026-01-01"))
  }

  /// 30 users pay 10 in each week, and one more paid 5,000 in the first.
  @Test func onePayerIsNamed() throws {
    let lines = (0..<30).flatMap { number in
      [Self.payment("conversion", "a\(number)", 1, 10), Self.payment("renewal", "a\(number)", 8, 10)]
    }
    let whale = Self.payment("conversion", "whale", 2, 5_000)
    let days = ["--from", "2026-01-08", "--to", "2026-01-15"]
    let fell = try report(.revenue, "revenue", lines + [whale, Self.end(20)], days: days[0], days[1], days[2], days[3])
    #expect(
      fell.definition[0].contains(
        "; the payments of one user alone fell by 5,000.00 USD, and the search leaves them out"))
    // Just under half of the change, 140 of 290, is still far more than chance moves the others.
    let less = (0..<30).flatMap { number in
      [Self.payment("conversion", "a\(number)", 1, 10), Self.payment("renewal", "a\(number)", 8, 5)]
    }
    let large = Self.payment("conversion", "whale", 2, 140)
    let half = try report(.revenue, "revenue", less + [large, Self.end(20)], days: days[0], days[1], days[2], days[3])
    #expect(half.definition[0].contains("; the payments of one user alone fell by 140.00 USD"))
    // 29 others pay half as much as well: one user is a small part of it.
    let cheaper = (0..<30).flatMap { number in
      [Self.payment("conversion", "a\(number)", 1, 10), Self.payment("renewal", "a\(number)", 8, 5)]
    }
    let alike = try report(.revenue, "revenue", cheaper + [Self.end(20)], days: days[0], days[1], days[2], days[3])
    #expect(!alike.definition[0].contains("one user"))
  }

  /// 20 users of each country pay 10 in both weeks, 9 of DE in the second alone and 4 of US in the first alone: 13 changes of
  /// 10, so +50 ± 1.96 √1,300.
  @Test func aChangeOfChanceHasItsInterval() throws {
    let lines = ["DE", "US"].flatMap { country in
      (0..<29).flatMap { number -> [String] in
        let (user, place) = ("\(country)\(number)", #","country":"\#(country)""#)
        let days = number < 20 ? [0, 7] : country == "DE" ? [7] : number < 24 ? [0] : []
        return days.map { Self.payment("renewal", user, Int64($0 + number % 7), 10, place) }
      }
    }
    let report = try report(
      .revenue, "revenue", lines + [Self.end(20)], days: "--from", "2026-01-08", "--to", "2026-01-15")
    #expect(
      report.definition[0]
        == "it rose by 50.00 USD, which chance alone can explain: the true change may be between −20.67 and +120.67 USD. No "
        + "segment stands out. Longer periods would show smaller changes")
  }

  /// 20 trials start in each of three weeks. Those of the third last 14 days instead of 7. In the fourth week, 10 instead of 40
  /// users pay for the first time, and 40 renew in both. Most trials of the third week last 14 days, so those of the first
  /// count on the earlier side, and those from the second on now.
  @Test func aNewTrialLengthIsASuspect() throws {
    let trials = (0..<60).map { (number: Int) -> String in
      let day = Int64(number / 20 * 7 + number % 7)
      return Events.trial("t\(number)", ms: Events.days(day), days: number < 40 ? 7 : 14)
    }
    let first = (0..<50).map { (number: Int) -> String in
      Self.payment("conversion", "p\(number)", Int64((number < 40 ? 14 : 21) + number % 7), 10)
    }
    let later = [7, 14, 21].flatMap { (week: Int) -> [String] in
      let kind = week == 7 ? "conversion" : "renewal"
      return (0..<40).map { Self.payment(kind, "r\($0)", Int64(week + $0 % 7), 10) }
    }
    let report = try report(
      .revenue, "revenue", trials + first + later + [Self.end(40)], days: "--from", "2026-01-22", "--to", "2026-01-29")
    #expect(
      try rows(report, "suspect", "cut", "segment", "part", "before_n", "now_n") == [
        "trial_length trials of 14 days 2026-01-15 new 0 20"
      ])
    // z is −30 ÷ √50 = −4.2, and of the logarithm (ln(10.5 ÷ 40.5) − 0) ÷ √(1/10.5 + 1/40.5 + 2/40.5) = −3.3.
    #expect(report.definition[0].contains("mostly in first payments: payments fell from 40 to 10"))
    #expect(report.definition[0].hasSuffix("Look first at trials of 14 days, new on 2026-01-15"))
  }

  /// Trials of 7 days are paid until day 20, and those of 14 days from day 28 on: between, nobody can pay.
  @Test func daysWithoutPaymentsAreExplainedByLongerTrials() throws {
    let trials = (0..<280).map { (number: Int) -> String in
      Events.trial("t\(number)", ms: Events.days(Int64(number / 10)), days: number < 140 ? 7 : 14)
    }
    let payments = (7..<21).flatMap { (day: Int) -> [String] in
      (0..<5).map { Self.payment("conversion", "p\(day)-\($0)", Int64(day), 10) }
    }
    let report = try report(
      .revenue, "revenue", trials + payments + [Self.end(40)], days: "--from", "2026-01-22", "--to", "2026-01-29")
    let said = report.definition[0]
    #expect(said.hasPrefix("there are no payments on these days, and there were 35 on the days before"), "\(said)")
    let advice = ". Then look at what changed on these days, such as trials of 14 days, new on 2026-01-15"
    #expect(said.hasSuffix(advice), "\(said)")
  }

  /// In DE 50 of 100 first payments are yearly, then 10; the yearly plan costs 50, then 48, the weekly one 5. US stays at 50 of
  /// 100. A payment of DE brings 27.5, then 9.3: −18.2 · 100 = −1,820. The mix is (0.1 − 0.5) · 49 + (0.9 − 0.5) · 5 = −17.6,
  /// and (0.5 + 0.1) ÷ 2 · (48 − 50) = −0.6 the rest.
  @Test func fewerYearlyPlansAreToldAsTheMix() throws {
    func payments(_ country: String, _ day: Int64, yearly: Int, _ price: Int) -> [String] {
      (0..<100).map { number in
        let (plan, amount) = number < yearly ? ("yearly", price) : ("weekly", 5)
        let user = "\(country)\(day)-\(number)"
        return Events.line(
          "conversion", user, ms: Events.days(day + Int64(number % 7)),
          #","plan":"\#(plan)","product_id":"\#(plan)","price":\#(amount),"currency":"USD","subscription_id":"\#(user)""#
            + #","country":"\#(country)""#)
      }
    }
    let lines =
      payments("DE", 0, yearly: 50, 50) + payments("DE", 7, yearly: 10, 48) + payments("US", 0, yearly: 50, 50)
      + payments("US", 7, yearly: 50, 50)
    let report = try report(
      .revenue, "revenue", lines + [Self.end(20)], days: "--from", "2026-01-08", "--to", "2026-01-15")
    #expect(try rows(report, "driver", "segment", "part").first == "country=DE rate")
    #expect(
      report.definition[0].contains(
        "country DE: plan yearly is 10.0% of these payments, after 50.0%, which is −1,820.00 USD of the change "
          + "(−1,760.00 USD by the mix of plans, −60.00 USD by other amounts). Look at which plans"))
  }

  /// 100 yearly payments of 50 in each week and 100 weekly ones of 5; 30 of the second week's yearly ones are refunded at once.
  /// 130 units then bring (100 − 30) · 50 ÷ 130 = 26.923 each. Refunds have a mean of −50 and C is 38.4615, so the mix of 0 and
  /// 30 of 130 is 3 ÷ 13 · (−50 − 50) = −23.077, all of the change; times (100 + 130) ÷ 2 units, −2,653.85.
  @Test func moreRefundsAreToldAsRefunds() throws {
    let lines = [0, 7].flatMap { (day: Int64) in
      [("yearly", 50), ("weekly", 5)].flatMap { plan, price in
        (0..<100).flatMap { number -> [String] in
          let (user, ms) = ("\(plan)\(day)-\(number)", Events.days(day + Int64(number % 7)))
          let fields = #","product_id":"\#(plan)","subscription_id":"\#(user)""#
          return [
            Events.line("conversion", user, ms: ms, fields + #","plan":"\#(plan)","price":\#(price),"currency":"USD""#)
          ] + (day == 7 && price == 50 && number < 30 ? [Events.line("refund", user, ms: ms + 1_000, fields)] : [])
        }
      }
    }
    let report = try report(
      .revenue, "revenue", lines + [Self.end(20)], days: "--from", "2026-01-08", "--to", "2026-01-15")
    #expect(try rows(report, "driver", "segment", "part").first == "plan=yearly rate")
    #expect(
      report.definition[0].contains(
        "refunds are 23.1% of these payments, after 0.0%, which is −2,653.85 USD of the change (−2,653.85 USD by refunds, 0.00 USD"
      ))
  }

  /// 40 users of US pay 10 in each week. One of JP makes 25 payments of 200 in the second: not the country is told, but the
  /// user.
  @Test func oneBuyerIsNotToldAsTheCountry() throws {
    let lines = (0..<40).flatMap { number -> [String] in
      [
        Self.payment("conversion", "a\(number)", 1, 10, #","country":"US""#),
        Self.payment("renewal", "a\(number)", 8, 10, #","country":"US""#),
      ]
    }
    let bulk = (0..<25).map { number in
      Events.line(
        "conversion", "bulk", ms: Events.days(8, ms: Int64(number)),
        #","plan":"weekly","product_id":"p","price":200,"currency":"USD","subscription_id":"b\#(number)","country":"JP""#
      )
    }
    let report = try report(
      .revenue, "revenue", lines + bulk + [Self.end(20)], days: "--from", "2026-01-08", "--to", "2026-01-15")
    #expect(try !rows(report, "driver", "segment").contains { $0.contains("JP") })
    #expect(report.definition[0].contains("the payments of one user alone rose by 5,000.00 USD"))
  }

  /// Returns drivers of the second week's viewers: 20 a day in US, and in DE as many as a day has.
  private func viewers(inGermany count: (_ day: Int) -> Int) throws -> Report {
    let lines = (0..<14).flatMap { day -> [String] in
      [("DE", count(day)), ("US", 20)].flatMap { country, count -> [String] in
        (0..<count).map {
          Events.line(
            "paywall_impression", "\(country)\(day)-\($0)", ms: Events.days(Int64(day), ms: 1),
            #","entry_point":"map","country":"\#(country)""#)
        }
      }
    }
    return try report(
      .funnel, "users", lines + [Self.end(40)], days: "--from", "2026-01-08", "--to", "2026-01-15")
  }

  /// 20 viewers a day in DE and in US; none of DE on two days. By the other days, 40 are expected.
  @Test func daysOnWhichACountryIsMissingAreTold() throws {
    let report = try viewers { (9...10).contains($0) ? 0 : 20 }
    #expect(
      try rows(report, "data", "segment", "part") == ["country=DE 2026-01-10..2026-01-11: 0, 40 expected"])
  }

  /// In two weeks, 11 viewers a day in DE and 43 in five other countries, and none of DE on one day. By the 13 other days, with
  /// 143 of DE and 559 of others, none of the day's 43 is of DE at C(602, 43) ÷ C(745, 43) = 7.7e-5, and by the two weeks before,
  /// with 154 and 602, at C(645, 43) ÷ C(799, 43) = 7.6e-5. 7.7e-5 times 2 · 28 days and 6 countries is 0.026; times all 154 runs
  /// of up to 7 days, it would be 0.072.
  @Test func aSingleDayOnWhichACountryIsMissingIsTold() throws {
    let countries = [("DE", 11), ("ES", 9), ("FR", 9), ("IT", 9), ("NL", 8), ("US", 8)]
    let lines = countries.flatMap { country, viewers -> [String] in
      (0..<28).flatMap { day -> [String] in
        (0..<(country == "DE" && day == 17 ? 0 : viewers)).map {
          Events.line(
            "paywall_impression", "\(country)\(day)-\($0)", ms: Events.days(Int64(day), ms: 1),
            #","entry_point":"map","country":"\#(country)""#)
        }
      }
    }
    let report = try report(
      .funnel, "users", lines + [Self.end(40)], days: "--from", "2026-01-15", "--to", "2026-01-29")
    #expect(try rows(report, "data", "segment", "part") == ["country=DE 2026-01-18: 0, 11 expected"])
  }

  /// None of DE from the fourth of seven days on. By the days before, 80 are expected on these four.
  @Test func aFallThatLastsIsNoOutage() throws {
    let report = try viewers { (10...13).contains($0) ? 0 : 20 }
    #expect(try rows(report, "data", "segment", "part") == ["country=DE since 2026-01-11: 0, 80 expected"])
    #expect(
      report.definition[0].hasPrefix(
        "it fell by 80; since 2026-01-11, country DE had far fewer users than on other days: 0, 80 expected. Look first for"
      ))
  }

  /// 20 viewers a day in DE and in US, of DE 8 from the fourth of seven days on: too many for an outage. 48 fewer, all in DE. On
  /// the last four days 32 are of DE and 80 of US, on the first three 60 and 60: p is 0.0007 by Fisher's exact test, of 12 days.
  @Test func theDayOfAFallThatLastsIsTold() throws {
    let report = try viewers { $0 > 9 ? 8 : 20 }
    #expect(try rows(report, "data", "segment").isEmpty)
    #expect(
      report.definition[0].hasPrefix(
        "it fell by 48, mostly in country DE: users fell from 140 to 92, starting on 2026-01-11, which is −48 of the change."
      ))
  }

  /// As above, but of DE 12 on the first three days and 4 on the last four. On the first three, 36 are of DE and 60 of US, after
  /// 140 and 140: p is 0.02 by Fisher's exact test, so the fall did not start on the fourth, although p of that is 0.0009.
  @Test func aFallOfTheWholePeriodHasNoDay() throws {
    let report = try viewers { $0 < 7 ? 20 : $0 < 10 ? 12 : 4 }
    #expect(
      report.definition[0].hasPrefix(
        "it fell by 88, mostly in country DE: users fell from 140 to 52, which is −88 of the change."))
  }

  /// 30 users in DE pay 10 EUR in each week, and 30 in US 10 USD. A euro falls from 1.20 to 0.90 USD: (0.9 − 1.2) · (300 + 300) ÷
  /// 2 = −90, far more than the standard error of 30 changes of −3, √270. At the rate of before, nothing changed.
  @Test func exchangeRatesAreToldAndLeftOut() throws {
    var lines: [String] = []
    for number in 0..<30 {
      for (country, currency) in [("DE", "EUR"), ("US", "USD")] {
        let user = "\(country)\(number)"
        let fields =
          #","plan":"weekly","product_id":"p","price":10,"currency":"\#(currency)","country":"\#(country)""#
          + #","subscription_id":"\#(user)""#
        for (kind, day) in [("conversion", 0), ("renewal", 7), ("renewal", 14)] {
          lines.append(Events.line(kind, user, ms: Events.days(Int64(day + number % 7)), fields))
        }
      }
    }
    let store = try TestStore(lines: lines + [Self.end(25)])
    _ = try store.store.importRates(
      [("2026-01-01", "1.2"), ("2026-01-08", "1.2"), ("2026-01-15", "0.9")].map { day, rate in
        try ExchangeRate(
          date: #require(CivilDate(day)), currency: "EUR", usdPerUnit: #require(ExchangeRate.Decimal(rate)))
      })
    var request = ReportRequest(.revenue)
    request.options = try ReportOptions(arguments: ["--from", "2026-01-15", "--to", "2026-01-22"])
    request.drivers = DriverQuestion(column: "revenue")
    let report = try #require(try store.store.read { try request.table($0) })
    #expect(try rows(report, "driver", "segment").isEmpty)
    #expect(try rows(report, "suspect", "cut", "segment", "part") == ["exchange_rate EUR 1.2 → 0.9"])
    #expect(
      report.definition[0]
        == "it fell by 90.00 USD; exchange rates alone lowered it by 90.00 USD (EUR 1.2 → 0.9), and the search leaves "
        + "them out. Beyond that, no segment stands out")
  }

  /// Of DE, 20 viewers a day in the first week and 5 in the second: a lower level of all days, on some of which there are
  /// fewer, 3.
  @Test func aLowerLevelIsNoOutage() throws {
    let report = try viewers { $0 < 7 ? 20 : $0 < 10 ? 3 : 6 }
    #expect(try rows(report, "data", "segment").isEmpty)
    #expect(try rows(report, "driver", "segment") == ["country=DE"])
  }

  /// SciPy: `fisher_exact([[2, 100], [30, 100]], alternative="less")` gives 7.157815482706151e-07, and 0.0223796 for
  /// `[[5, 80], [6, 21]]`, where the others are few, too.
  @Test func anOutageIsJudgedByFishersTest() {
    #expect(abs(exp(DriverReport.tail(2, 100, 30, 100)) / 7.157815482706151e-07 - 1) < 1e-9)
    #expect(abs(exp(DriverReport.tail(5, 80, 6, 21)) - 0.02237960454894186) < 1e-12)
  }

  /// 25 users buy with an offer in the first week and renew in the second: the later payments keep the offer. 25 others buy
  /// without it in both.
  @Test func anOfferThatEndedIsASuspectAlthoughItsPayersRenew() throws {
    let offer = #","offer_type":"promotional""#
    let lines = (0..<25).flatMap { number in
      [
        Self.payment("conversion", "a\(number)", 1, 5, offer), Self.payment("renewal", "a\(number)", 8, 10),
        Self.payment("conversion", "b\(number)", 1, 10), Self.payment("conversion", "c\(number)", 8, 10),
      ]
    }
    let report = try report(
      .revenue, "revenue", lines + [Self.end(20)], days: "--from", "2026-01-08", "--to", "2026-01-15")
    #expect(
      try rows(report, "suspect", "segment", "part", "before_n", "now_n")
        == ["offer_type=promotional 2026-01-02 last 25 0"])
  }
}
