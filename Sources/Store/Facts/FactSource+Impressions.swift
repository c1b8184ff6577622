internal import EventModel
internal import GRDB
internal import Lifecycle

/// A user's first impression among those that share some dimensions (definitions 3.1).
public struct FirstView: Sendable {
  public var person: Int32
  /// A place in the list of facets.
  public var facet: Int32
  public var ts: Int64
}

/// Impressions that count and exist at the as-of, read from the events where neither facts nor cells hold enough.
extension FactSource {
  /// The numbers that a group of impressions shares.
  private struct Traits: Hashable, Sendable {
    var context: Int32
    var terms: Int32
    var client: Int32
    var properties: Int32
    var person: Int32
    var day: Int32
  }

  /// Calls `body` with the place of each impression that counts, block by block.
  ///
  /// - Parameters:
  ///   - instants: Impressions at these come with whole events.
  ///   - beginBlock: Called before the impressions of each block.
  private func forEachImpression(
    withEventsAt instants: Set<Int64> = [], beginBlock: () -> Void = {},
    _ body: (borrowing BlockNumbers, _ place: Int) throws -> Void
  ) throws {
    let counting = try CountingEvents(db, before: ends(of: .paywallImpression))
    let kind = Int64(EventKind.paywallImpression.rawValue)
    try SortedRuns.forEachNumbers(
      db, of: instants.isEmpty ? BlockNumbers.columns : nil,
      read: { numbers, view in
        guard try numbers.read(view, ofKinds: 1 << UInt64(kind)) else { return false }
        if !instants.isDisjoint(with: numbers.instants) { try numbers.readEvents(view) }
        return true
      }
    ) { numbers in
      beginBlock()
      for place in numbers.kinds.indices where numbers.kinds[place] == kind {
        let (client, terms) = (Int(numbers.clients[place]), Int(numbers.terms[place]))
        if counting.counts(numbers.instants[place], client: client, terms: terms) { try body(numbers, place) }
      }
    }
  }

  /// Returns the first impressions of each user among those of each facet and day. A user may have several for one
  /// facet and day; one of them is the first.
  ///
  /// - Parameters:
  ///   - split: The dimensions to keep apart besides contexts.
  ///   - withTerms: Whether to keep products, tiers and trial kinds apart.
  ///   - localDay: Returns the day of an instant; used with `split.byDay`.
  public func firstViews(
    by split: UnitSplit, withTerms: Bool, localDay: (Int64) -> Int64
  ) throws -> (facets: [UnitFacet], views: [FirstView]) {
    let (dictionaries, graph) = (try dictionaries(), try identities())
    var interner = RowInterner<Traits>()
    var facets: [UnitFacet] = []
    var views: [FirstView] = []
    // The events of a block are ordered by user, then time; this lists what the current user has seen in the block.
    var seen: [(facet: Int32, day: Int64)] = []
    var last: (user: Int64, person: Int32) = (-1, 0)
    var lastTraits: (traits: Traits, facet: Int32)?
    try forEachImpression(beginBlock: { last.user = -1 }) { numbers, place in
      let ts = numbers.instants[place]
      if numbers.users[place] != last.user {
        last.user = numbers.users[place]
        last.person = graph.person(of: Int32(truncatingIfNeeded: last.user))
        seen.removeAll(keepingCapacity: true)
      }
      guard reads(last.person) else { return }
      let client = Int32(truncatingIfNeeded: numbers.clients[place])
      let app = dictionaries.clientApp[Int(client)]
      let traits = Traits(
        context: Int32(truncatingIfNeeded: numbers.contexts[place]),
        terms: withTerms ? Int32(truncatingIfNeeded: numbers.terms[place]) : 0, client: split.byClient ? client : app,
        properties: split.byProperties ? Int32(truncatingIfNeeded: numbers.properties[place]) : 0,
        person: split.byPerson ? last.person : 0, day: 0)
      let facet: Int32
      if let lastTraits, lastTraits.traits == traits {
        facet = lastTraits.facet
      } else {
        facet = Int32(interner.intern(traits))
        lastTraits = (traits, facet)
      }
      if Int(facet) == facets.count {
        facets.append(
          UnitFacet(
            credits: [
              CellKey(
                app: app, context: dictionaries.contexts[Int(traits.context)],
                ofImpression: dictionaries.terms[Int(traits.terms)])
            ], client: split.byClient ? client : 0, properties: traits.properties, person: traits.person))
      }
      let day = split.byDay ? localDay(ts) : 0
      if seen.contains(where: { $0.facet == facet && $0.day == day }) { return }
      seen.append((facet, day))
      views.append(FirstView(person: last.person, facet: facet, ts: ts))
    }
    return (facets, views)
  }

