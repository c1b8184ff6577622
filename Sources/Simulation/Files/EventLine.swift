internal import EventModel

/// Writes events as lines of NDJSON.
///
/// All names and texts here are plain ASCII without quotes, so nothing needs escaping.
struct EventLine {
  private var bytes: [UInt8]
  private var days = DayText()

  init(appendingTo bytes: [UInt8] = []) {
    self.bytes = bytes
    self.bytes.reserveCapacity(1 << 20)
  }

  var count: Int { bytes.count }

  /// Returns the bytes written so far.
  consuming func finished() -> [UInt8] { bytes }

  mutating func append(
    _ event: SampleEvent, of person: Person, serial: Int, receivedAt: Milliseconds, in script: AppScript
  ) {
    open(event, of: person, serial: serial, receivedAt: receivedAt, in: script)
    if let previousUser = event.previousUser { text("previous_user_id", previousUser) }
    appendContext(event, of: person, in: script.truth)
    if let gate = event.gate { append(gate, used: event.used) }
    appendTrial(event)
    appendSale(event, of: person)
    if let reason = event.reason { text("reason", reason) }
    if let graceEnds = event.graceEnds { instant("grace_ends_at", graceEnds, withMilliseconds: false) }
    if event.kind == .paywallImpression {
      literal(#","properties":{"channel":""#)
      literal(person.channel)
      literal(#""}"#)
    }
    literal("}\n")
  }

  private mutating func open(
    _ event: SampleEvent, of person: Person, serial: Int, receivedAt: Milliseconds, in script: AppScript
  ) {
    literal(#"{"event_id":""#)
    let word = SampleIdentifier.eventWord(key: script.eventKey, person: person.index, serial: serial)
    SampleIdentifier.appendUUID(word, node: script.node, to: &bytes)
    bytes.append(0x22)
    text("event", event.kind.name)
    instant("ts", event.instant, withMilliseconds: !event.kind.isFromStore)
    instant("received_at", receivedAt, withMilliseconds: false)
    text("app", script.truth.name)
    if let anonymousID = person.anonymousID, event.instant < person.identifiedAt {
      text("user_id", anonymousID)
    } else {
      text("user_id", person.userID)
    }
    literal(
      person.isAndroid
        ? #","platform":"android","store":"play_store""# : #","platform":"ios","store":"app_store""#)
    text("country", person.country.code)
    text("app_version", script.version(at: event.instant, delayDays: person.updateDelayDays))
    if person.kind == .tester { literal(#","environment":"sandbox""#) }
  }

  private mutating func appendContext(_ event: SampleEvent, of person: Person, in app: AppTruth) {
    switch event.context {
    case .none: break
    case .experiment: appendExperiment(of: person, in: app)
    case .entryPoint(let name): text("entry_point", name)
    case .start(let name):
      text("entry_point", name)
      appendExperiment(of: person, in: app)
    case .full(let name):
      text("entry_point", name)
      appendExperiment(of: person, in: app)
      text("paywall", app.paywall)
    }
    guard event.showsPrices else { return }
    text("offering", app.offering)
    for plan in Plan.allCases {
      guard let product = app.product(plan, tier: person.tier, variant: person.variant) else { continue }
      switch plan {
      case .monthly: name("price_monthly")
      case .yearly: name("price_yearly")
      case .lifetime: name("price_lifetime")
      default: continue
      }
      literal(product.price(in: person.country.currency))
    }
    text("currency", person.country.currency.rawValue)
    if person.tier == .family { text("tier", "family") }
  }

  private mutating func appendExperiment(of person: Person, in app: AppTruth) {
    text("experiment", app.experiment.name)
    text("variant", person.variant)
  }

  private mutating func append(_ gate: EntryPointTruth.Gate, used: Int?) {
    guard let limitName = gate.limitName else { return }
    text("limit_name", limitName)
    number("limit", gate.limit)
    number("used", used ?? gate.limit)
  }

  private mutating func appendTrial(_ event: SampleEvent) {
    if let trialDays = event.trialDays { number("trial_days", trialDays) }
    if let trialEnds = event.trialEnds { instant("trial_ends_at", trialEnds, withMilliseconds: true) }
    if event.isAppTrial { text("trial_kind", "app") }
  }

  private mutating func appendSale(_ event: SampleEvent, of person: Person) {
    if let product = event.product {
      text("product_id", product.id)
      text("plan", product.plan.name)
      if product.tier == .family { text("tier", "family") }
    }
    if let previous = event.previousProduct { text("previous_product_id", previous.id) }
    if let minorUnits = event.minorUnits {
      text("price", person.country.currency.amount(minorUnits: minorUnits))
      text("currency", person.country.currency.rawValue)
      if event.kind != .refund {
        literal(#","tax_percentage":"#)
        literal(person.country.tax)
        literal(#","commission_percentage":0.15"#)
      }
    }
    if let subscription = event.subscription { text("subscription_id", String(subscription)) }
    if let transaction = event.transaction { text("transaction_id", String(transaction)) }
    if let expires = event.expires { instant("expires_at", expires, withMilliseconds: false) }
    if event.isFamilyShared { text("ownership", "family_shared") }
    if let offer = event.offer { text("offer_type", offer.rawValue) }
    if let offerCode = event.offerCode { text("offer_code", offerCode) }
  }

  private mutating func literal(_ value: String) {
    bytes.append(contentsOf: value.utf8)
  }

  private mutating func name(_ name: StaticString) {
    bytes.append(0x2c)
    bytes.append(0x22)
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(0x22)
    bytes.append(0x3a)
  }

  private mutating func text(_ name: StaticString, _ value: String) {
    self.name(name)
    bytes.append(0x22)
    bytes.append(contentsOf: value.utf8)
    bytes.append(0x22)
  }

  private mutating func number(_ name: StaticString, _ value: Int) {
    self.name(name)
    literal(String(value))
  }

  private mutating func instant(_ name: StaticString, _ value: Milliseconds, withMilliseconds: Bool) {
    self.name(name)
    bytes.append(0x22)
    bytes.append(contentsOf: days.text(ofDay: Int(value / .day)))
    let time = Int(value % .day)
    bytes.append(0x54)
    twoDigits(time / 3_600_000)
    bytes.append(0x3a)
    twoDigits(time / 60_000 % 60)
    bytes.append(0x3a)
    twoDigits(time / 1_000 % 60)
    if withMilliseconds {
      bytes.append(0x2e)
      bytes.append(UInt8(0x30 + time % 1_000 / 100))
      twoDigits(time % 100)
    }
    bytes.append(0x5a)
    bytes.append(0x22)
  }

  private mutating func twoDigits(_ value: Int) {
    bytes.append(UInt8(0x30 + value / 10))
    bytes.append(UInt8(0x30 + value % 10))
  }
}
