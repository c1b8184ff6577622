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
    let dictionaries = try dictionaries()
    let graph = try identities()
    let counts = dictionaries.clientApp.indices.map {
      dictionaries.clientApp[$0] == app && !dictionaries.clientIsSandbox[$0]
    }
    var numbers = BlockNumbers()
    try EventRuns.forEachView(db) { view in
      try numbers.read(view)
      for place in numbers.instants.indices where numbers.instants[place] < instant {
        let (client, terms) = (Int(numbers.clients[place]), Int(numbers.terms[place]))
        guard counts[client], !dictionaries.terms[terms].isFamilyShared,
          let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: numbers.kinds[place]))
        else { continue }
        let user = Int32(truncatingIfNeeded: numbers.users[place])
        try body(
          ScannedEvent(
            person: graph.person(of: user), ts: numbers.instants[place], kind: kind,
            context: Int32(truncatingIfNeeded: numbers.contexts[place]), client: Int32(client), terms: Int32(terms),
            properties: Int32(truncatingIfNeeded: numbers.properties[place])))
      }
    }
  }
}
