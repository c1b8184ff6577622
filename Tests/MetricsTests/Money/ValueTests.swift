import EventModel
import Foundation
import Lifecycle
import Reports
import Simulation
import Statistics
import Testing
import TruthSupport

@testable import Metrics

/// The value of a viewer: numbers derived by hand, then compared with the truth of simulated data.
struct ValueTests {
  private static func line(_ id: String, _ event: String, _ ts: String, _ user: String, _ rest: String) -> String {
    #"{"event_id":"\#(id)","event":"\#(event)","ts":"\#(ts)T12:00:00Z","app":"steps","user_id":"\#(user)"\#(rest)}"#
  }

  private static func sale(_ plan: String, _ price: Int) -> String {
    #","product_id":"\#(plan)","plan":"\#(plan)","price":\#(price),"currency":"USD""#
  }

  private static let lines = lines(copies: 1)

  /// 40 viewers of each variant, times `copies`. Of a, 24 buy the month for 10: twelve pay once, one of them refunded,
  /// and twelve pay three times. Of b, six buy the year for 60, none of which has been due for renewal.
  private static func lines(copies: Int) -> [String] {
    var lines: [String] = []
    for variant in ["a", "b"] {
      for (copy, number) in (0..<copies).flatMap({ copy in (0..<40).map { (copy, $0) } }) {
        let user = copy == 0 ? "\(variant)\(number)" : "\(variant)\(number)-\(copy)"
        lines.append(
          line("i-\(user)", "paywall_impression", "2026-01-01", user, #","entry_point":"w","variant":"\#(variant)""#))
        if variant == "a" && number < 24 {
          lines.append(line("c-\(user)", "conversion", "2026-01-01", user, sale("monthly", 10)))
          for month in number < 12 ? [] : ["02", "03"] {
            lines.append(line("r\(month)-\(user)", "renewal", "2026-\(month)-01", user, sale("monthly", 10)))
          }
        }
        if variant == "b" && number < 6 {
          lines.append(line("c-\(user)", "conversion", "2026-01-01", user, sale("yearly", 60)))
        }
      }
    }
    lines += (0..<copies).map { line("back-\($0)", "refund", "2026-01-05", $0 == 0 ? "a0" : "a0-\($0)", "") }
    return lines + [line("z", "activity", "2026-07-01", "z", "")]
  }

  /// The euros were paid before --from, so that the report needs no rate for them; the tested ranges would.
  @Test func paymentsBeforeTheFirstDayNeedNoRate() throws {
    let euros = Self.sale("monthly", 10).replacing("USD", with: "EUR")
    let store = try TestStore(lines: Self.lines + [Self.line("early", "conversion", "2025-12-01", "e", euros)])
    let table = try store.table("value", "--by", "variant", "--from", "2026-01-01", "--currency", "USD")
    #expect(table.cells("currency value_1 tested_value_12", of: "steps", "a") == "USD 5.75 -")
  }

  /// S = 1, 12/24, 12/12 · 1/2, 0/12: 0 from the fourth payment on.
  ///
  ///     a, net:  (23·10 + 24·10·(1/2 + 1/2)) ÷ 40 = 11.75 in month 3, 23·10 ÷ 40 = 5.75 in month 1
  ///     b:       6·60 ÷ 40 = 9 up to month 12
  ///
  /// After month 3 a has only an interval (definitions 7.6): with c = 24/48 churned and (lost, kept) = (12, 12), (0,
  /// 12), (12, 0) the slope of the likelihood in 1/(α + β) at 0 is Σ t·(kept·c/(1 − c) − lost) = 12 − 24 < 0: all churn
  /// alike. b has no known renewal (D6.9); January 1 to July 1 is 182 days.
  @Test func valuesByHand() throws {
    let store = try TestStore(lines: Self.lines)
    let net = try store.table("value", "--by", "variant", "--mode", "net")
    #expect(
      net.cells(
        "users paid_rate monthly_purchases yearly_purchases value_1 value_3 value_12 value_24", of: "steps", "a")
        == "40 0.600000 24 0 5.75 11.75 - -")
    #expect(net.cells("basis_1 basis_3 basis_12 survival", of: "steps", "a") == "seen seen predicted app")
    #expect(
      net.cells("note", of: "steps", "a")
        == "monthly plans have only a range because so far all users seem equally likely to churn: too simple to "
        + "project")
    #expect(net.cells("value_12_low value_12_high", of: "steps", "a").contains("-") == false)
    #expect(net.cells("note", of: "steps", "b") == "yearly not known yet from month 13 on (182 days of data)")
    #expect(
      net.cells("users yearly_purchases value_1 value_3 value_12 value_24", of: "steps", "b") == "40 6 9.00 9.00 9.00 -"
    )
    #expect(net.cells("basis_12 basis_24", of: "steps", "b") == "seen -")
    let gross = try store.table("value", "--by", "variant", "--mode", "gross")
    #expect(gross.cells("value_1 value_3", of: "steps", "a") == "6.00 12.00")
    // 0.85 · 5.75 = 4.8875, 0.85 · 9 = 7.65.
    let proceeds = try store.table("value", "--by", "variant", "--mode", "proceeds", "--store-fee", "0.15")
    #expect(proceeds.column("value_1") == ["4.89", "7.65"])
    let assumed = try store.table("value", "--by", "variant", "--mode", "net", "--renewal", "yearly=0.5")
    #expect(assumed.cells("value_12 basis_12 value_24 basis_24", of: "steps", "b") == "9.00 seen 13.50 assumed")
  }

  /// a − b by month: −3.25, −0.25 (5.75 + 24·10·½ ÷ 40 = 8.75), then 2.75. A user of b brings 0 or 60, which is ±21.4,
  /// so the mean of 40 is known to ± 6.6 (95%) and of 1,000 to ± 1.3: with 25 copies the leads are shown, with one
  /// none is. With half of the years renewed b brings 13.50 from month 13 on, known to ± 2.0, and a lead of 1.75 is not
  /// shown.
  @Test func variantsChangePlacesWhereTheLeadsAreShown() throws {
    let few = try TestStore(lines: Self.lines).table("value --pairs", "--by", "variant", "--mode", "net")
    #expect(
      few.cells("difference_1 crossing_month crossings ahead_last last_month", of: "steps", "USD") == "3.25 - 0 - 12")
    let store = try TestStore(lines: Self.lines(copies: 25))
    let pairs = try store.table("value --pairs", "--by", "variant", "--mode", "net")
    #expect(pairs.rows.count == 1)
    #expect(
      pairs.cells(
        "variant_a variant_b difference_1 difference_3 difference_24 crossing_month crossings ahead_last last_month",
        of: "steps", "USD") == "a b 3.25 -2.75 - 3 1 a 12")
    #expect(pairs.cells("difference_12", of: "steps", "USD") == "-")
    let assumed = try store.table("value --pairs", "--by", "variant", "--mode", "net", "--renewal", "yearly=0.5")
    #expect(
      assumed.cells("crossing_month crossings ahead_last last_month basis", of: "steps", "USD") == "3 1 - 24 assumed")
    #expect(throws: ReportError.self) { try store.table("value --pairs", "--by", "none") }
  }

  /// 24 variants have 24 · 23 / 2 = 276 pairs; 25 have 24 with `control`, or with the one that two users saw.
  @Test(arguments: [(24, false, 276), (25, true, 24), (25, false, 24)])
  func manyVariantsAreComparedWithOne(variants: Int, hasControl: Bool, pairs: Int) throws {
    var names = (1...variants).map { $0 == 7 && hasControl ? "control" : "v\($0)" }
    names.append("v3")
    let lines = names.enumerated().map { number, name in
      Self.line(
        "i\(number)", "paywall_impression", "2026-01-01", "u\(number)", #","entry_point":"w","variant":"\#(name)""#)
    }
    let table = try TestStore(lines: lines + [Self.line("z", "activity", "2026-07-01", "z", "")])
      .table("value --pairs", "--by", "variant")
    #expect(table.rows.count == pairs)
    let base = hasControl ? "control" : "v3"
    #expect(variants == 24 || table.rows.allSatisfy { $0.contains(base) })
  }

  private func value(
    _ store: TestStore, app: String, month: Int, _ words: [String] = []
  ) throws -> ExperimentValue {
    try store.store.read { snapshot in
      let query = try ReportQuery(snapshot, try ReportOptions(arguments: words), defaultBy: [])
      let app = try #require(query.apps.first { $0.name == app })
      let experiment = NameID(try #require(query.facts.number(ofName: "test")))
      let exposed = try #require(try ExposedPersons(query, app: app, experiment: experiment, plan: ExperimentPlan()))
      return try ExperimentValue(exposed, currency: "USD", month: month)
    }
  }

  /// If every user's first paywall view is the first exposure, arms equal the rows by variant: 11.75 against 9 at 3
  /// months.
  @Test func armsOfAnExperiment() throws {
    let lines = Self.lines(copies: 25).map {
      $0.replacingOccurrences(of: #""variant""#, with: #""experiment":"test","variant""#)
    }
    let store = try TestStore(lines: lines)
    let early = try value(store, app: "steps", month: 3)
    #expect(early.arms.map(\.variant) == ["a", "b"] && early.arms.map(\.users) == [1000, 1000])
    #expect(early.arms.map(\.buyers) == [600, 150] && early.daysOfData == 182)
    let difference = try #require(early.arms[1].difference)
    #expect(abs((difference.point ?? 0) + 2.75e6) < 1 && difference.basis == .seen && difference.interval.high < 0)
    #expect(early.arms[1].shareBelow ?? 0 > 0.99 && early.arms[0].difference == nil)
    let late = try value(store, app: "steps", month: 12)
    #expect(late.arms[0].value?.point == nil && late.arms[0].value?.basis == .predicted)
    #expect(late.arms[1].difference?.point == nil && late.arms[1].difference?.interval.high ?? 0 < 0)
    // No renewal of a yearly plan is known.
    let unknown = try value(store, app: "steps", month: 24)
    #expect(unknown.arms[1].value == nil && unknown.arms[1].difference == nil)
    #expect(unknown.arms[1].note == "yearly not known yet from month 13 on (182 days of data)")
  }

  /// D6.9 derived by hand, with 3.2 and 3.3 from the exposure on: 60 users per arm, of whom 20 and 30 pay 10. Control
  /// also has a user who saw a paywall before the test and pays 10, and a trial of the first week that converts for 4.
  /// `late` has no trial and pays 17 on the 12th day, as users of an app's own trial do. A purchase
  /// before the exposure or after 14 days, a trial of the second week and two users seen with both variants add nothing:
  /// (20·10 + 10 + 4 + 17) ÷ 66 = 3.5.
  @Test func valueIsOfExposedUsers() throws {
    typealias Events = ExperimentEvents
    func control(_ user: String, day: Int64) -> String { Events.exposure(user, "control", ms: Events.days(day)) }
    let store = try TestStore(
      lines: Events.arm("control", persons: 60, paying: 20) + Events.arm("new", persons: 60, paying: 30) + [
        Events.line("paywall_impression", "seen", ms: 0, #","paywall":"p","entry_point":"e""#),
        control("seen", day: 9), Events.conversion("seen", ms: Events.days(10), "10"),
        control("trial", day: 0), Events.trial("trial", ms: Events.days(6)),
        Events.conversion("trial", ms: Events.days(13), "4"),
        Events.conversion("before", ms: 0, "10"), control("before", day: 1),
        control("second", day: 0), Events.trial("second", ms: Events.days(8)),
        Events.conversion("second", ms: Events.days(15), "4"),
        control("late", day: 0), Events.conversion("late", ms: Events.days(12), "17"),
        control("later", day: 0), Events.conversion("later", ms: Events.days(14), "17"),
        control("both", day: 0), Events.exposure("both", "new", ms: Events.days(1)),
        Events.conversion("both", ms: Events.days(2), "10"),
      ])
    let value = try value(store, app: "demo", month: 1, ["--as-of", "2026-02-10T00:00:00Z"])
    #expect(value.arms.map(\.users) == [66, 60] && value.arms.map(\.buyers) == [23, 30])
    #expect(value.arms.map { $0.value?.point } == [3_500_000, 5_000_000])
    #expect(value.arms[1].difference?.point == 1_500_000)
    // Only users whose horizon of 7 d + 7 d of trial + 3 d of grace is over.
    let early = try self.value(store, app: "demo", month: 1, ["--as-of", "2026-01-19T00:00:00Z"])
    #expect(early.arms.map(\.users) == [9, 4])
  }

  @Test func crossingsSkipWhatIsEqual() {
    #expect(ValuePairs.crossings([1, 0, 2, nil]) == [])
    #expect(ValuePairs.crossings([0, 1, 0, -1, -1, 2]) == [4, 6])
    #expect(ValuePairs.crossings([nil, nil]) == [])
  }

  /// Weeks: 4.348 in a month, so 5 of them start in it; 13.04 in three; 104.36 in two years.
  @Test func paymentsThatAreDue() {
    func due(_ plan: Plan) -> [Int] { Value.horizons.map { plan.payments(within: $0) } }
    #expect(due(.weekly) == [5, 14, 53, 105])
    #expect(due(.monthly) == [1, 3, 12, 24])
    #expect(due(.twoMonth) == [1, 2, 6, 12])
    #expect(due(.quarterly) == [1, 1, 4, 8])
    #expect(due(.semiannual) == [1, 1, 2, 4])
    #expect(due(.yearly) == [1, 1, 1, 2])
    #expect(due(.lifetime) == [1, 1, 1, 1])
  }

  /// Fader and Hardie's High End customers seen for seven years: years 8 to 12 are their published forecasts, 46.0,
  /// 43.6, 41.4, 39.5 and 37.8%.
  @Test func survivalBeyondWhatWasSeenIsTheFits() {
    var counts = RenewalCounts()
    counts.add(alive: [1000, 869, 743, 653, 593, 551, 517, 491])
    let curve = PlanSurvival(counts, assumed: nil, payments: 13)
    #expect(
      curve.shares.prefix(8).elementsEqual([1, 0.869, 0.743, 0.653, 0.593, 0.551, 0.517, 0.491]) {
        abs($0 - $1) < 1e-12
      })
    #expect(
      curve.bases.prefix(8).allSatisfy { $0 == .seen } && curve.bases.dropFirst(8).allSatisfy { $0 == .predicted })
    // The fit's own S(7) is 0.488; the curve continues from the observed 0.491.
    let forecast = [46.0, 43.6, 41.4, 39.5, 37.8]
    #expect(zip(curve.shares.dropFirst(8), forecast).allSatisfy { abs(100 * $0 - $1) < 0.7 })
    let ratios = zip(curve.shares.dropFirst(9), curve.shares.dropFirst(8)).map { $0 / $1 }
    #expect(zip(ratios, [43.6 / 46.0, 41.4 / 43.6, 39.5 / 41.4, 37.8 / 39.5]).allSatisfy { abs($0 - $1) < 0.0015 })
  }

  @Test func nothingIsInventedWhereNothingIsKnown() {
    let empty = PlanSurvival(RenewalCounts(), assumed: nil, payments: 5)
    #expect(empty.shares == [1])
    let assumed = PlanSurvival(RenewalCounts(), assumed: 0.5, payments: 3)
    #expect(assumed.shares == [1, 0.5, 0.25] && assumed.bases.last == .assumed)
  }

  /// 200 simulated samples of 400 viewers, a fifth of whom buy the month for 10, with seven tenths renewing each time:
  /// three months bring 0.2 · 10 · (1 + 0.7 + 0.49) = 4.38. The interval of 95% covers that in 95 ± 4.6% (3 standard
  /// errors).
  @Test func intervalsCoverTheTruth() {
    let truth = 0.2 * 10e6 * (1 + 0.7 + 0.49)
    var covered = 0
    for sample in 0..<200 {
      let random = CounterGenerator(name: "coverage/\(sample)")
      let buyers = binomialDraw(trials: 400, probability: 0.2, uniform: random.uniform(at: 0))
      let second = binomialDraw(trials: buyers, probability: 0.7, uniform: random.uniform(at: 1))
      let third = binomialDraw(trials: second, probability: 0.7, uniform: random.uniform(at: 2))
      let counts = RenewalCounts(lost: [buyers - second, second - third], kept: [second, third])
      let generator = CounterGenerator(name: "coverage/\(sample)/renewals")
      let part = ValueEstimate.Part(
        plan: .monthly, firstPayments: [(10e6, Int(buyers))], renewalPrice: 10e6,
        survival: PlanSurvival(counts, assumed: nil, payments: 3),
        resampledSums: (0..<ValueEstimate.resamples).map {
          PlanSurvival(counts.resampled(generator, at: UInt64(2 * $0)), assumed: nil, payments: 3).renewalSums
        })
      let estimate = ValueEstimate([part], viewers: 400, CounterGenerator(name: "coverage/\(sample)/viewers"))
      if estimate.interval(month: 3)?.contains(truth) ?? false { covered += 1 }
    }
    #expect(covered >= 181 && covered <= 199, "\(covered) of 200")
  }

  /// Of 41 viewers, 30 pay 10 three times, and one pays 1,000 three times. A resample leaves out that one's first payment
  /// with probability 1/e, and its renewals as well: in 13.5% of the resamples, a viewer brings what the others do, about
  /// 30·3·10 ÷ 41 = 21.95. The lower end, which leaves out 2.5%, is below that.
  @Test func oneLargePayerMakesTheRangeWide() throws {
    var lines = (0..<41).map {
      Self.line("i\($0)", "paywall_impression", "2026-01-01", "u\($0)", #","entry_point":"w""#)
    }
    for user in 0..<31 {
      let sale = Self.sale("monthly", user == 0 ? 1_000 : 10)
      lines.append(Self.line("c\(user)", "conversion", "2026-01-01", "u\(user)", sale))
      lines += ["02", "03"].map { Self.line("r\($0)-\(user)", "renewal", "2026-\($0)-01", "u\(user)", sale) }
    }
    lines.append(Self.line("z", "activity", "2026-03-20", "z", ""))
    let table = try TestStore(lines: lines).table("value", "--by", "none", "--mode", "net")
    // (1,000 + 300)·3 ÷ 41.
    #expect(table.column("value_3") == ["95.12"])
    #expect(table.column("value_3_low").compactMap(Double.init).allSatisfy { $0 < 21.95 })
    #expect(table.column("value_3_high").compactMap(Double.init).allSatisfy { $0 > 95.12 })
  }

  /// TechnIQ's dollars in the committed sample compared with the rates of the simulation:
  ///
  ///     V(3) = paid · 6.99 · ((1 − refund) + (1 − 0.01) · (S(2) + S(3)))
  ///
  /// with S over the entry points, weighted by their sales. The interval of each variant contains it.
  @Test func findsTheTruthOfTheSample() throws {
    let store = try TestStore(paths: [Fixtures.package.appendingPathComponent("SampleData/events").path])
    let table = try store.table(
      "value", "--app", "techniq", "--by", "variant", "--where", "country=US", "--mode", "net")
    let app = try #require(Truth.standard.app("techniq"))
    for variant in app.experiment.variants {
      let row = try #require(table.rows.first { $0[1] == variant })
      var (sold, second, third, refunded) = (0.0, 0.0, 0.0, 0.0)
      for place in app.entryPoints {
        let paid = place.share * (try #require(app.paywallRates(variant: variant, entryPoint: place.name))).paidRate
        let rates = try #require(app.subscriptionRates(variant: variant, entryPoint: place.name, plan: .monthly))
        sold += paid
        refunded += paid * rates.refundRate
        second += paid * rates.firstRenewalRate
        third += paid * rates.firstRenewalRate * rates.laterRenewalRate
      }
      let truth = [1: 6.99 * (sold - refunded), 3: 6.99 * (sold - refunded + 0.99 * (second + third))]
      for (month, value) in truth {
        let low = try #require(table.number("value_\(month)_low", in: row))
        let high = try #require(table.number("value_\(month)_high", in: row))
        #expect(low <= value && value <= high, "\(variant) \(month): \(value) in \(low) to \(high)")
        #expect(high - low < value, "\(variant) \(month): \(low) to \(high) proves nothing")
      }
    }
  }

  /// Six of twelve viewers at `map` pay, and one of twelve at `home`: the row of few is named, not the app.
  @Test func rowsOfFewAreNamed() throws {
    let lines = [("map", 6), ("home", 1)].flatMap { entry, paying in
      (0..<12).flatMap { user -> [String] in
        let view = ExperimentEvents.line(
          "paywall_impression", "\(entry)\(user)", ms: 0, #","entry_point":"\#(entry)""#)
        return [view] + (user < paying ? [ExperimentEvents.conversion("\(entry)\(user)", ms: 1, "10")] : [])
      }
    }
    let end = ExperimentEvents.line("activity", "end", ms: ExperimentEvents.days(60))
    let text = try render(TestStore(lines: lines + [end]).report("value", ["--by", "entry_point"]), as: .table)
    #expect(text.contains("home: fewer than 5 buyers, too few to say what a viewer is worth."), "\(text)")
  }

  /// The only viewer has paid, but is too recent to count.
  @Test func recentViewersHaveNoWorthYet() throws {
    let store = try TestStore(lines: [
      ExperimentEvents.line("paywall_impression", "u", ms: 0, #","entry_point":"e","variant":"v""#),
      ExperimentEvents.conversion("u", ms: 1, "10"),
    ])
    let text = try render(store.report("value", []), as: .table)
    #expect(text.contains("No viewer counts yet, so what a viewer is worth is not known."), "\(text)")
  }

  /// One store and one set of arguments always give identical bytes.
  @Test func resamplesAreTheSameEveryTime() throws {
    let store = try TestStore(lines: RandomLives(seed: 5, persons: 120).lines.map(\.text))
    let once = try store.csv("value", ["--by", "variant"])
    #expect(try store.csv("value", ["--by", "variant"]) == once)
  }
}
