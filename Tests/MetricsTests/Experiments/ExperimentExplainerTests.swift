import Foundation
import Metrics
import Reports
import Testing

/// The list of `explain experiment`, from users' facts, adds up to the readout's numbers, from cells.
@Suite struct ExperimentExplainerTests {
  private typealias Events = ExperimentEvents

  /// All but e are exposed at the start, S; the as-of is S + 40 d. In `control`:
  ///
  /// - a: trial at S + 1 d, converts at its end for 4.00
  /// - b: buys at S + 1 d for 9.99, refunded in full at S + 2 d
  /// - c: does nothing
  /// - e: exposed at S + 39 d
  ///
  /// In `new`: d buys for 10.00. g is seen with both, control first.
  private static let lines: [String] = {
    let at = Events.days
    return ["a", "b", "c"].map { Events.exposure($0, "control") }
      + [
        Events.exposure("d", "new"), Events.exposure("e", "control", ms: at(39, 0)),
        Events.exposure("g", "control"), Events.exposure("g", "new", ms: 1),
        Events.trial("a", ms: at(1, 0)), Events.conversion("a", ms: at(8, 0), "4.00"),
        Events.conversion("b", ms: at(1, 0), "9.99"), Events.line("refund", "b", ms: at(2, 0)),
        Events.conversion("d", ms: at(1, 0), "10.00"),
      ]
  }()

  private func explain(
    _ store: TestStore, _ column: String, _ cell: [(name: String, value: String)] = [("variant", "control")],
    _ words: [String] = ["--as-of", "2026-02-10T00:00:00Z"], yaml: String? = nil, name: String = "test",
    offset: Int = 0,
    limit: Int? = nil
  ) throws -> Explanation {
    let plan = try yaml.map { try ExperimentPlan(yaml: $0, experiment: name, file: "plan.yaml") } ?? ExperimentPlan()
    let options = try ReportOptions(arguments: words)
    return try store.store.read { snapshot in
      try ExperimentExplainer(snapshot, options, ExperimentOptions(experiment: name, plan: plan), cell: cell)
        .explanation(of: column, offset: offset, limit: limit)
    }
  }

  /// Returns sums in units: numerator, denominator, then units that do not count and units elsewhere.
  private func sums(_ explanation: Explanation) -> [Double] {
    let of = explanation.counts.filter { $0.place == .counted }.map(\.amount)
    let others = explanation.counts.filter { $0.place != .counted }.map(\.amount)
    return (of + others).map { Double($0.millionths) / 1e6 }
  }

