internal import EventModel

extension PersonSimulator {
  /// Simulates an introductory trial of a monthly plan: cancelled, failed in billing, or paid at its end.
  mutating func tellTrial(soldAt entryPoint: EntryPointTruth, startingAt start: Milliseconds) {
    guard case .introductory(let days) = app.trial, start < span.upperBound else { return }
    var random = person.random(for: .trial)
    let product = product(.monthly)
    let subscription = newTransaction()
    let end = start + Int64(days) * .day
    var trial = SampleEvent(.trialStart, at: start)
    trial.context = context(ofSaleAt: entryPoint)
    trial.product = product
    trial.subscription = subscription
    trial.transaction = subscription
    if person.isAndroid { trial.trialEnds = end } else { trial.trialDays = days }
    emit(trial)

    let rates = app.paywallRates(variant: person.variant, at: entryPoint)
    func churn(_ kind: EventKind, at instant: Milliseconds, reason: String? = nil) -> SampleEvent {
      self.churn(kind, at: instant, of: product, subscription, reason: reason)
    }
    var issue = churn(.billingIssue, at: end)
    issue.graceEnds = end + 3 * .day

    if random.happens(rates.trialCancelRate ?? 0) {
      let cancelled = start + Self.cancelDelay(within: end - start, with: &random)
      if random.happens(0.04), end - cancelled > 2 * .day {
        emit(churn(.cancellation, at: cancelled))
        emit(churn(.reactivation, at: cancelled + .hour))
        emit(churn(.cancellation, at: cancelled + random.within(2 * .hour..<2 * .day)))
      } else {
        emit(churn(.cancellation, at: cancelled))
      }
      emit(churn(.expiration, at: end, reason: "voluntary"))
      return tellReturnVisit(mayTry: false)
    }

    if random.happens(app.subscriptions.billingFailureRate) {
      emit(issue)
      emit(churn(.expiration, at: end + 3 * .day, reason: "billing"))
      return tellReturnVisit(mayTry: false)
    }

    if random.happens(0.04) {
      let cancelled = start + random.within(.hour..<4 * .day)
      emit(churn(.cancellation, at: cancelled))
      emit(churn(.reactivation, at: cancelled + random.within(.hour..<2 * .day)))
    }
    var paidAt = end + random.within(.second..<10 * .minute)
    if random.happens(0.04) {
      emit(issue)
      paidAt = end + random.within(4 * .hour..<2 * .day + 20 * .hour)
    }
    tellSubscription(
      Sale(
        product: product, cancelFactor: entryPoint.cancelFactor, paidAt: paidAt, anchor: end, context: .none,
        subscription: subscription))
  }

  /// Returns the delay of a cancellation after the trial's start: often short, often in the last day and a half, else
  /// any time.
  private static func cancelDelay(within length: Milliseconds, with random: inout CounterRandom) -> Milliseconds {
    let draw = random.uniform()
    if draw < 0.35 { return random.within(2 * .minute..<6 * .hour) }
    if draw < 0.65 { return length - random.within(.minute..<36 * .hour) }
    return random.within(6 * .hour..<length - 36 * .hour)
  }
}
