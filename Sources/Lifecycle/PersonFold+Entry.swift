extension PersonFold {
  /// Records the first impression ever; implements definitions 3.1.
  mutating func recordEntry(_ dictionaries: borrowing EventDictionaries) {
    guard let first = impressions.first else { return }
    let event = events[first]
    let entry = EntryFact(
      ts: event.ts, context: dictionaries.contexts[Int(event.context)], dimensions: dimensions(of: event, dictionaries))
    facts.entry = entry
  }
}
