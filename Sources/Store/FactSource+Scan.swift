public import EventModel
internal import GRDB
public import Lifecycle

/// An event as a scan of the store meets it: numbers of the dictionaries, and who it is of.
public struct ScannedEvent: Sendable {
  /// The least id of the users joined with its user at the as-of.
  public var person: Int32
  public var ts: Int64
  public var kind: EventKind
  public var context: Int32
  public var client: Int32
  public var terms: Int32
  public var properties: Int32
}

extension FactSource {
  /// Calls `body` with each event of an app that counts and exists at the as-of (definitions 1.1, 1.5): for what no
  /// fact tells. Each person's events come in no particular order.
  public func forEachEvent(of app: NameID, _ body: (ScannedEvent) throws -> Void) throws {
    guard let instant = asOf[app] else { return }
    let dictionaries = try StoredDictionaries(db).forFold
    let persons = try joinedUsers()
    let counts = dictionaries.clientApp.indices.map {
      dictionaries.clientApp[$0] == app && !dictionaries.clientIsSandbox[$0]
    }
    for run in try EventRuns.cursors(db) {
      try run.forEachBlock { events in
        for row in events.rows where row.ts < instant && counts[Int(row.client)] {
          if dictionaries.terms[Int(row.terms)].isFamilyShared { continue }
          try body(
            ScannedEvent(
              person: persons.isEmpty ? row.user : persons[row.user] ?? row.user, ts: row.ts, kind: row.kind,
              context: row.context, client: row.client, terms: row.terms, properties: row.properties))
        }
      }
    }
  }

  /// The persons of the users who are joined with others.
  private func joinedUsers() throws -> [Int32: Int32] {
    var persons: [Int32: Int32] = [:]
    try forEachRow("SELECT id, person FROM user WHERE person <> id") { persons[Int32($0[0])] = Int32($0[1]) }
    if isRefolded { for (user, person) in try refoldPlan().users { persons[user] = person } }
    return persons
  }
}
