public import EventModel

extension Event {
  public init(batch: EventBatch, record: EventRecord) {
    let client = batch.clients.rows[Int(record.client)]
    let context = batch.contexts.rows[Int(record.context)]
    let terms = batch.terms.rows[Int(record.terms)]

    func name(_ number: UInt32) -> String? { number == 0 ? nil : batch.names[number] }
    func text(_ slice: TextSlice) -> String? { slice.length == 0 ? nil : batch.string(slice) }
    func instant(_ milliseconds: Int64?) -> Instant? { milliseconds.map(Instant.init(millisecondsSince1970:)) }

    self.init(
      kind: record.kind, eventID: batch.string(record.eventID), ts: Instant(millisecondsSince1970: record.ts),
      app: batch.names[client.app], userID: batch.string(batch.users[Int(record.user)].name))
    receivedAt = instant(record.receivedAt)
    platform = name(client.platform)
    store = name(client.store)
    country = name(client.country)
    appVersion = name(client.appVersion)
    isSandbox = client.isSandbox
    properties = EventProperties(canonicalJSON: batch.properties.withBytes(record.properties) { Array($0) })

    entryPoint = name(context.entryPoint)
    experiment = name(context.experiment)
    variant = name(context.variant)
    paywall = name(context.paywall)
    offering = name(terms.offering)
    priceWeekly = terms.priceWeekly
    priceMonthly = terms.priceMonthly
    priceYearly = terms.priceYearly
    priceLifetime = terms.priceLifetime
    isFamilyTier = terms.isFamilyTier

    productID = name(terms.product)
    plan = terms.plan
    price = terms.price
    currency = name(terms.currency)
    priceUSD = terms.priceUSD
    taxPercentage = terms.taxPercentage
    commissionPercentage = terms.commissionPercentage
    subscriptionID = text(record.subscriptionID)
    transactionID = text(record.transactionID)
    expiresAt = instant(record.expiresAt)
    isFamilyShared = terms.isFamilyShared
    offerType = name(terms.offerType)
    offerCode = name(terms.offerCode)

    limitName = name(terms.limitName)
    limit = terms.limit
    used = terms.used
    trialDays = terms.trialDays
    trialEndsAt = instant(record.trialEndsAt)
    trialKind = name(terms.trialKind)
    previousProductID = name(terms.previousProduct)
    reason = name(terms.reason)
    graceEndsAt = instant(record.graceEndsAt)
    subscriptionStartedAt = instant(record.subscriptionStartedAt)
    previousUserID = record.previousUser.map { batch.string(batch.users[Int($0)].name) }
  }
}
