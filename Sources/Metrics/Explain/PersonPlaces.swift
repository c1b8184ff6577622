internal import Basics
internal import EventModel
internal import Lifecycle
internal import Store

/// Tells what one user counts as in each report and experiment, or why not, from the user's facts.
struct PersonPlaces {
  private let history: PersonHistory
  private let query: ReportQuery
  private let asOf: Int64
  /// How long after the first paywall view a viewer counts, in milliseconds.
  private let horizon: Int64
  private let events: [PersonHistory.Event]
  private var facts: PersonFacts { history.facts }

  private struct Standing {
    var isCounted: Bool
    var words: String

    static func counts(_ words: String) -> Standing { Standing(isCounted: true, words: words) }
    static func doesNot(_ reason: String) -> Standing { Standing(isCounted: false, words: reason) }
  }

  init(_ history: PersonHistory, _ query: ReportQuery, asOf: Int64, horizon: Int64) {
    (self.history, self.query, self.asOf, self.horizon) = (history, query, asOf, horizon)
    events = history.events.filter { $0.exclusion == nil }
  }

  /// Experiments first, then reports.
  var all: [PersonTimeline.Place] {
    experiments
      + ReportKind.explained.compactMap { report in
        standing(in: report).map {
          PersonTimeline.Place(name: report.name, isExperiment: false, isCounted: $0.isCounted, words: $0.words)
        }
      }
  }

  private var experiments: [PersonTimeline.Place] {
    facts.exposures.inGroups(by: \.experiment).compactMap { experiment, seen in
      guard let first = seen.first else { return nil }
      let variants = seen.map { query.facts.name(Int($0.variant)) }
      let words =
        variants.count == 1
        ? "\(variants[0]), since \(instant(first.ts))" : "saw \(variants.joined(separator: " and "))"
      return PersonTimeline.Place(
        name: query.facts.name(Int(experiment)), isExperiment: true, isCounted: variants.count == 1, words: words)
    }
  }

  private func standing(in report: ReportKind) -> Standing? {
    switch report {
    case .funnel: ofViewers(funnel)
    case .paths: ofViewers { "\(label($0))entered with the first paywall view" }
    case .value: ofViewers { "\(label($0))\(facts.payments.isEmpty ? "has not paid" : "has paid")" }
    case .trials: trials
    case .savings: savings
    case .cancellations: cancellations
    case .revenue: revenue
    case .refunds: refunds
    case .mrr: subscriptions ?? Standing.doesNot("no subscription")
    case .subscriptions:
      subscriptions
        ?? (facts.trials.isEmpty ? Standing.doesNot("no subscription") : Standing.counts("a trial, no subscription"))
    case .retention: retention
    case .ltv:
      events.first.map { Standing.counts("first seen \(instant($0.ts))") } ?? Standing.doesNot("no event that counts")
    case .recovery: ofEvents(.billingIssue, "failed charge")
    case .saves: saves
    case .winback: winback
    case .cadence: ofEvents(.paywallImpression, "paywall view")
    case .gates: gates
    case .nudges: facts.trials.isEmpty ? Standing.doesNot("no trial") : ofEvents(.trialNudge, "reminder")
    case .activity: activity
    default: nil
    }
  }

  // MARK: - Viewers

  private func ofViewers(_ words: (EntryFact) -> String) -> Standing {
    guard let entry = facts.entry else { return .doesNot("no paywall view") }
    return entry.ts + horizon > asOf ? .doesNot("too recent to count") : .counts(words(entry))
  }

  /// The variant and entry point of a paywall view, before what follows.
  private func label(_ entry: EntryFact) -> String {
    let names = [entry.context.variant, entry.context.entryPoint].filter { $0 != 0 }
    return names.isEmpty ? "" : names.map { query.facts.name(Int($0)) }.joined(separator: ", ") + ": "
  }

  private func funnel(_ entry: EntryFact) -> String {
    var steps = FunnelSteps()
    for trial in facts.trials where trial.dimensions.trialKind == .introductory {
      steps.add(trialAt: trial.start, isConverted: trial.convertedAt != nil, entry: entry.ts)
    }
    for conversion in facts.conversions {
      let start = conversion.trialKind == .introductory ? conversion.trialStart : nil
      steps.add(conversionAt: conversion.ts, introductoryStart: start, entry: entry.ts)
    }
    for spell in facts.spells where spell.isPurchase { steps.add(purchaseAt: spell.start, entry: entry.ts) }
    let isPaid = steps.contains(.hasTrialPaid) || steps.contains(.hasDirect)
    let parts = [
      "viewer", steps.contains(.hasTrial) ? "started a trial" : nil,
      steps.contains(.hasTrialPaid) ? "paid after it" : nil,
      steps.contains(.hasDirect) ? "paid at once" : nil, !isPaid && steps.contains(.hasPurchase) ? "paid later" : nil,
    ].compactMap(\.self)
    return "\(label(entry))\(parts.joined(separator: ", "))"
  }

