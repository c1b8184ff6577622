internal import Store

/// The values of exposed users in the dimensions that no variant can change (D8.1).
struct ClientSegments {
  static let dimensions: [Dimension] = [.platform, .store, .country, .appVersion]

  private let facts: FactSource
  private let clients: [FactSource.Client]

  init(_ exposed: ExposedPersons) throws {
    facts = exposed.query.facts
    clients = try facts.clients()
  }

  /// Returns a client's value in one of ``dimensions``.
  func value(_ dimension: Dimension, of client: Int32) -> String {
    let client = clients[Int(client)]
    let name =
      switch dimension {
      case .platform: client.platform
      case .store: client.store
      case .country: client.country
      case .appVersion: client.appVersion
      default: preconditionFailure("no dimension that a variant cannot change: \(dimension)")
      }
    return facts.name(Int(name))
  }
}
