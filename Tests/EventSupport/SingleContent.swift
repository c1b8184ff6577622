internal import EventModel

/// A single event as the program's writer of canonical JSON reads it, with numbers of its own for names.
struct SingleContent: EventContent {
  private let event: Event
  private var names = [""]
  private(set) var client = ClientNames()
  private(set) var context = ContextNames()
  private(set) var terms = TermsNames()

  init(_ event: Event) {
    self.event = event
    client.app = number(event.app)
    client.platform = number(event.platform)
    client.store = number(event.store)
    client.country = number(event.country)
    client.appVersion = number(event.appVersion)
    client.isSandbox = event.isSandbox
    context.entryPoint = number(event.entryPoint)
    context.experiment = number(event.experiment)
    context.variant = number(event.variant)
    context.paywall = number(event.paywall)
    terms.offering = number(event.offering)
    terms.priceWeekly = event.priceWeekly
    terms.priceMonthly = event.priceMonthly
    terms.priceYearly = event.priceYearly
    terms.priceLifetime = event.priceLifetime
    terms.isFamilyTier = event.isFamilyTier
    terms.product = number(event.productID)
    terms.plan = event.plan
    terms.price = event.price
    terms.currency = number(event.currency)
    terms.priceUSD = event.priceUSD
    terms.taxPercentage = event.taxPercentage
    terms.commissionPercentage = event.commissionPercentage
    terms.isFamilyShared = event.isFamilyShared
    terms.offerType = number(event.offerType)
    terms.offerCode = number(event.offerCode)
    terms.limitName = number(event.limitName)
    terms.limit = event.limit
    terms.used = event.used
    terms.trialDays = event.trialDays
    terms.trialKind = number(event.trialKind)
    terms.previousProduct = number(event.previousProductID)
    terms.reason = number(event.reason)
  }

  private mutating func number(_ text: String?) -> UInt32 {
    guard let text else { return 0 }
    names.append(text)
    return UInt32(names.count - 1)
  }

  func name(_ number: UInt32) -> String? { number == 0 ? nil : names[Int(number)] }

  var kind: EventKind { event.kind }
  var eventID: String { event.eventID }
  var ts: Instant { event.ts }
  var app: String { event.app }
  var userID: String { event.userID }
  var propertiesJSON: [UInt8]? { event.properties.json.isEmpty ? nil : event.properties.json }
  var subscriptionID: String? { event.subscriptionID }
  var subscriptionStartedAt: Instant? { event.subscriptionStartedAt }
  var transactionID: String? { event.transactionID }
  var expiresAt: Instant? { event.expiresAt }
  var trialEndsAt: Instant? { event.trialEndsAt }
  var graceEndsAt: Instant? { event.graceEndsAt }
  var previousUserID: String? { event.previousUserID }
}
