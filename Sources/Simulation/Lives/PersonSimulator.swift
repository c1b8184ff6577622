internal import EventModel

/// Simulates users one after the other and writes their events.
///
/// A user's events are a pure function of the truth, the seed and the user; the span only cuts off later events.
struct PersonSimulator {
  let span: Range<Milliseconds>
  private(set) var lines: [SampleBlock.Line] = []
  private var text = EventLine()

  var script: AppScript
  var person: Person
  var app: AppTruth { script.truth }
  private var delivery: CounterRandom
  private var eventSerial = 0
  private var transactionSerial = 0

  /// - Parameter script, person: The first user to simulate.
  init(span: Range<Milliseconds>, script: AppScript, person: Person) {
    self.span = span
    self.script = script
    self.person = person
    delivery = person.random(for: .delivery)
  }

  /// Returns the lines written so far.
  consuming func finished() -> SampleBlock {
    SampleBlock(bytes: text.finished(), lines: lines)
  }

  mutating func tell(_ person: Person, of script: AppScript) {
    self.person = person
    self.script = script
    delivery = person.random(for: .delivery)
    eventSerial = 0
    transactionSerial = 0
    switch person.kind {
    case .meetsPaywalls:
      if case .app(let days) = app.trial { tellAppTrial(days: days) } else { tellPaywalls() }
    case .subscribedBefore: tellSubscribedBefore()
    case .buysOnStorePage: tellStorePageBuyer()
    case .tester: tellTester()
    case .familyMember: tellFamilyMember()
    case .redeemsCode: tellCodeRedeemer()
    }
  }

  /// Writes an event, unless it is outside the span.
  mutating func emit(_ event: SampleEvent) {
    let serial = eventSerial
    eventSerial += 1
    precondition(serial < 1 << 10, "a user has too many events for their ids")
    let receivedAt = event.instant + delay()
    guard span.contains(event.instant) else { return }
    text.append(event, of: person, serial: serial, receivedAt: receivedAt, in: script)
    let day = Int((event.instant - span.lowerBound) / .day)
    let file = Int32(day * EventKind.families.count + event.kind.familyNumber)
    lines.append(SampleBlock.Line(file: file, end: text.count))
  }

  /// Draws the delay until the collector receives an event: mostly seconds, sometimes hours, rarely days (a phone
  /// without a connection).
  private mutating func delay() -> Milliseconds {
    let draw = delivery.uniform()
    if draw < 0.90 { return delivery.within(.second..<40 * .second) }
    if draw < 0.97 { return delivery.within(.minute..<2 * .hour) }
    if draw < 0.996 { return delivery.within(2 * .hour..<20 * .hour) }
    return delivery.within(.day..<6 * .day)
  }

  /// Returns a new transaction number; a subscription has the number of its first payment (or of its trial).
  mutating func newTransaction() -> Int {
    transactionSerial += 1
    return SampleIdentifier.transaction(
      key: script.transactionKey, person: person.index, serial: transactionSerial)
  }

  func product(_ plan: Plan, tier: SampleTier? = nil) -> Product {
    guard let product = app.product(plan, tier: tier ?? person.tier, variant: person.variant) else {
      preconditionFailure("\(app.name) sells no \(plan) plan of the tier \(tier ?? person.tier)")
    }
    return product
  }

  /// Returns an event of a subscription or trial after its start.
  func churn(
    _ kind: EventKind, at instant: Milliseconds, of product: Product?, _ subscription: Int, reason: String? = nil
  ) -> SampleEvent {
    var event = SampleEvent(kind, at: instant)
    (event.product, event.subscription, event.reason) = (product, subscription, reason)
    return event
  }

  /// Returns the context that a trial or purchase at an entry point carries.
  func context(ofSaleAt entryPoint: EntryPointTruth) -> SampleEvent.Context {
    switch person.contextHabit {
    case .none: .none
    case .entryPoint: .entryPoint(entryPoint.name)
    case .full: .full(entryPoint.name)
    }
  }

  /// Adds the days on which the app was used, and the log-in of users with two ids.
  mutating func tellActivity(isPayer: Bool) {
    if let anonymousID = person.anonymousID {
      var event = SampleEvent(.identify, at: person.identifiedAt)
      event.previousUser = anonymousID
      emit(event)
    }
    var random = person.random(for: .activity)
    for (day, probability) in AppTruth.activity {
      let timeOfDay = random.within(0..<8 * .hour)
      guard random.happens(probability * (isPayer ? 2 : 1)) else { continue }
      emit(SampleEvent(.activity, at: person.arrival + day * .day + timeOfDay))
    }
  }
}
