import EventModel
import Testing
import TruthSupport

@testable import Simulation

/// Compares the formulas of ``Truth`` with simple counts over the events, by the definitions.
struct TruthTests {
  /// Counts of one cell: the users who could act, and those who did.
  private struct Counts {
    var chances: [String: Int] = [:]
    var hits: [String: Int] = [:]

    mutating func count(_ name: String, _ happened: Bool) {
      chances[name, default: 0] += 1
      if happened { hits[name, default: 0] += 1 }
    }

    /// Returns whether the counted share is within 4 standard errors of the truth. The seed is fixed, so runs do not
    /// differ. Skips cells with fewer than 5 expected of either kind, where the normal bound is meaningless.
    func agrees(_ name: String, _ truth: Double) -> Bool {
      let n = Double(chances[name, default: 0])
      guard n * min(truth, 1 - truth) >= 5 else { return truth > 0 || hits[name] == nil }
      let share = Double(hits[name, default: 0]) / n
      return abs(share - truth) <= 4 * (truth * (1 - truth) / n).squareRoot()
    }
  }

  /// Pools several cells of small counts: hits compared with the sum of their truths.
  private struct Pool {
    var hits = 0.0
    var expected = 0.0
    var variance = 0.0

    mutating func add(_ counts: Counts, _ name: String, _ truth: Double) {
      let n = Double(counts.chances[name, default: 0])
      hits += Double(counts.hits[name, default: 0])
      expected += n * truth
      variance += n * truth * (1 - truth)
    }

    /// Whether the hits are within 4 standard errors, which must be below a third of the expected count so that errors
    /// show.
    var agrees: Bool {
      abs(hits - expected) <= 4 * variance.squareRoot() && variance.squareRoot() < expected / 12
    }
  }

  private static let days = 150
  private static let options = SampleOptions(seed: 21, size: .persons(48_000), days: days)
  private static let persons = (try? RawEvent.byPerson(options)) ?? []
  private static let asOf = Milliseconds(options.firstDay) + Int64(days) * RawEvent.day

  private static func isPurchase(_ event: RawEvent) -> Bool {
    event.kind == "conversion" && event.price != "0" && event.price != "0.00"
  }

  /// Introductory trials convert by their subscription, the app's own by time; both before end + 3 d.
  private static func conversion(of trial: RawEvent, in events: [RawEvent]) -> RawEvent? {
    events.first {
      isPurchase($0) && $0.instant >= trial.instant && $0.instant < (trial.trialEnd ?? 0) + 3 * RawEvent.day
        && (trial.isAppTrial || $0.subscription == trial.subscription)
    }
  }

  @Test func funnelRatesAreThoseOfTheTruth() throws {
    var cells: [String: Counts] = [:]
    for events in Self.persons {
      guard let entry = events.first(where: { $0.kind == "paywall_impression" }),
        entry.instant + 17 * RawEvent.day <= Self.asOf
      else { continue }
      let window = entry.instant..<entry.instant + 7 * RawEvent.day
      let trials = events.filter { $0.kind == "trial_start" && !$0.isAppTrial }
      let trial = trials.first { window.contains($0.instant) }
      let ofTrials = trials.compactMap { Self.conversion(of: $0, in: events)?.instant }
      let direct = events.contains {
        Self.isPurchase($0) && window.contains($0.instant) && !ofTrials.contains($0.instant)
      }
      let trialPaid = trial.flatMap { Self.conversion(of: $0, in: events) } != nil
      for entryPoint in [entry.entryPoint ?? "", "all"] {
        let cell = "\(entry.app) \(entry.variant ?? "") \(entryPoint)"
        cells[cell, default: Counts()].count("trial", trial != nil)
        cells[cell, default: Counts()].count("direct", direct)
        cells[cell, default: Counts()].count("paid", direct || trialPaid)
        if trial != nil { cells[cell, default: Counts()].count("trial paid", trialPaid) }
      }
    }
    for app in Truth.standard.apps {
      for variant in app.experiment.variants {
        for entryPoint in app.entryPoints.map(\.name) + ["all"] {
          let counts = try #require(cells["\(app.name) \(variant) \(entryPoint)"])
          let rates = try #require(
            app.paywallRates(variant: variant, entryPoint: entryPoint == "all" ? nil : entryPoint))
          let place = "\(app.name) \(variant) \(entryPoint) \(counts)"
          #expect(counts.agrees("trial", rates.trialRate), "\(place)")
          #expect(counts.agrees("direct", rates.directRate), "\(place)")
          #expect(counts.agrees("paid", rates.paidRate), "\(place)")
          if let truth = rates.trialToPaidRate { #expect(counts.agrees("trial paid", truth), "\(place)") }
        }
      }
    }
  }

