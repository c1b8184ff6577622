internal import GRDB
public import Lifecycle

/// The instant and the client of each person's first event, which no fact holds.
public struct FirstEvents {
  /// The instants by person, in ms; the greatest value for numbers that are not a person with an event that counts.
  public fileprivate(set) var instants: [Int64]
  /// The clients by person; empty unless asked for.
  public fileprivate(set) var clients: [Int32] = []
  /// The property sets by person; empty unless asked for.
  public fileprivate(set) var properties: [Int32] = []
  /// The apps by person.
  public fileprivate(set) var apps: [NameID]
}

extension FactSource {
  /// Returns the first event of each person, out of those that count and exist at the as-of; read once.
  ///
  /// - Parameter withDimensions: Whether to read clients and property sets.
  public func firstEvents(withDimensions: Bool) throws -> FirstEvents {
    if let readFirstEvents, readFirstEvents.clients.isEmpty != withDimensions { return readFirstEvents }
    let count = 1 + (try StoredEntries.greatestUser(db))
    var first = FirstEvents(
      instants: [Int64](repeating: .max, count: count), apps: [NameID](repeating: 0, count: count))
    if withDimensions {
      first.clients = [Int32](repeating: 0, count: count)
      first.properties = [Int32](repeating: 0, count: count)
    }
    let counting = try CountingEvents(db, before: asOf)
    let graph = try identities()
    var tied = UserSet()
    try SortedRuns.forEachNumbers(
      db,
      read: {
        try $0.readArrivals($1, withTerms: counting.needsTerms, withProperties: withDimensions)
        return true
      }
    ) { numbers in
      for place in numbers.instants.indices {
        let (ts, client) = (numbers.instants[place], Int(numbers.clients[place]))
        let terms = counting.needsTerms ? Int(numbers.terms[place]) : 0
        guard counting.counts(ts, client: client, terms: terms) else { continue }
        let user = Int32(truncatingIfNeeded: numbers.users[place])
        let person = graph.person(of: user)
        guard reads(person) else { continue }
        let slot = Int(person)
        if ts > first.instants[slot] { continue }
        if withDimensions {
          let properties = Int32(truncatingIfNeeded: numbers.properties[place])
          if ts == first.instants[slot] {
            if first.clients[slot] != client || first.properties[slot] != properties { tied.insert(person) }
            continue
          }
          first.clients[slot] = Int32(client)
          first.properties[slot] = properties
        }
        first.instants[slot] = ts
        first.apps[slot] = counting.apps[client]
      }
    }
    try settle(tied, graph, counting, in: &first)
    readFirstEvents = first
    return first
  }

  /// Finds the first of several events at one instant, which needs whole events.
  private func settle(
    _ tied: UserSet, _ graph: IdentityGraph, _ counting: CountingEvents, in first: inout FirstEvents
  ) throws {
    if tied.count == 0 { return }
    try PersonScan(graph: graph, old: SortedRuns.cursors(db), new: []).forEach(tied) { person, events in
      guard
        let row = events.rows.first(where: {
          counting.counts($0.ts, client: Int($0.client), terms: Int($0.terms))
        })
      else { return }
      first.clients[Int(person)] = row.client
      first.properties[Int(person)] = row.properties
    }
  }
}
