public import EventModel
internal import GRDB
public import Lifecycle

/// An event in a scan of the store: the numbers of its dictionary entries, and its person.
public struct ScannedEvent: Sendable {
  public var ts: Int64
  public var app: NameID
  /// The least id of the users joined with the event's user at the as-of.
  public var person: Int32
  public var context: Int32
  public var client: Int32
  public var terms: Int32
  public var properties: Int32
  public var kind: EventKind
}

extension FactSource {
  /// The dimensions of a client, as names.
  public struct Client {
    public var platform: NameID = 0
    public var store: NameID = 0
    public var country: NameID = 0
    public var appVersion: NameID = 0
  }

  /// Returns the clients, by number.
  ///
  /// - Throws: If a number below the greatest is not there.
  public func clients() throws -> [Client] {
    var clients = [Client()]
    let row = try SQLiteStatement(db, "SELECT platform, store, country, app_version, id FROM client ORDER BY id")
    while try row.step() {
      guard row.int64(4) == clients.count else { throw StoredDamage.error("client lacks entry \(clients.count)") }
      clients.append(
        Client(platform: row.int32(0), store: row.int32(1), country: row.int32(2), appVersion: row.int32(3)))
    }
    return clients
  }

  /// Returns the values of a property, by number of the property set.
  public func values(ofProperty name: String) throws -> [Int32: NameID] {
    var values: [Int32: NameID] = [:]
    let row = try SQLiteStatement(db, "SELECT set_id, value FROM property WHERE name = ?")
    row.bind(1, name)
    while try row.step() { values[row.int32(0)] = row.int32(1) }
    return values
  }

  /// Calls `body` with each event of the requested apps that counts and exists at the as-of of its app, for
  /// reports that the facts do not cover. Each person's events come in no particular order.
  ///
  /// - Parameter kinds: The kinds of events; all by default.
  public func forEachEvent(_ kinds: [EventKind] = EventKind.allCases, _ body: (ScannedEvent) throws -> Void) throws {
    let counting = try CountingEvents(db, before: asOf)
    let graph = try identities()
    let mask = kinds.reduce(UInt64(0)) { $0 | 1 << UInt64($1.rawValue) }
    try SortedRuns.forEachNumbers(db, read: { try $0.read($1, ofKinds: mask) }) { numbers in
      for place in numbers.kinds.indices where mask >> UInt64(truncatingIfNeeded: numbers.kinds[place]) & 1 != 0 {
        let (client, terms) = (Int(numbers.clients[place]), Int(numbers.terms[place]))
        guard counting.counts(numbers.instants[place], client: client, terms: terms),
          let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: numbers.kinds[place]))
        else { continue }
        let person = graph.person(of: Int32(truncatingIfNeeded: numbers.users[place]))
        guard reads(person) else { continue }
        try body(
          ScannedEvent(
            ts: numbers.instants[place], app: counting.apps[client], person: person,
            context: Int32(truncatingIfNeeded: numbers.contexts[place]), client: Int32(client), terms: Int32(terms),
            properties: Int32(truncatingIfNeeded: numbers.properties[place]), kind: kind))
      }
    }
  }

  /// Calls `body` with the events of some kinds of each person that has any, in event order.
  public func forEachPerson(
    withEvents kinds: [EventKind], _ body: (_ person: Int32, ArraySlice<ScannedEvent>) throws -> Void
  ) throws {
    var events: [ScannedEvent] = []
    try forEachEvent(kinds) { events.append($0) }
    // Runs are in this order already, except for joined users.
    events.sort { left, right in
      if left.person != right.person { return left.person < right.person }
      return EventOrder.precedes((left.ts, left.kind), (right.ts, right.kind)) ?? false
    }
    let tied = try tiedEvents(events, of: kinds)
    var first = 0
    while first < events.count {
      let person = events[first].person
      var end = first + 1
      while end < events.count, events[end].person == person { end += 1 }
      try body(person, tied[person]?[...] ?? events[first..<end])
      first = end
    }
  }

  /// Orders events of one kind at one instant by their ids, which needs whole events.
  ///
  /// - Returns: For each person with two such events, all events of the kinds in that order.
  private func tiedEvents(_ events: [ScannedEvent], of kinds: [EventKind]) throws -> [Int32: [ScannedEvent]] {
    var persons = UserSet()
    for place in events.indices.dropFirst()
    where events[place].person == events[place - 1].person && events[place].ts == events[place - 1].ts
      && events[place].kind == events[place - 1].kind
    {
      persons.insert(events[place].person)
    }
    if persons.count == 0 { return [:] }
    let counting = try CountingEvents(db, before: asOf)
    var tied: [Int32: [ScannedEvent]] = [:]
    try PersonScan(graph: identities(), old: SortedRuns.cursors(db), new: []).forEach(persons) { person, events in
      tied[person] = events.rows.compactMap { row in
        guard kinds.contains(row.kind), counting.counts(row.ts, client: Int(row.client), terms: Int(row.terms)) else {
          return nil
        }
        return ScannedEvent(
          ts: row.ts, app: counting.apps[Int(row.client)], person: person, context: row.context,
          client: row.client, terms: row.terms, properties: row.properties, kind: row.kind)
      }
    }
    return tied
  }
}

/// Selects the events that count, as `EventDictionaries.counts` has it, and that exist before an instant of their app.
struct CountingEvents {
  /// The app of each client, by number.
  private(set) var apps: [NameID] = [0]
  /// By client; the least value for a sandbox client, and for an app that is not asked for.
  private var limits: [Int64] = [.min]
  private var isFamilyShared = [false]
  /// Whether the terms of any event are family-shared; where not, they need not be read.
  private(set) var needsTerms = false

  init(_ db: Database, before ends: [NameID: Int64]) throws {
    let client = try SQLiteStatement(db, "SELECT id, app, is_sandbox FROM main.client ORDER BY id")
    while try client.step() {
      try StoredDictionaries.require(client.int64(0), isAt: apps.count, of: "client")
      apps.append(client.int32(1))
      limits.append(client.int64(2) != 0 ? .min : ends[client.int32(1)] ?? .min)
    }
    let terms = try SQLiteStatement(db, "SELECT id, is_family_shared FROM main.terms ORDER BY id")
    while try terms.step() {
      try StoredDictionaries.require(terms.int64(0), isAt: isFamilyShared.count, of: "terms")
      isFamilyShared.append(terms.int64(1) != 0)
    }
    needsTerms = isFamilyShared.contains(true)
  }

  /// - Parameter terms: 0 where they need not be read.
  @inline(__always)
  func counts(_ ts: Int64, client: Int, terms: Int) -> Bool { ts < limits[client] && !isFamilyShared[terms] }
}
