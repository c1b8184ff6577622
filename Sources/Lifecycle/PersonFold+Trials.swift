import EventModel

/// A trial while its user's events are folded.
struct Trial {
  /// The index of its `trial_start` in the user's events.
  @CompactPlace var place: Int
  /// The trial's conversion, as an index in `payments`.
  @CompactPlaceOrNone var conversion: Int?
  var start: Int64
  var end: Int64
  /// The trial's end plus grace.
  var deadline: Int64
  var subscription: Int32
  var product: NameID
  var kind: TrialKind
  var isCancelled = false
  @CompactNumber var expiredAt: Int64?
  /// The events that repeat its start.
  var repeats: [Int64] = []
}

/// Trials that have started and are not known to be over, to find those that an event may belong to.
struct OpenTrials {
  /// The newest of each subscription, and of those without one, which are of 0.
  private var newest: [Int32: Int32] = [:]
  /// The one of the same subscription before each; -1 for none.
  private var before: [Int32] = []
  private var all: [Int32] = []
  /// The newest introductory one, open or not.
  private(set) var newestIntroductory: Int?

  /// Adds those of a list that have begun and are not here yet.
  mutating func add(_ trials: [Trial], startedBy ts: Int64) {
    while before.count < trials.count, trials[before.count].start <= ts {
      let trial = trials[before.count]
      if trial.kind == .introductory { newestIntroductory = before.count }
      let number = Int32(before.count)
      all.append(number)
      before.append(newest.updateValue(number, forKey: trial.subscription) ?? -1)
    }
  }

  /// Returns the trials that an event may belong to, in order of start; 0 is no subscription. `ts` must not decrease
  /// from call to call.
  mutating func candidates(_ subscription: Int32, in trials: [Trial], at ts: Int64) -> [Int] {
    if subscription == 0 {
      all.removeAll { trials[Int($0)].deadline <= ts }
      return all.map { Int($0) }
    }
    let (own, others) = (open(subscription, in: trials, at: ts), open(0, in: trials, at: ts))
    return others.isEmpty ? own : (own + others).sorted()
  }

  /// Returns the trials of a subscription in order of start, and forgets those that are over.
  private mutating func open(_ subscription: Int32, in trials: [Trial], at ts: Int64) -> [Int] {
    guard var next = newest[subscription] else { return [] }
    var open: [Int] = []
    while next >= 0 {
      if trials[Int(next)].deadline > ts { open.append(Int(next)) }
      next = before[Int(next)]
    }
    for (later, earlier) in zip(open, open.dropFirst()) { before[later] = Int32(earlier) }
    if let oldest = open.last { before[oldest] = -1 }
    newest[subscription] = open.first.map { Int32($0) }
    return open.reversed()
  }
}

extension PersonFold {
  /// Fills `trials`, in order of start; implements definitions 2.2.
  mutating func collectTrials(_ dictionaries: borrowing EventDictionaries) {
    trials.removeAll(keepingCapacity: true)
    if events.count > Self.manyEvents {
      // Growing step by step takes up to three times the memory.
      trials.reserveCapacity(events.count { $0.kind == .trialStart })
    }
    var open = OpenTrials()
    for (place, event) in events.enumerated() {
      switch event.kind {
      case .trialStart: startTrial(event, at: place, &open, dictionaries)
      case .billingIssue: extendGrace(event, &open, dictionaries)
      default: break
      }
    }
  }

  private mutating func startTrial(
    _ event: PersonEvent, at place: Int, _ open: inout OpenTrials, _ dictionaries: borrowing EventDictionaries
  ) {
    let terms = dictionaries.terms[Int(event.terms)]
    let kind = terms.trialKind == .app ? TrialKind.app : .introductory
    let repeated = open.candidates(event.subscription, in: trials, at: event.ts).last { index in
      let trial = trials[index]
      if trial.subscription != 0 && event.subscription != 0 { return trial.subscription == event.subscription }
      if trial.product != 0 && terms.product != 0 { return trial.product == terms.product }
      return trial.kind == kind
    }
    if let repeated {
      if options.takesEventTimes { trials[repeated].repeats.append(event.ts) }
      if let end = event.trialEndsAt, end > trials[repeated].end {
        trials[repeated].end = end
        trials[repeated].deadline = max(trials[repeated].deadline, end + options.grace)
      }
      return
    }
    let days = Int64(terms.trialDays)
    guard event.trialEndsAt != nil || (0...366).contains(days) else {
      isMalformed = true
      return
    }
    let end = event.trialEndsAt ?? event.ts + days * day
    trials.append(
      Trial(
        place: place, start: event.ts, end: end, deadline: end + options.grace,
        subscription: event.subscription, product: terms.product, kind: kind))
    open.add(trials, startedBy: event.ts)
  }

  /// Moves the deadlines of the trials that a billing issue belongs to.
  private mutating func extendGrace(
    _ event: PersonEvent, _ open: inout OpenTrials, _ dictionaries: borrowing EventDictionaries
  ) {
    if event.graceEndsAt == nil { return }
    for index in open.candidates(event.subscription, in: trials, at: event.ts)
    where isOf(event, trial: index, open, dictionaries) {
      trials[index].deadline = event.graceEnd(movedFrom: trials[index].deadline)
    }
  }

  /// Returns whether a churn event belongs to an introductory trial: by equal ids if both have one,
  /// else by equal products if both have one, else if it is the newest introductory trial before the event.
  ///
  /// - Parameter open: With the trials that began by then, and no others.
  func isOf(
    _ event: PersonEvent, trial index: Int, _ open: OpenTrials, _ dictionaries: borrowing EventDictionaries
  ) -> Bool {
    let trial = trials[index]
    guard trial.kind == .introductory, trial.start <= event.ts else { return false }
    if trial.subscription != 0 && event.subscription != 0 { return trial.subscription == event.subscription }
    let product = dictionaries.terms[Int(event.terms)].product
    if trial.product != 0 && product != 0 { return trial.product == product }
    return index == open.newestIntroductory
  }