  @Test func trialsConvertAndAreCancelledAsTheTruthSays() throws {
    var cells: [String: Counts] = [:]
    for events in Self.persons {
      for trial in events where trial.kind == "trial_start" && !trial.isAppTrial {
        guard let end = trial.trialEnd, end + 3 * RawEvent.day <= Self.asOf else { continue }
        let seller = try #require(
          events.last { $0.kind == "paywall_impression" && $0.instant <= trial.instant })
        #expect(trial.entryPoint == nil || trial.entryPoint == seller.entryPoint)
        let last = events.last {
          ($0.kind == "cancellation" || $0.kind == "reactivation") && $0.subscription == trial.subscription
            && $0.instant >= trial.instant && $0.instant < end
        }
        let cell = "\(trial.app) \(seller.variant ?? "") \(seller.entryPoint ?? "")"
        cells[cell, default: Counts()].count("converted", Self.conversion(of: trial, in: events) != nil)
        cells[cell, default: Counts()].count("cancelled", last?.kind == "cancellation")
      }
    }
    #expect(cells.count == 36)
    for (cell, counts) in cells {
      let parts = cell.split(separator: " ").map(String.init)
      let rates = try #require(
        Truth.standard.app(parts[0])?.paywallRates(variant: parts[1], entryPoint: parts[2]))
      #expect(counts.agrees("converted", try #require(rates.trialToPaidRate)), "\(cell) \(counts)")
      #expect(counts.agrees("cancelled", try #require(rates.trialCancelRate)), "\(cell) \(counts)")
    }
  }

  @Test func armsDifferAsTheTruthSays() throws {
    var arms: [String: Counts] = [:]
    for events in Self.persons {
      guard let exposure = events.first(where: { $0.kind == "exposure" }) else { continue }
      // Both arms have equal numbers: control's share is 1/2.
      arms["\(exposure.app) both", default: Counts()].count("control", exposure.variant == "control")
      #expect(Set(events.compactMap(\.variant)).count == 1)
      guard exposure.instant + 30 * RawEvent.day <= Self.asOf else { continue }
      func within(_ days: Int64, _ event: RawEvent) -> Bool { event.instant < exposure.instant + days * RawEvent.day }
      let trial = events.first { $0.kind == "trial_start" && within(7, $0) }
      let purchases = events.filter { Self.isPurchase($0) && within(14, $0) }
      let isRefunded = purchases.contains { purchase in
        events.contains {
          $0.kind == "refund" && $0.subscription == purchase.subscription && within(30, $0)
            && ($0.price == nil || $0.price == purchase.price)
        }
      }
      let arm = "\(exposure.app) \(exposure.variant ?? "")"
      let introductory = trial.flatMap { $0.isAppTrial ? nil : $0 }
      arms[arm, default: Counts()].count("trial", introductory != nil)
      arms[arm, default: Counts()].count("paid", !purchases.isEmpty)
      arms[arm, default: Counts()].count("refunded", isRefunded)
      if let trial {
        arms[arm, default: Counts()].count("trial paid", Self.conversion(of: trial, in: events) != nil)
      }
      if let purchase = purchases.first { arms[arm, default: Counts()].count("yearly", purchase.plan == "yearly") }
      let cancelled = introductory.map { trial in
        events.last {
          ($0.kind == "cancellation" || $0.kind == "reactivation") && $0.subscription == trial.subscription
            && $0.instant < (trial.trialEnd ?? 0)
        }?.kind == "cancellation"
      }
      arms[arm, default: Counts()].count("trial cancelled", cancelled ?? false)
    }
    for app in Truth.standard.apps {
      #expect(try #require(arms["\(app.name) both"]).agrees("control", 0.5))
      for variant in app.experiment.variants {
        let counts = try #require(arms["\(app.name) \(variant)"])
        let rates = app.exposureRates(variant: variant)
        let place = "\(app.name) \(variant) \(counts)"
        #expect(counts.agrees("trial", rates.trialStart), "\(place)")
        #expect(counts.agrees("paid", rates.paid), "\(place)")
        #expect(counts.agrees("refunded", rates.refunded), "\(place)")
        #expect(counts.agrees("trial cancelled", rates.trialCancelled), "\(place)")
        #expect(counts.agrees("yearly", rates.yearlyShare), "\(place)")
        if let truth = rates.trialToPaid { #expect(counts.agrees("trial paid", truth), "\(place)") }
      }
    }
  }

  @Test func subscriptionsEndAsTheTruthSays() throws {
    var cells: [String: Counts] = [:]
    for events in Self.persons {
      for purchase in events where Self.isPurchase(purchase) && purchase.plan != "lifetime" {
        let trial = events.first {
          $0.kind == "trial_start" && $0.subscription == purchase.subscription && purchase.subscription != nil
        }
        let sold = trial ?? purchase
        guard let seller = events.last(where: { $0.kind == "paywall_impression" && $0.instant <= sold.instant })
        else { continue }
        let cell = "\(purchase.app) \(seller.variant ?? "") \(seller.entryPoint ?? "") \(purchase.plan ?? "")"
        let own = Self.spell(of: purchase, in: events)
        for age in [35, 95] as [Int64] where purchase.instant + (age + 3) * RawEvent.day <= Self.asOf {
          let until = purchase.instant + age * RawEvent.day
          let last = own.last { $0.instant < until && $0.kind != "refund" && $0.kind != "expiration" }
          cells[cell, default: Counts()].count("cancelled \(age)", last?.kind == "cancellation")
          cells[cell, default: Counts()].count("ended \(age)", Self.end(of: own) < until)
        }
        if purchase.instant + 30 * RawEvent.day <= Self.asOf {
          let isRefunded = own.contains {
            $0.kind == "refund" && $0.instant < purchase.instant + 30 * RawEvent.day
              && ($0.price == nil || $0.price == purchase.price)
          }
          cells[cell, default: Counts()].count("refunded", isRefunded)
        }
      }
    }
    #expect(cells.count == 16 + 16 + 40 + 12)
    var pools: [String: Pool] = [:]
    for (cell, counts) in cells {
      let parts = cell.split(separator: " ").map(String.init)
      let app = try #require(Truth.standard.app(parts[0]))
      let plan = try #require(Plan(name: parts[3]))
      let rates = try #require(app.subscriptionRates(variant: parts[1], entryPoint: parts[2], plan: plan))
      let truths = [
        "cancelled 35": rates.cancelled35, "cancelled 95": rates.cancelled95, "ended 35": rates.ended35,
        "ended 95": rates.ended95, "refunded": rates.refundRate,
      ]
      for (name, truth) in truths {
        #expect(counts.agrees(name, truth), "\(cell) \(name) \(counts)")
        // Ends of yearly plans and refunds are rare, so all plans are pooled.
        let isRare = name == "refunded" || plan == .yearly && name.hasPrefix("ended")
        pools[isRare ? "rare" : "\(name) \(plan)", default: Pool()].add(counts, name, truth)
      }
    }
    #expect(pools.count == 7)
    for (name, pool) in pools { #expect(pool.agrees, "\(name) \(pool)") }
  }

  /// Returns the subscription's events from its first payment to a resubscription; plan changes without a price are
  /// left out.
  private static func spell(of purchase: RawEvent, in events: [RawEvent]) -> [RawEvent] {
    var spell: [RawEvent] = []
    var cover: Int64 = 0
    for event in events where event.subscription == purchase.subscription && event.instant >= purchase.instant {
      if isPayment(event) {
        if cover > 0, event.instant > cover + 4 * RawEvent.day, event.kind == "renewal", endsBefore(event, in: spell) {
          break
        }
        cover = event.expires ?? 0
      }
      if event.kind != "plan_change" || event.price != nil { spell.append(event) }
    }
    return spell
  }

  private static func isPayment(_ event: RawEvent) -> Bool {
    event.price != nil && ["conversion", "renewal", "plan_change"].contains(event.kind)
  }

  /// Returns whether an expiration or a standing cancellation precedes a late renewal, which is then a resubscription.
  private static func endsBefore(_ renewal: RawEvent, in spell: [RawEvent]) -> Bool {
    spell.last?.kind == "expiration" || spell.last?.kind == "cancellation"
  }

  private static func end(of spell: [RawEvent]) -> Int64 {
    var cover: Int64 = 0
    var price: String?
    for event in spell {
      if isPayment(event) {
        cover = event.expires ?? 0
        price = event.price
      }
      if event.kind == "refund", event.price == nil || event.price == price { cover = min(cover, event.instant) }
      if event.kind == "expiration" { cover = min(cover, event.instant) }
    }
    return cover
  }
}
