import EventModel
import Foundation
import Simulation
import Testing
import TruthSupport

/// Compares the four reports on `SampleData/events` with the simulation's parameters (`Simulation.Truth`), which
/// neither the store nor the metrics use.
///
/// Tolerance: 4 standard errors of the true share. The files are fixed, so results do not vary between runs; over the
/// approximately 250 shares compared, 4 standard errors give a false alarm with a probability below 2%.
@Suite(.serialized)
struct SampleTruthTests {
  static let store = Result {
    try TestStore(paths: [Fixtures.package.appendingPathComponent("SampleData/events").path])
  }

  /// A share in a report, and the true one.
  private struct Share {
    var place: String
    var hits: Double
    var chances: Double
    var truth: Double

    private var deviation: Double { abs(hits - chances * truth) }
    var variance: Double { chances * truth * (1 - truth) }
    /// Whether at least 5 cases of either kind are expected; below that the normal bound has no meaning, and shares are
    /// pooled.
    var isLarge: Bool { chances * min(truth, 1 - truth) >= 5 }
    var agrees: Bool { deviation <= 4 * variance.squareRoot() }
  }

  /// Returns the share of a rate in a report's row, with its denominator and the truth.
  private func share(_ table: Table, _ row: [String], _ hits: String, of chances: String, _ truth: Double) throws
    -> Share
  {
    try Share(
      place: "\(row.prefix(4)) \(hits)", hits: #require(table.number(hits, in: row)),
      chances: #require(table.number(chances, in: row)), truth: truth)
  }

  /// Checks each large share alone, and all shares of one name pooled; the pooled standard error must be at most an
  /// eighth of the expected value, so that errors show.
  private func expectAgreement(_ shares: [String: [Share]], teeth: Double = 1 / 8.0) {
    for (name, all) in shares {
      for share in all where share.isLarge { #expect(share.agrees, "\(name) \(share)") }
      let hits = all.reduce(0) { $0 + $1.hits }
      let expected = all.reduce(0) { $0 + $1.chances * $1.truth }
      let error = all.reduce(0) { $0 + $1.variance }.squareRoot()
      #expect(abs(hits - expected) <= 4 * error, "\(name): \(hits) instead of \(expected) ± \(error)")
      #expect(error <= expected * teeth, "\(name): \(error) of \(expected) proves nothing")
    }
  }

  @Test(arguments: ["variant", "variant,entry_point"])
  func funnelFindsTheRatesOfThePaywalls(by: String) throws {
    let table = try Self.store.get().table("funnel", "--by", by)
    var shares: [String: [Share]] = [:]
    for app in Truth.standard.apps {
      for row in table.rows where row[0] == app.name {
        let entryPoint = by == "variant" ? nil : row[2]
        let rates = try #require(app.paywallRates(variant: row[1], entryPoint: entryPoint), "\(row.prefix(3))")
        shares["trial", default: []].append(try share(table, row, "trial_users", of: "users", rates.trialRate))
        shares["direct", default: []].append(try share(table, row, "direct_paid_users", of: "users", rates.directRate))
        shares["paid", default: []].append(try share(table, row, "paid_users", of: "users", rates.paidRate))
        if let truth = rates.trialToPaidRate {
          shares["trial paid", default: []].append(try share(table, row, "trial_paid_users", of: "trial_users", truth))
        }
      }
    }
    #expect(table.rows.count == (by == "variant" ? 8 : 2 * (3 + 4 + 10 + 8)))
    expectAgreement(shares)
    // Coach and PraxisEn have no introductory trial, and so no rate.
    for row in table.rows where row[0] == "coach" || row[0] == "praxisen" {
      #expect(table.number("trial_users", in: row) == 0 && table.number("trial_to_paid_rate", in: row) == nil)
    }
  }

  @Test func trialsFindTheRatesOfThePaywalls() throws {
    let table = try Self.store.get().table(
      "trials", "--by", "variant,entry_point", "--where", "trial_kind=introductory")
    var shares: [String: [Share]] = [:]
    for app in Truth.standard.apps {
      for row in table.rows where row[0] == app.name && row[1] != "(unattributed)" {
        let rates = try #require(app.paywallRates(variant: row[1], entryPoint: row[2]), "\(row.prefix(3))")
        shares["converted", default: []].append(
          try share(table, row, "matured_converted", of: "matured", #require(rates.trialToPaidRate)))
        shares["cancelled", default: []].append(
          try share(table, row, "cancelled", of: "matured", #require(rates.trialCancelRate)))
      }
    }
    expectAgreement(shares)
    #expect(Set(table.column("app")) == ["steps", "techniq"])

    // The incidence over all trials, pending ones included, agrees with the headline over the matured ones.
    let byVariant = try Self.store.get().table("trials", "--by", "variant", "--where", "trial_kind=introductory")
    for row in byVariant.rows {
      let app = try #require(Truth.standard.app(row[0]))
      let truth = try #require(app.paywallRates(variant: row[1])?.trialToPaidRate)
      let matured = try #require(byVariant.number("matured", in: row))
      let incidence = try #require(byVariant.number("cumulative_incidence", in: row))
      #expect(abs(incidence - truth) <= 4 * (truth * (1 - truth) / matured).squareRoot(), "\(row)")
    }
    // Coach's trials are the app's own: by variant, the share of exposed users who pay.
    let coach = try Self.store.get().table("trials", "--app", "coach", "--by", "variant")
    let truth = try #require(Truth.standard.app("coach"))
    expectAgreement([
      "coach": try coach.rows.map { row in
        try share(
          coach, row, "matured_converted", of: "matured", #require(truth.exposureRates(variant: row[1]).trialToPaid))
      }
    ])
  }

  @Test func cancellationsFindTheRatesOfTheSubscriptions() throws {
    let table = try Self.store.get().table("cancellations", "--by", "variant,entry_point,plan")
    var shares: [String: [Share]] = [:]
    for app in Truth.standard.apps {
      for row in table.rows where row[0] == app.name && row[1] != "(unattributed)" {
        let plan = try #require(Plan(name: row[3]))
        let rates = try #require(
          app.subscriptionRates(variant: row[1], entryPoint: row[2], plan: plan), "\(row.prefix(4))")
        let columns: [(String, String, Double)] = [
          ("cancelled_35", "at_risk_35", rates.cancelled35), ("ended_35", "followed_35", rates.ended35),
          ("cancelled_95", "at_risk_95", rates.cancelled95), ("ended_95", "followed_95", rates.ended95),
          ("refunded", "refund_at_risk", rates.refundRate),
        ]
        for (hits, chances, truth) in columns {
          shares[hits, default: []].append(try share(table, row, hits, of: chances, truth))
        }
      }
    }
    // After 70 days no subscription is 95 d old. Refunds are rare: about 30.
    for name in ["cancelled_95", "ended_95"] {
      #expect(shares.removeValue(forKey: name)?.allSatisfy { $0.chances == 0 } == true)
    }
    expectAgreement(shares, teeth: 1 / 5.0)
  }

  /// Shown pairs match the price lists; the yearly shares match those of the arms.
  @Test func savingsFindThePricesAndTheShares() throws {
    let table = try Self.store.get().table("savings", "--by", "variant")
    let steps = "price_source monthly_price yearly_price shown_saving badge_percent"
    // 1 − 19.99 ÷ (12 · 2.99) = 0.442865; 1 − 19.99 ÷ (12 · 3.99) = 0.582498: SAVE 44% and SAVE 58%.
    #expect(
      table.cells(steps, of: "steps", "control", "individual", "USD") == "shown 2.99 19.99 0.442865 44")
    #expect(table.cells(steps, of: "steps", "anchor", "individual", "USD") == "shown 3.99 19.99 0.582498 58")
    #expect(
      table.cells(steps, of: "praxisen", "control", "individual", "USD") == "shown 4.99 29.99 0.499165 49")
    // TechnIQ sells no yearly plan.
    #expect(table.cells("yearly_price shown_saving", of: "techniq", "control", "individual", "USD") == "- -")

    var shares: [String: [Share]] = [:]
    for app in Truth.standard.apps {
      for variant in app.experiment.variants {
        let rows = table.rows.filter { $0[0] == app.name && $0[1] == variant }
        func sum(_ name: String) -> Double { rows.compactMap { table.number(name, in: $0) }.reduce(0, +) }
        let all = ["weekly", "monthly", "yearly", "lifetime", "other"].reduce(0) { $0 + sum("\($1)_purchases") }
        shares["yearly", default: []].append(
          Share(
            place: "\(app.name) \(variant)", hits: sum("yearly_purchases"), chances: all,
            truth: app.exposureRates(variant: variant).yearlyShare))
      }
    }
    expectAgreement(shares)
  }

  /// The true effects: the winner sells more; the loser sells less; the null has no difference; the trap wins trials
  /// and loses payments. Differences are beyond 3 standard errors if there is an effect, and within 3 if there is none.
  @Test func reportsShowTheDirectionOfEachExperiment() throws {
    let funnel = try Self.store.get().table("funnel", "--by", "variant")
    func difference(_ app: String, _ hits: String, of chances: String = "users") throws -> Double {
      let truth = try #require(Truth.standard.app(app))
      let arms = try truth.experiment.variants.map { variant -> (share: Double, variance: Double) in
        let row = try #require(funnel.rows.first { $0[0] == app && $0[1] == variant })
        let n = try #require(funnel.number(chances, in: row))
        let share = try #require(funnel.number(hits, in: row)) / n
        return (share, share * (1 - share) / n)
      }
      return (arms[1].share - arms[0].share) / (arms[0].variance + arms[1].variance).squareRoot()
    }
    let verdicts = Dictionary(
      uniqueKeysWithValues: Truth.standard.apps.map { ($0.experiment.verdict, $0.name) })
    let winner = try #require(verdicts[.winner])
    #expect(try difference(winner, "trial_users") > 3)
    #expect(try difference(winner, "paid_users") > 3)
    #expect(try difference(#require(verdicts[.loser]), "paid_users") < -3)
    let null = try #require(verdicts[.null])
    #expect(try abs(difference(null, "paid_users")) < 3)
    let trap = try #require(verdicts[.trap])
    #expect(try difference(trap, "trial_users") > 3)
    #expect(try difference(trap, "trial_paid_users", of: "trial_users") < -3)
    #expect(try difference(trap, "paid_users") < -3)
  }
}