  /// Assigns conversions to trials in three passes, each in time order; implements definitions 2.3.
  mutating func assignConversions(_ dictionaries: borrowing EventDictionaries) {
    if trials.isEmpty { return }
    assignConversions(dictionaries) { subscription, _ in subscription == 0 ? nil : subscription }
    assignConversions(dictionaries) { _, product in product == 0 ? nil : product }
    assignConversions(dictionaries) { _, _ in 0 }
  }

  /// - Parameter key: Returns a value that must be equal; a conversion or trial without one is not assigned.
  private mutating func assignConversions(
    _ dictionaries: borrowing EventDictionaries, by key: (_ subscription: Int32, _ product: NameID) -> Int32?
  ) {
    if !payments.contains(where: { $0.isConversion && $0.trial == nil }) { return }
    /// Trials without a conversion that have begun, the newest last. One that is over is never open again.
    var open: [Int32: [Int]] = [:]
    var next = 0
    for index in payments.indices where payments[index].isConversion && payments[index].trial == nil {
      let event = events[payments[index].place]
      while next < trials.count, trials[next].start <= event.ts {
        if trials[next].conversion == nil, let key = key(trials[next].subscription, trials[next].product) {
          open[key, default: []].append(next)
        }
        next += 1
      }
      guard let key = key(event.subscription, dictionaries.terms[Int(event.terms)].product) else { continue }
      while let newest = open[key]?.popLast() {
        if event.ts >= trials[newest].deadline { continue }
        payments[index].trial = newest
        trials[newest].conversion = index
        break
      }
    }
  }

  /// Marks the trials that were cancelled; implements definitions 2.4.
  mutating func markCancelledTrials(_ dictionaries: borrowing EventDictionaries) {
    if trials.isEmpty { return }
    var open = OpenTrials()
    for (place, event) in events.enumerated() where event.kind == .cancellation || event.kind == .reactivation {
      open.add(trials, startedBy: event.ts)
      for index in open.candidates(event.subscription, in: trials, at: event.ts) where event.ts < trials[index].end {
        if let conversion = trials[index].conversion, payments[conversion].place < place { continue }
        guard isOf(event, trial: index, open, dictionaries) else { continue }
        trials[index].isCancelled = event.kind == .cancellation
        churnedStarts.append((place, trials[index].start))
      }
    }
  }

  /// Records the first expiration of each trial, matched like the cancellations in ``markCancelledTrials(_:)``.
  mutating func markExpiredTrials(_ dictionaries: borrowing EventDictionaries) {
    if trials.isEmpty { return }
    var open = OpenTrials()
    for (place, event) in events.enumerated() where event.kind == .expiration {
      open.add(trials, startedBy: event.ts)
      for index in open.candidates(event.subscription, in: trials, at: event.ts) where trials[index].expiredAt == nil {
        if let conversion = trials[index].conversion, payments[conversion].place < place { continue }
        if isOf(event, trial: index, open, dictionaries) { trials[index].expiredAt = event.ts }
      }
    }
  }

  mutating func recordTrials(_ dictionaries: borrowing EventDictionaries) {
    if events.count > Self.manyEvents {
      facts.trials.reserveCapacity(trials.count)
      facts.contexts.reserveCapacity(trials.count)
    }
    for trial in trials {
      let event = events[trial.place]
      let contexts = attribute(event, dictionaries)
      var fact = TrialFact(
        start: trial.start, end: trial.end, deadline: trial.deadline,
        convertedAt: trial.conversion.map { payments[$0].ts }, isCancelled: trial.isCancelled,
        subscription: trial.subscription, contexts: contexts,
        dimensions: dimensions(
          of: event, dictionaries, trialKind: trial.kind, offering: offering(of: event, dictionaries)))
      (fact.expiredAt, fact.repeats) = (trial.expiredAt, trial.repeats)
      facts.trials.append(fact)
    }
  }

  mutating func recordConversions(
    _ dictionaries: borrowing EventDictionaries, _ part: (borrowing PersonFacts) throws -> Void
  ) rethrows {
    for payment in payments where payment.isConversion {
      let contexts = self.contexts(of: payment, dictionaries)
      let trial = payment.trial.map { trials[$0] }
      let fact = ConversionFact(
        ts: payment.ts, trialStart: trial?.start, trialKind: trial?.kind ?? .none, contexts: contexts)
      facts.conversions.append(fact)
      if facts.conversions.count == mostFacts { try handOn(part) }
    }
  }

  /// Returns the contexts of a payment: its trial's if it converts an introductory trial, else those that
  /// ``attribute(_:_:)`` finds.
  mutating func contexts(of payment: Payment, _ dictionaries: borrowing EventDictionaries) -> Range<Int> {
    if let trial = payment.trial, trials[trial].kind == .introductory { return facts.trials[trial].contexts }
    return attribute(events[payment.place], dictionaries)
  }

  /// Returns the offering of a payment: its own, or its trial's if it converts an introductory trial.
  func offering(of payment: Payment, _ dictionaries: borrowing EventDictionaries) -> NameID {
    let event = events[payment.place]
    let own = dictionaries.terms[Int(event.terms)].offering
    if own == 0, let trial = payment.trial, trials[trial].kind == .introductory {
      return facts.trials[trial].dimensions.offer.offering
    }
    return offering(of: event, dictionaries)
  }
}
