extension PersonFold {
  /// Records the first view of each variant of each experiment (used by definitions 8.1).
  mutating func recordExposures(_ dictionaries: borrowing EventDictionaries) {
    for event in events where event.kind == .paywallImpression || event.kind == .exposure {
      if options.takesFirstSight {
        record { $0.exposures = [ExposureFact(experiment: 0, variant: 0, ts: event.ts, client: event.client)] }
        return
      }
      let context = dictionaries.contexts[Int(event.context)]
      if context.experiment == 0 || event.ts < options.exposuresSince { continue }
      if facts.exposures.contains(where: { $0.experiment == context.experiment && $0.variant == context.variant }) {
        continue
      }
      let exposure = ExposureFact(
        experiment: context.experiment, variant: context.variant, ts: event.ts, client: event.client)
      record { $0.exposures.append(exposure) }
    }
  }

  /// Records the outcomes of each exposure (D5); all other facts must be recorded first.
  mutating func recordOutcomes() {
    if facts.exposures.isEmpty { return }
    let hasUsage = events.contains { $0.kind == .activity }
    for place in facts.exposures.indices {
      let exposedAt = facts.exposures[place].ts
      var outcome = ExposureOutcome()
      outcome.hasUsage = hasUsage
      readActivity(since: exposedAt, &outcome)
      if !facts.trials.isEmpty { readTrials(since: exposedAt, &outcome) }
      if !facts.payments.isEmpty { readMoney(since: exposedAt, &outcome) }
      record { $0.exposures[place].outcome = outcome }
    }
  }

  private func readActivity(since exposedAt: Int64, _ outcome: inout ExposureOutcome) {
    let retained = ExposureOutcome.retainedHorizon / 2..<ExposureOutcome.retainedHorizon
    for event in events {
      let since = event.ts - exposedAt
      if since >= retained.upperBound { break }
      if event.kind == .activity {
        if since >= retained.lowerBound { outcome.isRetained = true }
        if since >= 0 && since < day { outcome.isUsedOnFirstDay = true }
      }
      if since < 0 && since >= -ExposureOutcome.revenueHorizon { outcome.wasActiveBefore = true }
    }
  }

  private func readTrials(since exposedAt: Int64, _ outcome: inout ExposureOutcome) {
    for trial in facts.trials where trial.start >= exposedAt && trial.start < exposedAt + ExposureOutcome.trialHorizon {
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
