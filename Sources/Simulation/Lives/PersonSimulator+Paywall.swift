extension PersonSimulator {
  /// The latest start of trials and direct purchases after the first impression, or after a repeated one: within the
  /// funnel's 7 days, and, with a trial and its grace, within the 14 days of an experiment's `paid`.
  private static let latestSale = 3 * Int64.day + 12 * .hour

  /// Simulates a user who is exposed to the experiment, in an app without its own trial.
  mutating func tellPaywalls() {
    var random = person.random(for: .paywall)
    emit(SampleEvent(.exposure, at: person.arrival, in: .experiment))
    let entryPoint = app.entryPoints[random.pick(script.entryPointShares)]
    let first = person.arrival + random.within(2 * .second..<30 * .second)
    guard random.happens(app.reach) else {
      if random.happens(0.5) { tellGate(entryPoint, at: first) }
      return tellActivity(isPayer: false)
    }

    tellImpression(entryPoint, at: first)
    let rates = app.paywallRates(variant: person.variant, at: entryPoint)
    let draw = random.uniform()
    if draw < rates.trialRate {
      tellTrial(soldAt: entryPoint, startingAt: tellSale(entryPoint, firstSeen: first, with: &random))
    } else if draw < rates.trialRate + rates.directRate {
      let start = tellSale(entryPoint, firstSeen: first, with: &random)
      tellDirectPurchase(soldAt: entryPoint, at: start, with: &random)
    } else {
      tellRefusal(entryPoint, firstSeen: first, with: &random)
      tellReturnVisit(mayTry: true)
      if random.happens(0.01) { emit(SampleEvent(.restore, at: first + random.within(.minute..<2 * .day))) }
    }
    tellActivity(isPayer: draw < rates.trialRate + rates.directRate)
  }

  /// Adds a gate hit if the entry point has a gate.
  mutating func tellGate(_ entryPoint: EntryPointTruth, at instant: Milliseconds, used: Int? = nil) {
    guard let gate = entryPoint.gate else { return }
    var event = SampleEvent(.gateHit, at: instant, in: .full(entryPoint.name))
    event.gate = gate
    event.used = used
    emit(event)
  }

  mutating func tellImpression(_ entryPoint: EntryPointTruth, at instant: Milliseconds, used: Int? = nil) {
    tellGate(entryPoint, at: instant - 700, used: used)
    var event = SampleEvent(.paywallImpression, at: instant, in: .full(entryPoint.name))
    event.showsPrices = true
    emit(event)
  }

  mutating func tellDismissal(_ entryPoint: EntryPointTruth, at instant: Milliseconds) {
    emit(SampleEvent(.paywallDismissal, at: instant, in: .full(entryPoint.name)))
  }

  mutating func tellPurchaseStarted(_ entryPoint: EntryPointTruth, at instant: Milliseconds) {
    emit(SampleEvent(.purchaseStarted, at: instant, in: .full(entryPoint.name)))
  }

  /// Simulates a sale by a paywall, on the first or a repeated view; returns the time of the store's confirmation.
  private mutating func tellSale(
    _ entryPoint: EntryPointTruth, firstSeen: Milliseconds, with random: inout CounterRandom
  ) -> Milliseconds {
    var seen = firstSeen
    if !random.happens(0.75) {
      tellDismissal(entryPoint, at: seen + random.within(3 * .second..<40 * .second))
      seen += random.within(30 * .minute..<Self.latestSale)
      tellImpression(entryPoint, at: seen)
    }
    let started = seen + random.within(4 * .second..<60 * .second)
    tellPurchaseStarted(entryPoint, at: started)
    return started + random.within(5 * .second..<50 * .second)
  }

  private mutating func tellRefusal(
    _ entryPoint: EntryPointTruth, firstSeen: Milliseconds, with random: inout CounterRandom
  ) {
    var closed = firstSeen + random.within(2 * .second..<90 * .second)
    if random.happens(0.05) {
      tellPurchaseStarted(entryPoint, at: firstSeen + .second)
      closed += 20 * .second
    }
    if random.happens(0.7) { tellDismissal(entryPoint, at: closed) }
    guard random.happens(0.15) else { return }
    // The paywall shows again after 1 to 10 days.
    let again = app.entryPoints[random.pick(script.entryPointShares)]
    let seen = firstSeen + random.within(.day..<10 * .day)
    tellImpression(again, at: seen)
    if random.happens(0.7) { tellDismissal(again, at: seen + random.within(2 * .second..<60 * .second)) }
  }

  mutating func tellDirectPurchase(
    soldAt entryPoint: EntryPointTruth, at instant: Milliseconds, with random: inout CounterRandom
  ) {
    tellSubscription(
      Sale(
        product: drawProduct(with: &random), cancelFactor: entryPoint.cancelFactor, paidAt: instant, anchor: instant,
        context: context(ofSaleAt: entryPoint), subscription: nil))
  }

  func drawProduct(with random: inout CounterRandom) -> Product {
    let shares = app.planShares(variant: person.variant)
    return product(shares[random.pick(shares.map(\.share))].plan)
  }

  /// Simulates a second visit a month or two later, after all windows of the funnel and the experiments.
  ///
  /// - Parameter mayTry: Whether the user has had no introductory trial yet; the store grants only one.
  mutating func tellReturnVisit(mayTry: Bool) {
    var random = person.random(for: .returnVisit)
    guard random.happens(0.12) else { return }
    let seen = person.arrival + random.within(32 * .day..<60 * .day)
    guard seen < span.upperBound else { return }
    let entryPoint = app.entryPoints[random.pick(script.entryPointShares)]
    let rates = app.paywallRates(variant: person.variant, at: entryPoint)
    tellImpression(entryPoint, at: seen)
    let draw = random.uniform()
    if draw < rates.trialRate, mayTry {
      tellPurchaseStarted(entryPoint, at: seen + 15 * .second)
      tellTrial(soldAt: entryPoint, startingAt: seen + 40 * .second)
    } else if draw >= rates.trialRate, draw < rates.trialRate + rates.directRate {
      tellPurchaseStarted(entryPoint, at: seen + 15 * .second)
      tellDirectPurchase(soldAt: entryPoint, at: seen + 40 * .second, with: &random)
    } else {
      tellDismissal(entryPoint, at: seen + random.within(2 * .second..<60 * .second))
    }
  }
}
