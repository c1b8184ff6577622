internal import EventModel
internal import Ingest
internal import Lifecycle
internal import Store

/// Reads rows of facts, grouped by person, and writes them to a store.
struct FactRowReader: ColumnReader {
  let input: RowInput
  let intake: FactIntake
  /// The other ids of persons with several, by app and person.
  private let members: [PersonKey: [[UInt8]]]
  private var terms: [[UInt8]: Int32] = [:]
  private var facts = PersonFacts()
  private var subscriptionIDs: [[UInt8]] = []
  private var app: NameID = 0
  var place = 0

  init(_ input: RowInput, _ intake: FactIntake, members: [PersonKey: [[UInt8]]]) {
    self.input = input
    self.intake = intake
    self.members = members
  }

  /// Reads rows with the tag, the key, and as many columns as the widest table; the rows of a table must be sorted by
  /// number and credit.
  mutating func run() throws {
    var person: PersonKey?
    while try input.next(columns: Self.width) {
      let key = PersonKey(
        app: try input.required(input.bytes(1), 1), person: try input.required(input.bytes(2), 2))
      if key != person {
        if let person { try store(person) }
        person = key
        app = try key.app.withUnsafeBytes { try intake.name($0) }
      }
      try read()
    }
    if let person { try store(person) }
  }

  static let width =
    1 + WorkerProtocol.factKey.count + (WorkerProtocol.facts.map { WorkerProtocol.columns(of: $0).count }.max() ?? 0)

  private mutating func store(_ key: PersonKey) throws {
    try intake.add(
      app: app, users: [key.person] + (members[key] ?? []), facts, subscriptionIDs: subscriptionIDs)
    facts = PersonFacts()
    subscriptionIDs.removeAll(keepingCapacity: true)
  }

  private mutating func read() throws {
    let tag = try input.required(input.text(0), 0)
    _ = try input.required(input.integer(3), 3)
    let credit = try input.required(input.integer(4), 4)
    place = 1 + WorkerProtocol.factKey.count
    switch WorkerProtocol.Tag(rawValue: tag) {
    case .entry: facts.entry = EntryFact(ts: try integer(), context: try context(), dimensions: try dimensions())
    case .exposure: try readExposure()
    case .trial: try readTrial(isFirst: credit == 0)
    case .conversion: try readConversion(isFirst: credit == 0)
    case .spell: try readSpell(isFirst: credit == 0)
    case .payment: try readPayment()
    case .refund:
      let (payment, spell) = (Int(try integer()), Int(try integer()))
      facts.refunds.append(
        RefundFact(ts: try integer(), payment: payment, spell: spell, amount: try integer(), currency: try name()))
    default: throw WorkerFault(.data, "row \(input.count): \"\(tag)\" is not a table of facts")
    }
  }

  private mutating func readExposure() throws {
    let ts = try integer()
    let (experiment, variant) = (try name(), try name())
    let client = try client()
    var outcome = ExposureOutcome()
    for has in FactText.outcomeFlags where try flag() { outcome.flags.insert(has) }
    let instants = (try optional(), try optional(), try optional(), try optional())
    if let start = instants.0, let end = instants.1, let deadline = instants.2 {
      outcome.trial = ExposureOutcome.Trial(start: start, end: end, deadline: deadline, convertedAt: instants.3)
    }
    let revenues = try FactText.revenues(text()) { try intake.name($0.isEmpty ? nil : $0) }
    outcome.revenues = try known(revenues).sorted { $0.currency < $1.currency }
    facts.exposures.append(
      ExposureFact(experiment: experiment, variant: variant, ts: ts, client: client, outcome: outcome))
  }

  private mutating func readTrial(isFirst: Bool) throws {
    var fact = TrialFact(
      start: try integer(), end: try integer(), deadline: try integer(), convertedAt: try optional(),
      isCancelled: try flag(), subscription: 0, contexts: 0..<0,
      dimensions: UnitDimensions(client: 0, properties: 0, plan: nil, isFamilyTier: false, trialKind: .none))
    let contexts = try credit(isFirst: isFirst, to: facts.trials.last?.contexts)
    fact.dimensions = try dimensions()
    if isFirst { facts.trials.append(fact) }
    facts.trials[facts.trials.count - 1].contexts = contexts
  }

