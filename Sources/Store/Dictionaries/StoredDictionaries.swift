package import EventModel
internal import GRDB
internal import Lifecycle

/// The dictionaries of a store, by number.
struct StoredDictionaries {
  /// Number 0 is `(none)`.
  private(set) var names: [String] = []
  private(set) var contexts: [ContextNames] = []
  /// No event refers to number 0.
  private(set) var clients: [ClientNames] = [ClientNames()]
  /// No event refers to number 0.
  private(set) var terms: [TermsNames] = [TermsNames()]
  private(set) var propertySets: [String] = []
  private(set) var forFold = EventDictionaries()

  init(_ db: Database) throws {
    names = try Self.names(db)
    contexts = try entries(of: "context", after: [], db)
    clients = try entries(of: "client", after: clients, db)
    terms = try entries(of: "terms", after: terms, db)
    forFold.contexts = contexts.map { Context($0) }
    forFold.clientIsSandbox = clients.map(\.isSandbox)
    forFold.clientApp = clients.map { Int32($0.app) }
    for (place, row) in terms.enumerated().dropFirst() {
      let prices = [
        row.priceWeekly, row.priceMonthly, row.priceYearly, row.priceLifetime, row.price, row.priceUSD,
      ]
      guard prices.allSatisfy({ $0.map(StoredRange.prices.contains) ?? true }) else {
        throw StoredDamage.error("entry \(place) of terms has no price")
      }
      forFold.terms.append(Terms(row) { names[Int($0)] })
    }
    forFold.firstPayments = try FirstPayments.stored(db)
    let propertySet = try SQLiteStatement(db, "SELECT json, id FROM property_set ORDER BY id")
    while try propertySet.step() {
      try Self.require(propertySet.int64(1), isAt: propertySets.count, of: "property_set")
      propertySets.append(propertySet.string(0))
    }
  }

  /// Reads the entries of a table, after those that it lacks.
  ///
  /// - Throws: `DatabaseError` if an entry is missing, or refers to a name that does not exist.
  private func entries<Entry: StoredEntry>(
    of table: String, after first: [Entry], _ db: Database
  ) throws -> [Entry] {
    var entries = first
    let row = try SQLiteStatement(db, "SELECT * FROM \(table) ORDER BY id")
    while try row.step() {
      try Self.require(row.int64(0), isAt: entries.count, of: table)
      let entry = Entry(row)
      if let unknown = entry.names.first(where: { Int($0) >= names.count }) {
        throw StoredDamage.lacks(unknown, of: "name", had: table)
      }
      entries.append(entry)
    }
    return entries
  }

  /// Checks that entries are numbered without gaps; a missing number would shift all entries after it.
  static func require(_ id: Int64, isAt place: Int, of table: String) throws {
    guard id == Int64(place) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "entry \(place) of \(table) is not there")
    }
  }

  /// Returns the app of each client, by number.
  static func clientApps(_ db: Database) throws -> [NameID] {
    var apps: [NameID] = [0]
    let client = try SQLiteStatement(db, "SELECT app FROM client ORDER BY id")
    while try client.step() { apps.append(client.int32(0)) }
    return apps
  }

  static func names(_ db: Database) throws -> [String] {
    var names: [String] = []
    let name = try SQLiteStatement(db, "SELECT text, id FROM name ORDER BY id")
    while try name.step() {
      try require(name.int64(1), isAt: names.count, of: "name")
      names.append(name.string(0))
    }
    return names
  }
}

/// An entry of a dictionary that refers to names.
package protocol DictionaryEntry {
  /// The fields that are names, by their columns in the entry's table.
  static var names: [(column: Int32, field: any WritableKeyPath<Self, UInt32> & Sendable)] { get }
}

extension DictionaryEntry {
  /// Returns the entry with its names renumbered.
  package func mapNames(_ map: (UInt32) -> Int32) -> Self {
    var row = self
    for (_, field) in Self.names { row[keyPath: field] = UInt32(map(self[keyPath: field])) }
    return row
  }

  /// The names that it refers to; 0 for absent ones.
  var names: [UInt32] { Self.names.map { self[keyPath: $0.field] } }
}

/// An entry as the store reads it.
protocol StoredEntry: DictionaryEntry {
  init()
  /// Reads the columns that are no names.
  mutating func readRest(_ row: SQLiteStatement)
}

extension StoredEntry {
  /// Reads a row of all columns.
  init(_ row: SQLiteStatement) {
    self.init()
    for (column, field) in Self.names { self[keyPath: field] = UInt32(bitPattern: row.int32(column)) }
    readRest(row)
  }
}

extension ContextNames: StoredEntry {
  package static let names: [(column: Int32, field: any WritableKeyPath<ContextNames, UInt32> & Sendable)] = [
    (1, \.entryPoint), (2, \.experiment), (3, \.variant), (4, \.paywall),
  ]

  func readRest(_ row: SQLiteStatement) {}
}

extension ClientNames: StoredEntry {
  package static let names: [(column: Int32, field: any WritableKeyPath<ClientNames, UInt32> & Sendable)] = [
    (1, \.app), (2, \.platform), (3, \.store), (4, \.country), (5, \.appVersion),
  ]

  mutating func readRest(_ row: SQLiteStatement) { isSandbox = row.int32(6) != 0 }
}

extension TermsNames: StoredEntry {
  mutating func readRest(_ row: SQLiteStatement) {
    for (column, field) in Self.flags { self[keyPath: field] = row.int32(column) != 0 }
    for (column, field) in Self.integers { self[keyPath: field] = row.optionalInt64(column) }
    for (column, field) in Self.decimals { self[keyPath: field] = row.optionalDouble(column) }
    plan = row.optionalInt64(8).flatMap { Plan(rawValue: UInt8(truncatingIfNeeded: $0)) }
  }
}
