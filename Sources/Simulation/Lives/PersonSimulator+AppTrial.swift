extension PersonSimulator {
  /// Simulates a user of an app whose own trial starts with the first launch: banner, nudge, gate, purchase.
  ///
  /// Purchases come at most 6.9 d after the first impression and 9.6 d after the trial's start: within the funnel's
  /// window, and within the trial and its grace.
  mutating func tellAppTrial(days: Int) {
    var random = person.random(for: .paywall)
    emit(SampleEvent(.exposure, at: person.arrival, in: .experiment))
    let start = person.arrival + random.within(2 * .second..<20 * .second)
    let end = start + Int64(days) * .day
    var trial = SampleEvent(.trialStart, at: start, in: .start("onboarding"))
    trial.trialDays = days
    trial.isAppTrial = true
    emit(trial)

    let fallsEarly = person.variant == app.experiment.treatmentName
    let gateDay = fallsEarly ? 5 : days
    let gate = start + Int64(gateDay) * .day + random.within(5 * .minute..<21 * .hour)
    let entryPoint = app.entryPoints[random.pick(script.entryPointShares)]
    let rates = app.paywallRates(variant: person.variant, at: entryPoint)
    let seesPaywall = random.happens(app.reach)
    let buys = seesPaywall && random.happens(rates.directRate)
    let meetsGateFirst = entryPoint.gate != nil
    let seen = meetsGateFirst ? gate : start + random.within(36 * .hour..<4 * .day + 18 * .hour)

    var boughtAt: Milliseconds?
    if seesPaywall {
      tellImpression(entryPoint, at: seen, used: gateDay)
      if buys {
        boughtAt = tellAppTrialSale(entryPoint, firstSeen: seen, gate: gate, gateDay: gateDay, with: &random)
      } else {
        if random.happens(0.7) { tellDismissal(entryPoint, at: seen + random.within(2 * .second..<90 * .second)) }
        if !meetsGateFirst, random.happens(0.6) { tellGateRefused(at: gate, gateDay: gateDay) }
        tellReturnVisit(mayTry: false)
      }
    }
    if (boughtAt ?? end) > end - .day { emit(nudge(at: end - .day)) }
    tellActivity(isPayer: buys)
  }

  private func nudge(at instant: Milliseconds) -> SampleEvent {
    var event = SampleEvent(.trialNudge, at: instant)
    event.isAppTrial = true
    return event
  }

  private var gateEntryPoint: EntryPointTruth {
    guard let entryPoint = app.entryPoints.first(where: { $0.gate != nil }) else {
      preconditionFailure("\(app.name) has no gate at the end of its trial")
    }
    return entryPoint
  }

  private mutating func tellGateRefused(at gate: Milliseconds, gateDay: Int) {
    tellImpression(gateEntryPoint, at: gate, used: gateDay)
    tellDismissal(gateEntryPoint, at: gate + 12 * .second)
  }

  /// Simulates a purchase from the app's own trial. If the first impression was not a gate, most users buy at the gate,
  /// and the purchase belongs to the gate.
  private mutating func tellAppTrialSale(
    _ entryPoint: EntryPointTruth, firstSeen: Milliseconds, gate: Milliseconds, gateDay: Int,
    with random: inout CounterRandom
  ) -> Milliseconds {
    var seller = entryPoint
    var seen = firstSeen
    if entryPoint.gate == nil, random.happens(0.65) {
      tellDismissal(entryPoint, at: seen + random.within(2 * .second..<60 * .second))
      seller = gateEntryPoint
      seen = gate
      tellImpression(seller, at: seen, used: gateDay)
    } else if entryPoint.gate != nil, random.happens(0.3) {
      tellDismissal(entryPoint, at: seen + random.within(2 * .second..<60 * .second))
      seen += random.within(2 * .hour..<40 * .hour)
      tellImpression(seller, at: seen, used: gateDay)
    }
    let started = seen + random.within(5 * .second..<60 * .second)
    tellPurchaseStarted(seller, at: started)
    let boughtAt = started + random.within(5 * .second..<50 * .second)
    tellDirectPurchase(soldAt: seller, at: boughtAt, with: &random)
    return boughtAt
  }
}