  // MARK: - Trials and subscriptions

  private var trials: Standing {
    if facts.trials.isEmpty { return .doesNot("no trial") }
    return .counts(
      facts.trials.map { trial in
        let end = trial.convertedAt != nil ? "converted" : trial.deadline > asOf ? "still open" : "did not convert"
        return "\(instant(trial.start)): \(end)\(trial.isCancelled ? ", cancelled" : "")"
      }.joined(separator: "; "))
  }

  private func isRecurring(_ spell: SpellFact) -> Bool { spell.dimensions.plan != .lifetime }

  private var savings: Standing {
    let plans = facts.spells.filter(\.isPurchase).compactMap { $0.dimensions.plan?.name }
    if !plans.isEmpty { return .counts("took \(plans.joined(separator: ", "))") }
    let hasSeenPrices = events.contains {
      $0.kind == .paywallImpression && $0.monthlyPrice != nil && $0.yearlyPrice != nil
    }
    return hasSeenPrices ? .counts("saw both prices") : .doesNot("no first payment")
  }

  private var cancellations: Standing {
    let spells = facts.spells.filter { $0.isPurchase && isRecurring($0) }
    let ofTrials = facts.trials.filter { $0.dimensions.trialKind == .introductory }
      .map { "trial of \(instant($0.start)) \($0.isCancelled ? "cancelled" : "not cancelled")" }
    let ofSpells = spells.map { spell in
      "subscription of \(instant(spell.start)) "
        + (spell.graceEnd <= asOf ? "ended" : spell.isOff ? "set to cancel" : "not cancelled")
    }
    let all = ofTrials + ofSpells
    return all.isEmpty ? .doesNot("no trial and no subscription") : .counts(all.joined(separator: "; "))
  }

  private var subscriptions: Standing? {
    let spells = facts.spells.filter(isRecurring)
    if spells.isEmpty { return nil }
    return .counts(
      spells.map { "\(instant($0.start)) to \($0.end > asOf ? "now" : instant($0.end))" }.joined(separator: "; "))
  }

  private var retention: Standing {
    let spells = facts.spells.filter { $0.isPurchase && isRecurring($0) }
    if spells.isEmpty { return .doesNot("no first payment of a subscription") }
    return .counts(
      spells.map { spell in
        "began \(instant(spell.start)), "
          + (spell.graceEnd <= asOf ? "left after \((spell.end - spell.start) / day) d" : "still subscribed")
      }.joined(separator: "; "))
  }

  private var saves: Standing {
    let count = events.count { event in
      event.kind == .cancellation
        && (event.churnedTrial != nil || facts.spells.contains { $0.start <= event.ts && event.ts < $0.end })
    }
    return count == 0 ? .doesNot("auto-renew was never turned off") : .counts(counted(count, "cancellation"))
  }

  private var winback: Standing {
    let ended = facts.spells.filter { $0.graceEnd <= asOf && $0.end > $0.start }
    if ended.isEmpty { return .doesNot("no subscription has ended") }
    let back = ended.count { spell in
      facts.spells.contains { $0.subscription == spell.subscription && $0.ordinal == spell.ordinal + 1 }
    }
    return .counts("\(counted(ended.count, "subscription")) ended, \(back == 0 ? "none" : "\(back)") came back")
  }

  // MARK: - Money

  private var revenue: Standing {
    if facts.payments.isEmpty { return .doesNot("no payment") }
    let amounts = facts.payments.inGroups(by: \.currency).map { currency, payments in
      "\(EventRoles.decimal(payments.reduce(0) { $0 + $1.price })) \(query.facts.name(Int(currency)))"
    }
    return .counts("\(counted(facts.payments.count, "payment")), \(amounts.joined(separator: ", "))")
  }

  private var refunds: Standing {
    if facts.payments.isEmpty { return .doesNot("no payment") }
    let refunds = facts.refunds.isEmpty ? "no refund" : counted(facts.refunds.count, "refund")
    return .counts("\(counted(facts.payments.count, "payment")), \(refunds)")
  }

  // MARK: - Behaviour

  private func ofEvents(_ kind: EventKind, _ noun: String) -> Standing {
    let count = events.count { $0.kind == kind }
    return count == 0 ? .doesNot("no \(noun)") : .counts(counted(count, noun))
  }

  private var gates: Standing {
    let gates = events.filter { $0.kind == .gateHit }.inGroups(by: \.gate).map(\.key)
    return gates.isEmpty ? .doesNot("no limit was hit") : .counts("hit \(gates.joined(separator: ", "))")
  }

  private var activity: Standing {
    let days = Set(events.filter { $0.kind == .activity }.map { query.localTime.day(of: $0.ts) })
    return days.isEmpty ? .doesNot("no activity event") : .counts("active on \(counted(days.count, "day"))")
  }

  private func instant(_ milliseconds: Int64) -> String { ReportQuery.instant(milliseconds) }
}
