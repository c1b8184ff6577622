extension PersonFold {
  /// Definitions 3.1: the first impression ever.
  mutating func recordEntry(_ dictionaries: borrowing EventDictionaries) {
    guard let first = impressions.first else { return }
    let event = events[first]
    let entry = EntryFact(
      ts: event.ts, context: dictionaries.contexts[Int(event.context)], dimensions: dimensions(of: event, dictionaries))
    record { $0.entry = entry }
  }

  /// The first sight of each variant of each experiment (definitions 8.1 reads them).
  mutating func recordExposures(_ dictionaries: borrowing EventDictionaries) {
    for event in events where event.kind == .paywallImpression || event.kind == .exposure {
      let context = dictionaries.contexts[Int(event.context)]
      if context.experiment == 0 { continue }
      if facts.exposures.contains(where: { $0.experiment == context.experiment && $0.variant == context.variant }) {
        continue
      }
      let exposure = ExposureFact(
        experiment: context.experiment, variant: context.variant, ts: event.ts, client: event.client)
      record { $0.exposures.append(exposure) }
    }
  }
}
