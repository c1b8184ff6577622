/// Simulates users outside the experiment: see ``Population``.
extension PersonSimulator {
  /// Simulates a user who subscribed before the first day, monthly or yearly; the first event is a renewal in the first
  /// 30 days.
  mutating func tellSubscribedBefore() {
    var random = person.random(for: .paywall)
    let isYearly = random.happens(0.3) && app.products.contains { $0.plan == .yearly }
    let renewedAt = span.lowerBound + random.within(0..<30 * .day)
    person.arrival = renewedAt
    tellSubscription(
      Sale(
        product: product(isYearly ? .yearly : .monthly), cancelFactor: 1, paidAt: renewedAt, anchor: renewedAt,
        context: .none, subscription: newTransaction(), startsAsRenewal: true))
    tellActivity(isPayer: true)
  }

  mutating func tellStorePageBuyer() {
    var random = person.random(for: .paywall)
    tellSubscription(
      Sale(
        product: drawProduct(with: &random), cancelFactor: 1, paidAt: person.arrival, anchor: person.arrival,
        context: .none, subscription: nil))
    tellActivity(isPayer: true)
  }

  /// Simulates one of the developer's devices: all events are `sandbox`.
  mutating func tellTester() {
    let entryPoint = app.entryPoints[0]
    tellImpression(entryPoint, at: person.arrival)
    tellPurchaseStarted(entryPoint, at: person.arrival + 5 * .second)
    if case .introductory = app.trial {
      tellTrial(soldAt: entryPoint, startingAt: person.arrival + 10 * .second)
    } else {
      let bought = person.arrival + 10 * .second
      tellSubscription(
        Sale(
          product: product(.monthly), cancelFactor: 1, paidAt: bought, anchor: bought, context: .none,
          subscription: nil))
    }
  }

  /// Simulates a family member who gets a yearly plan that another member pays.
  mutating func tellFamilyMember() {
    let transaction = newTransaction()
    var event = SampleEvent(.conversion, at: person.arrival)
    event.product = product(.yearly)
    event.minorUnits = product(.yearly).minorUnits(in: person.country.currency)
    event.subscription = transaction
    event.transaction = transaction
    event.expires = event.instant.advanced(months: 12)
    event.isFamilyShared = true
    emit(event)
    tellActivity(isPayer: true)
  }

  /// Simulates a user who redeems a code: the first month free (a grant), or the first year at half price.
  mutating func tellCodeRedeemer() {
    var random = person.random(for: .paywall)
    let isGrant = random.happens(0.5)
    let product = product(isGrant ? .monthly : .yearly)
    let code = isGrant ? "FREEMONTH" : "SPRING50"
    var redemption = SampleEvent(.offerRedemption, at: person.arrival)
    redemption.product = product
    redemption.offer = .offerCode
    redemption.offerCode = code
    emit(redemption)
    let price = isGrant ? 0 : product.minorUnits(in: person.country.currency) / 2
    let bought = person.arrival + 4 * .second
    tellSubscription(
      Sale(
        product: product, cancelFactor: 1, paidAt: bought, anchor: bought, context: .none, subscription: nil,
        firstOffer: Sale.FirstOffer(offer: .offerCode, code: code, minorUnits: price)))
    tellActivity(isPayer: true)
  }
}
