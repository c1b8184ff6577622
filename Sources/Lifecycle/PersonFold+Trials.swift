import EventModel

/// A trial while its user's events are folded.
struct Trial {
  /// The index of its `trial_start` in the user's events.
  var place: Int
  var start: Int64
  var end: Int64
  /// The trial's end plus grace.
  var deadline: Int64
  var kind: TrialKind
  var subscription: Int32
  var product: NameID
  /// The trial's conversion, as an index in `payments`.
  var conversion: Int?
  var isCancelled = false
}

extension PersonFold {
  /// Fills `trials`, in order of start (definitions 2.2 and 1.7).
  mutating func collectTrials(_ dictionaries: borrowing EventDictionaries) {
    trials.removeAll(keepingCapacity: true)
    for (place, event) in events.enumerated() {
      switch event.kind {
      case .trialStart: startTrial(event, at: place, dictionaries)
      case .billingIssue: extendGrace(event, dictionaries)
      default: break
      }
    }
  }

  private mutating func startTrial(
    _ event: PersonEvent, at place: Int, _ dictionaries: borrowing EventDictionaries
  ) {
    let terms = dictionaries.terms[Int(event.terms)]
    let kind = terms.trialKind == .app ? TrialKind.app : .introductory
    let repeated = trials.lastIndex { trial in
      guard event.ts < trial.deadline else { return false }
      if trial.subscription != 0 && event.subscription != 0 { return trial.subscription == event.subscription }
      if trial.product != 0 && terms.product != 0 { return trial.product == terms.product }
      return trial.kind == kind
    }
    if let repeated {
      if let end = event.trialEndsAt, end > trials[repeated].end {
        trials[repeated].end = end
        trials[repeated].deadline = max(trials[repeated].deadline, end + options.grace)
      }
      return
    }
    let end = event.trialEndsAt ?? event.ts + (terms.trialDays ?? 0) * day
    trials.append(
      Trial(
        place: place, start: event.ts, end: end, deadline: end + options.grace, kind: kind,
        subscription: event.subscription, product: terms.product))
  }

  /// Moves a trial's deadline to the later end of grace set by a billing issue before the deadline (definitions 1.7).
  private mutating func extendGrace(_ event: PersonEvent, _ dictionaries: borrowing EventDictionaries) {
    guard let graceEnd = event.graceEndsAt else { return }
    for index in trials.indices where event.ts < trials[index].deadline && graceEnd > trials[index].deadline {
      if isOf(event, trial: index, dictionaries) { trials[index].deadline = graceEnd }
    }
  }

  /// Returns whether a churn event belongs to an introductory trial (definitions 2.4): by equal ids if both have one,
  /// else by equal products if both have one, else if it is the newest introductory trial before the event.
  ///
  /// Trials newer than the event must be missing from `trials` or start after it.
  private func isOf(_ event: PersonEvent, trial index: Int, _ dictionaries: borrowing EventDictionaries) -> Bool {
    let trial = trials[index]
    guard trial.kind == .introductory, trial.start <= event.ts else { return false }
    if trial.subscription != 0 && event.subscription != 0 { return trial.subscription == event.subscription }
    let product = dictionaries.terms[Int(event.terms)].product
    if trial.product != 0 && product != 0 { return trial.product == product }
    return index == trials.lastIndex { $0.kind == .introductory && $0.start <= event.ts }
  }

  /// Assigns conversions to trials in three passes, each in time order (definitions 2.3).
  mutating func assignConversions() {
    assignConversions { conversion, trial in
      conversion.subscription != 0 && conversion.subscription == trial.subscription
    }
    assignConversions { _, trial, product in product != 0 && product == trial.product }
    assignConversions { _, _ in true }
  }

  private mutating func assignConversions(where matches: (PersonEvent, Trial) -> Bool) {
    assignConversions { event, trial, _ in matches(event, trial) }
  }

  private mutating func assignConversions(where matches: (PersonEvent, Trial, NameID) -> Bool) {
    for index in payments.indices where payments[index].isConversion && payments[index].trial == nil {
      let event = events[payments[index].place]
      let found = trials.lastIndex {
        $0.conversion == nil && $0.start <= event.ts && event.ts < $0.deadline
          && matches(event, $0, payments[index].product)
      }
      guard let found else { continue }
      payments[index].trial = found
      trials[found].conversion = index
    }
  }

  /// Marks the trials that were cancelled (definitions 2.4).
  mutating func markCancelledTrials(_ dictionaries: borrowing EventDictionaries) {
    for (place, event) in events.enumerated() where event.kind == .cancellation || event.kind == .reactivation {
      for index in trials.indices where event.ts < trials[index].end {
        if let conversion = trials[index].conversion, payments[conversion].place < place { continue }
        if isOf(event, trial: index, dictionaries) { trials[index].isCancelled = event.kind == .cancellation }
      }
    }
  }

  mutating func recordTrials(_ dictionaries: borrowing EventDictionaries) {
    for trial in trials {
      let event = events[trial.place]
      let contexts = attribute(event, dictionaries)
      let fact = TrialFact(
        start: trial.start, end: trial.end, deadline: trial.deadline,
        convertedAt: trial.conversion.map { payments[$0].ts }, isCancelled: trial.isCancelled, product: trial.product,
        subscription: trial.subscription, contexts: contexts,
        dimensions: dimensions(of: event, dictionaries, trialKind: trial.kind))
      record { $0.trials.append(fact) }
    }
  }

  mutating func recordConversions(_ dictionaries: borrowing EventDictionaries) {
    for payment in payments where payment.isConversion {
      let contexts = self.contexts(of: payment, dictionaries)
      let trial = payment.trial.map { trials[$0] }
      let fact = ConversionFact(
        ts: payment.ts, trialStart: trial?.start, trialKind: trial?.kind ?? .none, contexts: contexts)
      record { $0.conversions.append(fact) }
    }
  }

  /// Returns the contexts of a payment: its trial's if it converts an introductory trial, else its own (definitions
  /// 2.10).
  mutating func contexts(of payment: Payment, _ dictionaries: borrowing EventDictionaries) -> Range<Int> {
    if let trial = payment.trial, trials[trial].kind == .introductory { return facts.trials[trial].contexts }
    return attribute(events[payment.place], dictionaries)
  }
}
