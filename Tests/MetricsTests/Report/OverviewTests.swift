import EventModel
import Metrics
import Store
import Testing

@testable import Reports

/// The key numbers of the sample apps at constant rates, as on the home page.
@Suite struct OverviewTests {
  private static let store = Result {
    let store = try TestStore(paths: [Fixtures.package.appendingPathComponent("SampleData/events").path])
    let first = CivilDate(year: 2026, month: 1, day: 1).daysSince1970
    let rates = (first..<first + 76).flatMap { day in
      [("EUR", "1.08"), ("GBP", "1.27"), ("JPY", "0.0067")].map {
        "\(CivilDate(daysSince1970: day)),\($0.0),\($0.1)"
      }
    }
    _ = try store.store.importRates(
      RateFile.rates((["date,currency,usd_per_unit"] + rates + [""]).joined(separator: "\n"), name: "rates.csv"))
    return store
  }

  private func overview(_ apps: [String] = [], days: Overview.Days = .last(28)) throws -> Overview {
    var options = ReportOptions()
    options.apps = apps
    return try Self.store.get().store.read { try Overview($0, options, days: days) }
  }

  private func rounded(_ value: Double?, _ decimals: Double) -> Double? {
    value.map { ($0 * decimals).rounded() / decimals }
  }

  @Test func theLastFourWeeksOfAllApps() throws {
    let overview = try overview()
    let all = overview.all
    #expect(overview.currency == "USD" && overview.mondays.count == 10 && overview.days.count == 28)
    #expect(rounded(all.revenue.value, 1) == 15_256 && rounded(all.revenue.before, 1) == 14_578)
    let change = try #require(all.revenue.change)
    #expect(!change.isMoreThanChance)
    let shares = [change.difference, change.low, change.high].map { $0 / (all.revenue.before ?? 0) }
    #expect(shares.map { rounded($0, 100) } == [0.05, -0.09, 0.18])
    #expect(
      rounded(all.recurring.value, 1) == 8_908 && rounded(all.gained, 1) == 3_498 && rounded(all.lost, 1) == -1_022)
    #expect(all.newPayers.value == 667)
    #expect(rounded(all.viewersWhoPay.value, 1_000) == 0.144 && rounded(all.trialsThatPay.value, 1_000) == 0.51)
    #expect(all.subscribers == 1_721 && all.undecided == 2_008)
    #expect(overview.apps.map(\.app) == ["coach", "praxisen", "steps", "techniq"])
    #expect(overview.apps.map { rounded($0.revenue.value, 1) } == [5_716, 2_826, 4_165, 2_548])
  }

  /// The parts of one app are those of the app alone.
  @Test func anAppAloneIsItsPart() throws {
    let (all, steps) = (try overview(), try overview(["steps"]))
    #expect(steps.apps.count == 1)
    #expect(rounded(steps.all.revenue.value, 100) == rounded(all.apps[2].revenue.value, 100))
    #expect(steps.all.viewersWhoPay.value == all.apps[2].viewersWhoPay.value)
    // Its trials are its own, which the store does not run.
    let coach = try overview(["coach"])
    #expect(coach.all.trialsThatPay.value == all.apps[0].trialsThatPay.value && coach.all.trialsThatPay.value != nil)
    #expect(!coach.all.isOfStoreTrials && !all.apps[0].isOfStoreTrials && all.all.isOfStoreTrials)
  }

  /// A share is of settled weeks only, and its weeks before are as settled.
  @Test func nothingUnsettledIsCompared() throws {
    let viewers = try overview().all.viewersWhoPay
    #expect(
      viewers.days == CivilDate(year: 2026, month: 1, day: 26)
        .daysSince1970..<CivilDate(year: 2026, month: 2, day: 23).daysSince1970)
    #expect(viewers.weeks.map(\.isSettled) == Array(repeating: true, count: 7) + [false, false, false])
  }

  @Test(arguments: [
    (Overview.Days.last(7), 10..<17), (.last(28), 0..<17), (.all, 0..<17), (.monthToDate, -5..<17),
  ])
  func daysEndWithTheData(days: Overview.Days, range: Range<Int>) {
    // Day 0 is the sixth of January 2026, and the data end with the twenty-second.
    let first = CivilDate(year: 2026, month: 1, day: 6).daysSince1970
    let found = days.range(in: first..<first + 17)
    #expect(found.lowerBound - first == range.lowerBound && found.upperBound - first == range.upperBound)
  }

  @Test func aComparisonNeedsAllOfItsDays() {
    #expect(Overview.Comparison.before.range(for: 14..<28, in: 0..<28) == 0..<14)
    #expect(Overview.Comparison.before.range(for: 13..<28, in: 0..<28) == nil)
    let (march, january) = (
      CivilDate(year: 2026, month: 3, day: 1).daysSince1970, CivilDate(year: 2026, month: 1, day: 5).daysSince1970
    )
    let february = CivilDate(year: 2026, month: 2, day: 1).daysSince1970
    #expect(
      Overview.Comparison.before.range(for: march..<march + 15, in: january..<march + 15, asked: .monthToDate)
        == february..<february + 15)
    #expect(Overview.Comparison.off.range(for: 14..<28, in: 0..<28) == nil)
  }

  /// Two subscriptions of 10 a month; the data of `dead` end on 20 January, those of `alive` on 10 February. Whether the
  /// subscription of `dead` still runs then, nobody knows; on 20 January both run.
  @Test func anAppWithoutNewerDataIsInNoSumOfStates() throws {
    func line(_ app: String, _ day: String, _ event: String, _ rest: String = "") -> String {
      #"{"event_id":"\#(app)\#(day)","event":"\#(event)","ts":"2026-\#(day)T00:00:00Z","app":"\#(app)","user_id":"u"\#(rest)}"#
    }
    let sale = #","plan":"monthly","product_id":"p","price":"10.00","currency":"USD""#
    let store = try TestStore(lines: [
      line("alive", "01-15", "conversion", sale), line("alive", "02-10", "activity"),
      line("dead", "01-02", "conversion", sale), line("dead", "01-20", "activity"),
    ])
    let now = try store.store.read { try Overview($0, ReportOptions()) }
    #expect(now.all.recurring.value == 10 && now.all.subscribers == 1 && now.all.ended.map(\.app) == ["dead"])
    let dead = try #require(now.apps.last)
    #expect(dead.recurring.value == nil && dead.subscribers == nil)
    #expect(dead.ended.map(\.lastDay) == [CivilDate(year: 2026, month: 1, day: 20).daysSince1970])
    let end = CivilDate(year: 2026, month: 1, day: 21)
    // An app that ends a day earlier keeps its subscribers.
    let late = try TestStore(lines: [
      line("alive", "01-15", "conversion", sale), line("alive", "02-10", "activity"),
      line("late", "01-20", "conversion", sale), line("late", "02-09", "activity"),
    ])
    #expect(try late.store.read { try Overview($0, ReportOptions()).apps.map(\.subscribers) } == [1, 1])
    let before = try store.store.read { try Overview($0, ReportOptions(), days: .between(nil, end)) }
    #expect(before.all.recurring.value == 20 && before.all.subscribers == 2 && before.all.ended.isEmpty)
  }

  /// Data from 1 March to noon on 14 March. The last 7 days are half a day short, and so are the 7 days before: the sales of
  /// the evening of 7 March, one of a lifetime plan, are of no part that is compared. By hand: 20 against 10, 1 against 1.
  @Test func daysBeforeAreCutToTheSamePart() throws {
    func line(_ id: String, _ ts: String, _ event: String, _ rest: String = "") -> String {
      #"{"event_id":"\#(id)","event":"\#(event)","ts":"2026-03-\#(ts):00Z","app":"a","user_id":"\#(id)"\#(rest)}"#
    }
    func sale(_ id: String, _ ts: String, _ plan: String, _ price: String) -> String {
      line(id, ts, "conversion", #","plan":"\#(plan)","product_id":"\#(plan)","price":"\#(price)","currency":"USD""#)
    }
    func overview(_ end: String) throws -> Overview {
      let store = try TestStore(lines: [
        line("first", "01T00:00", "activity"), sale("u1", "07T06:00", "monthly", "10.00"),
        sale("u2", "07T18:00", "monthly", "100.00"), sale("u3", "07T20:00", "lifetime", "1000.00"),
        sale("u4", "14T06:00", "monthly", "20.00"), line("last", end, "activity"),
      ])
      return try store.store.read { try Overview($0, ReportOptions(), days: .last(7)) }
    }
    let open = try overview("14T12:00")
    #expect(open.isOpen && open.covered.whole.count == 13 && open.covered.hours == 12)
    #expect(open.all.revenue.value == 20 && open.all.revenue.before == 10)
    #expect(open.all.newPayers.value == 1 && open.all.newPayers.before == 1)
    let over = try overview("14T23:00")
    #expect(!over.isOpen && over.all.revenue.before == 1_110 && over.all.newPayers.before == 3)
  }

  /// Four payers of the week before and none now are too few to say anything: exactly, p is 2 · 0.5⁴ = 0.125. Ten are not:
  /// 2 · 0.5¹⁰ = 0.002. Viewers were none.
  @Test(arguments: [(4, true), (10, false)])
  func fewPayersSayNothing(payers: Int, areFew: Bool) throws {
    func line(_ id: String, _ day: Int, _ event: String, _ rest: String = "") -> String {
      let day = day < 10 ? "0\(day)" : "\(day)"
      return
        #"{"event_id":"\#(id)","event":"\#(event)","ts":"2026-03-\#(day)T06:00:00Z","app":"a","user_id":"\#(id)"\#(rest)}"#
    }
    let sale = #","plan":"monthly","product_id":"p","price":"10.00","currency":"USD""#
    let store = try TestStore(
      lines: [line("first", 1, "activity"), line("last", 14, "activity")]
        + (0..<payers).map { line("u\($0)", 5, "conversion", sale) })
    let all = try store.store.read { try Overview($0, ReportOptions(), days: .last(7)).all }
    for number in [all.revenue, all.newPayers] {
      #expect(number.value == 0 && number.isOfFew == areFew)
      #expect(number.change?.isMoreThanChance == (areFew ? nil : true))
    }
  }

  /// From Monday, 6 March 2023, to 15 March 2026 there are 158 weeks. A chart has 26 of them up to 28 days, and a year and a
  /// half at most.
  @Test(arguments: [(Overview.Days.last(28), 26), (.all, 78)])
  func aChartHasRoomForAYearAndAHalf(days: Overview.Days, weeks: Int) throws {
    let store = try TestStore(
      lines: ["2023-03-06", "2026-03-15"].map {
        #"{"event_id":"\#($0)","event":"activity","ts":"\#($0)T06:00:00Z","app":"a","user_id":"u"}"#
      })
    let overview = try store.store.read { try Overview($0, ReportOptions(), days: days) }
    let near = overview.withWeeksNearDays
    #expect(overview.mondays.count == 158 && near.mondays == overview.mondays.suffix(weeks))
  }

  @Test func aStoreWithoutEventsHasNoDays() throws {
    let store = try TestStore(lines: [])
    let overview = try store.store.read { try Overview($0, ReportOptions()) }
    #expect(overview.data.isEmpty && overview.apps.isEmpty && overview.asOf == nil && overview.before == nil)
  }
}
