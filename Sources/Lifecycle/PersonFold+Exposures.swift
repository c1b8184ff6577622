extension PersonFold {
  /// Records the first view of each variant of each experiment (used by definitions 8.1).
  mutating func recordExposures(_ dictionaries: borrowing EventDictionaries) {
    // Of users with many, the experiments and variants seen.
    var seen: Set<[NameID]> = []
    let few = 8
    for event in events where event.kind == .paywallImpression || event.kind == .exposure {
      if options.takesFirstSight {
        record { $0.exposures = [ExposureFact(experiment: 0, variant: 0, ts: event.ts, client: event.client)] }
        return
      }
      let context = dictionaries.contexts[Int(event.context)]
      if context.experiment == 0 || event.ts < options.exposuresSince { continue }
      if facts.exposures.count <= few {
        if facts.exposures.contains(where: { $0.experiment == context.experiment && $0.variant == context.variant }) {
          continue
        }
      } else {
        if seen.isEmpty { seen = Set(facts.exposures.map { [$0.experiment, $0.variant] }) }
        if !seen.insert([context.experiment, context.variant]).inserted { continue }
      }
      let exposure = ExposureFact(
        experiment: context.experiment, variant: context.variant, ts: event.ts, client: event.client)
      record { $0.exposures.append(exposure) }
    }
  }

  /// Records the outcomes of each exposure (D5); all other facts must be recorded first.
  mutating func recordOutcomes() {
    if facts.exposures.isEmpty { return }
    let usage = events.lazy.filter { $0.kind == .activity }.map(\.ts)
    let times = (all: events.map(\.ts), usage: Array(usage))
    for place in facts.exposures.indices {
      let exposedAt = facts.exposures[place].ts
      var outcome = ExposureOutcome()
      outcome.hasUsage = !times.usage.isEmpty
      let retained = exposedAt + ExposureOutcome.retainedHorizon / 2..<exposedAt + ExposureOutcome.retainedHorizon
      outcome.isRetained = times.usage.hasAny(in: retained)
      outcome.isUsedOnFirstDay = times.usage.hasAny(in: exposedAt..<exposedAt + day)
      outcome.wasActiveBefore = times.all.hasAny(in: exposedAt - ExposureOutcome.revenueHorizon..<exposedAt)
      if !facts.trials.isEmpty { readTrials(since: exposedAt, &outcome) }
      if !facts.payments.isEmpty { readMoney(since: exposedAt, &outcome) }
      record { $0.exposures[place].outcome = outcome }
    }
  }

  private func readTrials(since exposedAt: Int64, _ outcome: inout ExposureOutcome) {
    let first = facts.trials.firstPlace { $0.start >= exposedAt }
    for trial in facts.trials[first...] {
      if trial.start >= exposedAt + ExposureOutcome.trialHorizon || outcome.trial != nil && outcome.hasTrial { break }
      if outcome.trial == nil {
        outcome.trial = ExposureOutcome.Trial(
          start: trial.start, end: trial.end, deadline: trial.deadline, convertedAt: trial.convertedAt)
      }
      if trial.dimensions.trialKind == .introductory && !outcome.hasTrial {
        outcome.hasTrial = true
        outcome.isTrialCancelled = trial.isCancelled
      }
    }
  }

  private func readMoney(since exposedAt: Int64, _ outcome: inout ExposureOutcome) {
    let window = exposedAt..<exposedAt + ExposureOutcome.revenueHorizon
    let before = exposedAt - ExposureOutcome.revenueHorizon..<exposedAt
    for spell in facts.spells where spell.isPurchase && spell.start >= exposedAt {
      if spell.start < exposedAt + ExposureOutcome.paidHorizon { outcome.hasPaid = true }
    }
    for payment in facts.payments {
      if let refundedAt = payment.refundedAt, window.contains(refundedAt) { outcome.isRefunded = true }
      guard payment.price > 0, window.contains(payment.ts) || before.contains(payment.ts) else { continue }
      change(&outcome, payment.currency) { revenue in
        if payment.ts >= exposedAt {
          revenue.net += payment.price
          revenue.hasPaid = true
        } else {
          revenue.netBefore += payment.price
          revenue.hadPaidBefore = true
        }
      }
    }
    for refund in facts.refunds where window.contains(refund.ts) || before.contains(refund.ts) {
      change(&outcome, refund.currency) { revenue in
        if refund.ts >= exposedAt { revenue.net -= refund.amount } else { revenue.netBefore -= refund.amount }
      }
    }
    if outcome.revenues.isEmpty { return }
    outcome.revenues.removeAll(where: \.isNothing)
    outcome.revenues.sort { $0.currency < $1.currency }
  }

  private func change(
    _ outcome: inout ExposureOutcome, _ currency: NameID, _ body: (inout ExposureOutcome.Revenue) -> Void
  ) {
    if let place = outcome.revenues.firstIndex(where: { $0.currency == currency }) {
      body(&outcome.revenues[place])
    } else {
      var revenue = ExposureOutcome.Revenue(currency: currency)
      body(&revenue)
      outcome.revenues.append(revenue)
    }
  }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the first place from where on a condition holds, which no later element breaks; the end where it holds
  /// nowhere.
  func firstPlace(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension [Int64] {
  /// Returns whether any of these ascending instants lies in a range.
  fileprivate func hasAny(in range: Range<Int64>) -> Bool {
    let place = firstPlace { $0 >= range.lowerBound }
    return place < count && self[place] < range.upperBound
  }
}
