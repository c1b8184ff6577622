internal import Basics

extension PersonFold {
  /// Appends the contexts that an event is credited to, and returns their range; implements definitions 2.10.
  mutating func attribute(_ event: PersonEvent, _ dictionaries: borrowing EventDictionaries) -> Range<Int> {
    let begin = facts.contexts.count
    let own = dictionaries.contexts[Int(event.context)]
    if own.entryPoint != 0 {
      let filled = fill(own, of: event, dictionaries)
      facts.contexts.append(filled)
      return begin..<begin + 1
    }
    let window = impressions(before: event)
    switch options.attribution {
    case .last:
      if let last = window.last {
        let context = dictionaries.contexts[Int(events[last].context)]
        facts.contexts.append(context)
      }
    case .first:
      if let first = window.first {
        let context = dictionaries.contexts[Int(events[first].context)]
        facts.contexts.append(context)
      }
    case .all:
      for place in window {
        let context = dictionaries.contexts[Int(events[place].context)]
        if facts.contexts[begin...].contains(context) { continue }
        facts.contexts.append(context)
      }
    }
    if facts.contexts.count == begin {
      facts.contexts.append(.unattributed)
    }
    return begin..<facts.contexts.count
  }

  /// Returns the offering of a unit: its own event's, else that of the impression from which the event would take its
  /// context. For offerings: definitions 2.11.
  func offering(of event: PersonEvent, _ dictionaries: borrowing EventDictionaries) -> NameID {
    let own = dictionaries.terms[Int(event.terms)].offering
    if own != 0 { return own }
    let entryPoint = dictionaries.contexts[Int(event.context)].entryPoint
    let window = impressions(before: event)
    if entryPoint == 0, options.attribution == .first {
      return window.first.map { dictionaries.terms[Int(events[$0].terms)].offering } ?? 0
    }
    for place in window.reversed() {
      if entryPoint != 0, dictionaries.contexts[Int(events[place].context)].entryPoint != entryPoint { continue }
      return dictionaries.terms[Int(events[place].terms)].offering
    }
    return 0
  }

  /// Returns the event's own context, with missing fields taken from the last impression in the window with the same
  /// entry point. `experiment` and `variant` are filled together, and only if both are absent.
  private func fill(
    _ own: Context, of event: PersonEvent, _ dictionaries: borrowing EventDictionaries
  ) -> Context {
    let lacksTest = own.experiment == 0 && own.variant == 0
    guard lacksTest || own.paywall == 0 else { return own }
    for place in impressions(before: event).reversed() {
      let seen = dictionaries.contexts[Int(events[place].context)]
      if seen.entryPoint != own.entryPoint { continue }
      var filled = own
      if lacksTest {
        filled.experiment = seen.experiment
        filled.variant = seen.variant
      }
      if own.paywall == 0 { filled.paywall = seen.paywall }
      return filled
    }
    return own
  }

  /// Returns the impressions in `(ts − 7 d, ts]`, in time order.
  private func impressions(before event: PersonEvent) -> ArraySlice<Int> {
    let upper = impressionsEnd(at: event.ts)
    let lower = impressionsEnd(at: event.ts - FoldOptions.attributionWindow)
    return impressions[lower..<upper]
  }

  /// Returns how many impressions come at or before an instant.
  func impressionsEnd(at ts: Int64) -> Int { impressions.firstPlace { events[$0].ts > ts } }
}