  @Test func personsAreCountedAsTheDefinitionsSay() throws {
    let store = try TestStore(lines: Self.lines)
    // a, b, c and e; g is crossed; d is elsewhere.
    #expect(sums(try explain(store, "persons")) == [4, 1, 1])
    // a and b of a, b and c; e has 1 d.
    #expect(sums(try explain(store, "paid")) == [2, 3, 1, 1, 1])
    #expect(sums(try explain(store, "trial_start")) == [1, 3, 1, 1, 1])
    #expect(sums(try explain(store, "refunded")) == [1, 3, 1, 1, 1])
    // 4.00 + (9.99 − 9.99), of three users, two of whom paid.
    #expect(sums(try explain(store, "revenue")) == [4, 3, 1, 1, 1])
    #expect(sums(try explain(store, "revenue_per_payer")) == [4, 2, 1, 1, 1])
    // One trial of four users.
    let trials = try explain(store, "trial_to_paid")
    #expect(sums(trials) == [1, 1, 3, 1, 1] && trials.isEstimate && trials.of == nil)

    let paid = try explain(store, "paid")
    #expect(paid.persons.map(\.user) == ["a", "b", "c", "e", "g"])
    #expect(paid.persons.map(\.amount.isZero) == [false, false, true, true, true])
    #expect(
      paid.persons.map(\.reasons) == [
        ["counted"], ["counted"], ["not in the numerator"], ["too recent to count: first exposed later (8.2)"],
        ["users who also saw another variant (8.1)"],
      ])
    #expect(
      paid.persons.last?.events.map(\.role) == [
        "first exposure to the variant control of test (8.1)", "first exposure to the variant new of test (8.1)",
      ])
    #expect(paid.cell.map(\.value) == ["demo", "test", "control"])
    let roles = try #require(paid.persons.first).events.map(\.role)
    #expect(roles.first == "first exposure to test (8.1): control")
    #expect(roles.last?.contains("a purchase (2.9)") == true)
    let page = try explain(store, "paid", offset: 1, limit: 1)
    #expect(page.persons.map(\.user) == ["b"] && page.personCount == 5 && page.total == paid.total)
  }

  /// D6.2 derived by hand, in `control`: a pays 4.00 EUR, which is 5.00 USD by its `price_usd`, and is refunded at that
  /// rate. b pays 3.00 EUR at a's rate of that day, 1.25: 3.75 USD. c pays 2.00 USD. Of three users, who all paid: (0 +
  /// 3.75 + 2) ÷ 3.
  @Test func convertedRevenueIsExplainedWithItsRates() throws {
    let at = Events.days
    let store = try TestStore(
      lines: ["a", "b", "c"].map { Events.exposure($0, "control") } + [
        Events.exposure("d", "new"),
        Events.line(
          "conversion", "a", ms: at(1, 0),
          #","plan":"monthly","product_id":"pro","price":4.00,"price_usd":5.00,"currency":"EUR""#),
        Events.line("refund", "a", ms: at(3, 0), #","product_id":"pro","price":4.00,"currency":"EUR""#),
        Events.conversion("b", ms: at(1, 5), "3.00", "EUR"), Events.conversion("c", ms: at(1, 0), "2.00"),
        // After the 30 days.
        Events.line(
          "renewal", "c", ms: at(31, 0), #","plan":"monthly","product_id":"pro","price":2.00,"currency":"USD""#),
      ])
    let revenue = try explain(store, "revenue")
    #expect(sums(revenue) == [5.75, 3, 1])
    #expect(revenue.persons.map(\.amount.millionths) == [3_750_000, 2_000_000, 0])
    func roles(_ user: String) -> String {
      revenue.persons.first { $0.user == user }?.events.map(\.role).joined(separator: "\n") ?? ""
    }
    #expect(roles("b").hasSuffix("counts 3.75 USD at 1.25 USD per EUR (D6.2)"))
    #expect(roles("a").contains("counts 5.00 USD at 1.25 USD per EUR (D6.2)"))
    #expect(roles("a").hasSuffix("counts -5.00 USD at 1.25 USD per EUR (D6.2)"))
    #expect(roles("c").contains("counts 2.00 USD (D6.4)"))
    #expect(sums(try explain(store, "revenue_per_payer")) == [5.75, 3, 1])
    // Without rates, the currency is that of most payers; the other payments count as 0, and a note says so.
    let bare = try TestStore(
      lines: ["a", "b", "c"].map { Events.exposure($0, "control") } + [
        Events.exposure("d", "new"), Events.conversion("a", ms: at(1, 0), "4.00", "EUR"),
        Events.conversion("b", ms: at(1, 0), "3.00", "EUR"), Events.conversion("c", ms: at(1, 0), "2.00"),
      ])
    let partial = try explain(bare, "revenue")
    #expect(sums(partial) == [7, 3, 1])
    #expect(partial.persons.last?.events.last?.role.hasSuffix("counts 0: no rate from USD to EUR (D6.3)") == true)
  }

  @Test func whatCannotBeExplainedSaysWhy() throws {
    let store = try TestStore(lines: Self.lines)
    func error(_ body: () throws -> Explanation) -> String {
      do {
        return "explained: \(try body().column)"
      } catch { return "\(error)" }
    }
    #expect(error { try explain(store, "pay") }.hasPrefix("--column is pay, but must be one of persons, paid"))
    #expect(error { try explain(store, "paid", []) } == "--cell matches 2 rows; add variant=VALUE")
    #expect(
      error { try explain(store, "paid", [("variant", "x")]) }.hasPrefix("no row has variant=x; print the report"))
    #expect(error { try explain(store, "paid", [("plan", "x")]) }.hasPrefix("the cell names plan"))
    #expect(error { try explain(store, "paid", name: "nix") }.contains("no user saw the experiment nix"))
    // No user's 14 days are over.
    #expect(
      error { try explain(store, "paid", [("variant", "new")], ["--as-of", "2026-01-10T00:00:00Z"]) }.contains(
        "is empty in this cell"))
  }

  /// Derived by hand, in `control`, over a, b and c (g is crossed; e is exposed on day 39): a is active on days 1, 2
  /// and 9 with weights 1.5, 2 and 100, b on day 3 without a weight, and buys on day 1.
  @Test func metricsOfThePlanAreExplained() throws {
    func active(_ user: String, _ day: Int64, _ rest: String = "") -> String {
      Events.line("activity", user, ms: Events.days(day), rest)
    }
    let store = try TestStore(
      lines: Self.lines + [
        active("a", 1, #","properties":{"weight":1.5}"#), active("a", 2, #","properties":{"weight":2}"#),
        active("a", 9, #","properties":{"weight":100}"#), active("b", 3),
      ])
    let yaml = """
      metrics:
        - {name: back, kind: proportion, event: activity, window: [1, 8]}
        - {name: weight, kind: mean, event: activity, value: "property:weight", window: 14}
        - {name: low, kind: mean, event: activity, value: "property:weight", window: 14, cap: 10}
        - {name: each, kind: ratio, event: activity, value: "property:weight", denominator: {event: activity}, window: 14}
        - {name: soon, kind: time_to_event, event: activity, window: 14}
      """
    func explain(_ column: String) throws -> Explanation { try self.explain(store, column, yaml: yaml) }
    // e and g do not count.
    #expect(sums(try explain("back")) == [2, 3, 1, 1, 1])
    #expect(sums(try explain("weight")) == [103.5, 3, 1, 1, 1])
    #expect(sums(try explain("low")) == [10, 3, 1, 1, 1])
    #expect(sums(try explain("each")) == [103.5, 4, 1, 1, 1])
    // e is followed for a day and then censored.
    let soon = try explain("soon")
    #expect(sums(soon) == [2, 4, 1, 1] && soon.isEstimate)
    let weight = try explain("weight")
    #expect(weight.persons.map(\.user) == ["a", "b", "c", "e", "g"])
    #expect(
      weight.persons.map(\.reasons) == [
        ["counted"], ["no such event"], ["no such event"], ["too recent to count: first exposed later (8.2)"],
        ["users who also saw another variant (8.1)"],
      ])
    #expect(
      weight.persons.first?.events.map(\.role) == [
        "first exposure to test (8.1): control", "counts 1.5 (8.2)", "counts 2 (8.2)", "counts 100 (8.2)",
      ])
    #expect(try explain("back").persons.first?.events.count == 3)
  }

  /// One metric lists all users, the others one page, because histories take time.
  private static let listedInFull = "refunded"

  private func explainAll(
    _ columns: [String], of name: String, _ cell: [(name: String, value: String)], _ words: [String],
    in store: TestStore
  ) throws -> [Explanation] {
    let options = try ReportOptions(arguments: words)
    return try store.store.read { snapshot in
      let explainer = try ExperimentExplainer(snapshot, options, ExperimentOptions(experiment: name), cell: cell)
      return try columns.map { column in
        try explainer.explanation(of: column, limit: column == Self.listedInFull ? nil : 3)
      }
    }
  }

  /// Every metric of every variant, in all experiments of the sample, and over a part of the users.
  @Test(arguments: [
    ["--currency", "native"], ["--currency", "EUR"], ["--where", "platform=ios"], ["--as-of", "2026-02-20T00:00:00Z"],
  ])
  func everyNumberOfTheSampleIsTheSumOfWhatIsListed(words: [String]) throws {
    let store = try TestStore(paths: [Fixtures.package.appendingPathComponent("SampleData/events").path])
    let rates = Fixtures.package.appendingPathComponent("SampleData/rates.csv")
    _ = try store.store.importRates(RateFile.rates(String(contentsOf: rates, encoding: .utf8), name: "rates.csv"))
    var explained = 0
    for name in ["steps_yearly_anchor", "coach_gate_timing", "praxisen_limit_copy", "techniq_headline"] {
      let readout = try store.readout(name, words)
      for (arm, variant) in readout.arms.enumerated() {
        let cell = [(name: "app", value: readout.app), (name: "variant", value: variant.variant)]
        let metrics = readout.metrics.filter { $0.capped == nil && $0.arms[arm].estimate != nil }
        let explanations = try explainAll(metrics.map(\.metric.name), of: name, cell, words, in: store)
        for (metric, explanation) in zip(metrics, explanations) {
          let result = metric.arms[arm]
          let what = "\(name) \(variant.variant) \(metric.metric.name)"
          let sums = sums(explanation)
          switch metric.metric.kind {
          case .proportion: #expect(sums.prefix(2) == [Double(result.events), Double(result.persons)], "\(what)")
          // Converted amounts are rounded to the micro-unit for each user.
          case .mean, .ratio: #expect(abs(sums[0] / sums[1] - (result.estimate ?? 0)) < 1e-6, "\(what)")
          case .incidence: #expect(sums[1] == Double(result.persons), "\(what)")
          }
          if metric.metric.name == Self.listedInFull {
            #expect(explanation.persons.count == explanation.personCount, "\(what)")
            let sum = explanation.persons.reduce(Int128(0)) { $0 + $1.amount.millionths }
            #expect(sum == explanation.total.millionths, "\(what)")
            #expect(explanation.persons.allSatisfy { !$0.events.isEmpty }, "\(what)")
          }
          explained += 1
        }
      }
    }
    #expect(explained > 40)
  }

  /// A purchase of another product in the trial, one cancellation of each, and the trial's own conversion in its grace: that of
  /// the trial's product is of the trial (2.3, 2.4), whose conversion comes after it; that of the other is not.
  @Test func cancelledTrialsAreThoseOfTheListedEvents() throws {
    func line(_ kind: String, _ days: Int64, _ product: String, _ more: String = "") -> String {
      Events.line(
        kind, "a", ms: Events.days(days), #","product_id":"\#(product)","subscription_id":"s-\#(product)"\#(more)"#,
        id: product)
    }
    let paid = #","plan":"monthly","price":5,"currency":"USD""#
    let lines = [
      Events.exposure("a", "new"), Events.exposure("b", "control"),
      line("trial_start", 1, "one", #","trial_days":7,"plan":"monthly""#), line("conversion", 3, "two", paid),
      line("cancellation", 4, "two"),
    ]
    let rest = [line("conversion", 9, "one", paid)]
    for (own, isCancelled) in [([], false), ([line("cancellation", 5, "one")], true)] {
      let store = try TestStore(lines: lines + own + rest)
      let explanation = try explain(store, "trial_cancelled", [("variant", "new")])
      #expect(sums(explanation).prefix(2) == [isCancelled ? 1 : 0, 1])
      let roles = explanation.persons.flatMap(\.events).map(\.role)
      #expect(roles.contains { $0.contains("auto-renew off in the trial of 2026-01-02") } == isCancelled)
      let trials = try store.report("trials", ["--by", "none", "--as-of", "2026-02-10T00:00:00Z"])
      let place = try #require(trials.columns.firstIndex { $0.name == "cancelled" })
      #expect(trials.rows.first?[place] == .count(isCancelled ? 1 : 0))
    }
  }

  /// Trials of 7.5 d have a horizon of 7 d + 7.5 d (definitions 8.2, D5.3): a user exposed 14.25 d before the as-of is too
  /// recent, though 14 whole days have passed.
  @Test func horizonsOfHalfDaysAreNotCutToWholeDays() throws {
    let recent = Events.days(40) - Events.days(57) / 4
    let lines = [("a", Int64(0)), ("b", recent)].flatMap { user, at in
      let trial = at + Events.day
      let end = #","trial_ends_at":\#(Events.start + trial + Events.days(15) / 2),"plan":"monthly","product_id":"pro""#
      return [
        Events.exposure(user, "new", ms: at), Events.line("trial_start", user, ms: trial, end),
        Events.line("cancellation", user, ms: trial + Events.day),
      ]
    }
    let store = try TestStore(lines: lines + [Events.exposure("c", "control")])
    let readout = try store.readout("test", ["--as-of", "2026-02-10T00:00:00Z"])
    #expect(readout.counts("trial_cancelled", "new") == "1 1 1")
    #expect(sums(try explain(store, "trial_cancelled", [("variant", "new")])).prefix(2) == [1, 1])
  }
}