  private mutating func readConversion(isFirst: Bool) throws {
    let fact = ConversionFact(
      ts: try integer(), trialStart: try optional(), trialKind: try known(FactText.trialKind(text())), contexts: 0..<0)
    let contexts = try credit(isFirst: isFirst, to: facts.conversions.last?.contexts)
    if isFirst { facts.conversions.append(fact) }
    facts.conversions[facts.conversions.count - 1].contexts = contexts
  }

  private mutating func readSpell(isFirst: Bool) throws {
    var fact = SpellFact(
      subscription: 0, ordinal: Int(try integer()), start: try integer(), end: try integer(),
      graceEnd: try integer(), reason: try known(FactText.reason(text())), isPurchase: try flag(),
      price: try integer(), currency: try name(), hasOfferType: try flag(), paymentCount: Int(try integer()),
      lastPaymentAt: try integer(), isOffAt35: try flag(), isOffAt95: try flag(), isOffAt370: try flag(),
      isOff: try flag(), firstCancelledAt: try optional(), firstRefundedAt: try optional(), contexts: 0..<0,
      dimensions: UnitDimensions(client: 0, properties: 0, plan: nil, isFamilyTier: false, trialKind: .none))
    let subscription = try bytes()
    let contexts = try credit(isFirst: isFirst, to: facts.spells.last?.contexts)
    fact.dimensions = try dimensions()
    if isFirst {
      if let subscription {
        subscriptionIDs.append(subscription)
        fact.subscription = Int32(subscriptionIDs.count)
      }
      facts.spells.append(fact)
    }
    facts.spells[facts.spells.count - 1].contexts = contexts
  }

  private mutating func readPayment() throws {
    let spell = Int(try integer())
    facts.payments.append(
      PaymentFact(
        ts: try integer(), spell: spell, kind: try known(text().flatMap { EventKind(name: $0) }), product: try name(),
        plan: try known(text().flatMap { Plan(name: $0) }), price: try integer(), currency: try name(),
        terms: try terms(of: known(bytes())), coverEnd: try integer(), paidUntil: try integer(),
        refunded: try integer(), refundedAt: try optional()))
  }

  /// Adds the row's context to the person's contexts.
  private mutating func credit(isFirst: Bool, to last: Range<Int>?) throws -> Range<Int> {
    let context = try context()
    let end = facts.contexts.count
    facts.contexts.append(context)
    if isFirst { return end..<end + 1 }
    guard let last, last.upperBound == end else {
      throw WorkerFault(.data, "row \(input.count): is credited to a fact that is not there")
    }
    return last.lowerBound..<end + 1
  }

  private mutating func terms(of text: [UInt8]) throws -> Int32 {
    if let number = terms[text] { return number }
    let number = try intake.contextAndTerms(of: OneEvent.batch(text, row: input.count)).terms
    terms[text] = number
    return number
  }

  private mutating func client() throws -> Int32 {
    try intake.client(
      app: app, platform: try name(), store: try name(), country: try name(), appVersion: try name())
  }

  private mutating func dimensions() throws -> UnitDimensions {
    let client = try client()
    let intake = intake
    let properties = try input.withBytes(next()) { bytes in try bytes.map { try intake.properties($0) } ?? 0 }
    let plan = try text()
    return UnitDimensions(
      client: client, properties: properties, plan: try plan.map { try known(Plan(name: $0)) },
      isFamilyTier: try flag(), trialKind: try known(FactText.trialKind(text())), offer: try offer())
  }
}

/// A person of an app, identified by its smallest id.
struct PersonKey: Hashable {
  var app: [UInt8]
  var person: [UInt8]
}

/// Decodes one event in canonical JSON into a batch.
enum OneEvent {
  static func batch(_ json: [UInt8], row: Int) throws -> EventBatch {
    guard let decoder = EventDecoder() else { preconditionFailure("JSON needs no header") }
    if let rejected = decoder.decode(json, number: row) {
      throw WorkerFault(.data, "row \(row): is not an event: \(rejected.reason)")
    }
    return decoder.takeBatch()
  }
}