  /// Returns the number of impressions that showed both prices, by price and shared dimensions.
  ///
  /// - Parameters:
  ///   - timeZone: The name of the zone of the days.
  ///   - localDay: Returns the day of an instant; used with `split.byDay`.
  public func shownPrices(
    by split: UnitSplit, timeZone: String, localDay: (Int64) -> Int64
  ) throws -> [ShownPrices] {
    if let lastShown, lastShown.split == split, lastShown.timeZone == timeZone { return lastShown.prices }
    let (dictionaries, graph) = (try dictionaries(), try identities())
    let prices = try ShownPrices.Dictionary(db, dictionaries)
    var interner = RowInterner<Traits>()
    var sums: [ShownPrices?] = []
    try forEachImpression { numbers, place in
      let ts = numbers.instants[place]
      let person = graph.person(of: Int32(truncatingIfNeeded: numbers.users[place]))
      guard reads(person) else { return }
      let client = Int32(truncatingIfNeeded: numbers.clients[place])
      let app = dictionaries.clientApp[Int(client)]
      let traits = Traits(
        context: Int32(truncatingIfNeeded: numbers.contexts[place]),
        terms: Int32(truncatingIfNeeded: numbers.terms[place]), client: split.byClient ? client : app,
        properties: split.byProperties ? Int32(truncatingIfNeeded: numbers.properties[place]) : 0,
        person: split.byPerson ? person : 0,
        day: split.byDay ? Int32(localDay(ts)) : 0)
      let sum = Int(interner.intern(traits))
      if sum == sums.count {
        var shown = try prices.shown(
          app: app, context: traits.context, terms: traits.terms, client: split.byClient ? client : 0,
          properties: traits.properties, person: traits.person)
        shown?.day = Int64(traits.day)
        sums.append(shown)
      }
      guard sums[sum] != nil else { return }
      sums[sum]!.impressions += 1
      sums[sum]!.newest = max(sums[sum]!.newest ?? .min, ts)
    }
    let shown = sums.compactMap { $0 }
    lastShown = (split, timeZone, shown)
    return shown
  }

  /// Calls `body` with each impression at certain instants that showed both prices, and its id.
  public func forEachShownPrice(
    at instants: Set<Int64>, by split: UnitSplit, localDay: (Int64) -> Int64,
    _ body: (ShownPrices, _ id: String) throws -> Void
  ) throws {
    let (dictionaries, graph) = (try dictionaries(), try identities())
    let prices = try ShownPrices.Dictionary(db, dictionaries)
    try forEachImpression(withEventsAt: instants) { numbers, place in
      let ts = numbers.instants[place]
      let person = graph.person(of: Int32(truncatingIfNeeded: numbers.users[place]))
      guard instants.contains(ts), reads(person) else { return }
      let client = Int32(truncatingIfNeeded: numbers.clients[place])
      guard
        var shown = try prices.shown(
          app: dictionaries.clientApp[Int(client)], context: Int32(truncatingIfNeeded: numbers.contexts[place]),
          terms: Int32(truncatingIfNeeded: numbers.terms[place]), client: client,
          properties: Int32(truncatingIfNeeded: numbers.properties[place]),
          person: split.byPerson ? person : 0)
      else { return }
      shown.day = split.byDay ? localDay(ts) : 0
      shown.impressions = 1
      shown.newest = ts
      let event = numbers.events.rows[place]
      let id = numbers.events.text.withUnsafeBytes { String(decoding: event.eventID.text(in: $0), as: UTF8.self) }
      try body(shown, id)
    }
  }
}
