internal import EventModel
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
    let context = try SQLiteStatement(
      db, "SELECT entry_point, experiment, variant, paywall, id FROM context ORDER BY id")
    while try context.step() {
      try Self.require(context.int64(4), isAt: contexts.count, of: "context")
      var row = ContextNames()
      row.entryPoint = UInt32(bitPattern: context.int32(0))
      row.experiment = UInt32(bitPattern: context.int32(1))
      row.variant = UInt32(bitPattern: context.int32(2))
      row.paywall = UInt32(bitPattern: context.int32(3))
      try requireNames([row.entryPoint, row.experiment, row.variant, row.paywall], of: "context")
      contexts.append(row)
    }
    forFold.contexts = contexts.map { Context($0) }
    let client = try SQLiteStatement(
      db, "SELECT app, platform, store, country, app_version, is_sandbox, id FROM client ORDER BY id")
    while try client.step() {
      try Self.require(client.int64(6), isAt: clients.count, of: "client")
      var row = ClientNames()
      row.app = UInt32(bitPattern: client.int32(0))
      row.platform = UInt32(bitPattern: client.int32(1))
      row.store = UInt32(bitPattern: client.int32(2))
      row.country = UInt32(bitPattern: client.int32(3))
      row.appVersion = UInt32(bitPattern: client.int32(4))
      row.isSandbox = client.int32(5) != 0
      try requireNames([row.app, row.platform, row.store, row.country, row.appVersion], of: "client")
      clients.append(row)
    }
    forFold.clientIsSandbox = clients.map(\.isSandbox)
    forFold.clientApp = clients.map { Int32($0.app) }
    forFold.firstPayments = try FirstPayments.stored(db)
    try readTerms(db)
    let propertySet = try SQLiteStatement(db, "SELECT json, id FROM property_set ORDER BY id")
    while try propertySet.step() {
      try Self.require(propertySet.int64(1), isAt: propertySets.count, of: "property_set")
      propertySets.append(propertySet.string(0))
    }
  }

  /// Checks that names exist.
  ///
  /// - Throws: `DatabaseError` if an entry refers to a name that does not exist.
  private func requireNames(_ numbers: [UInt32], of table: String) throws {
    if let unknown = numbers.first(where: { Int($0) >= names.count }) {
      throw DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "entry \(unknown) of name, which \(table) has, is not there")
    }
  }

  /// Checks that entries are numbered without gaps; a missing number would shift all entries after it.
  private static func require(_ id: Int64, isAt place: Int, of table: String) throws {
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

  private mutating func readTerms(_ db: Database) throws {
    let statement = try SQLiteStatement(db, "SELECT * FROM terms ORDER BY id")
    while try statement.step() {
      try Self.require(statement.int64(0), isAt: terms.count, of: "terms")
      var row = TermsNames()
      for (column, field) in TermsNames.names { row[keyPath: field] = UInt32(bitPattern: statement.int32(column)) }
      for (column, field) in TermsNames.flags { row[keyPath: field] = statement.int32(column) != 0 }
      for (column, field) in TermsNames.integers { row[keyPath: field] = statement.optionalInt64(column) }
      for (column, field) in TermsNames.decimals { row[keyPath: field] = statement.optionalDouble(column) }
      row.plan = statement.optionalInt64(8).flatMap { Plan(rawValue: UInt8(truncatingIfNeeded: $0)) }
      let prices = [
        row.priceWeekly, row.priceMonthly, row.priceYearly, row.priceLifetime, row.price, row.priceUSD,
      ]
      guard prices.allSatisfy({ $0.map(StoredRange.prices.contains) ?? true }) else {
        throw StoredDamage.error("entry \(terms.count) of terms has no price")
      }
      try requireNames(TermsNames.names.map { row[keyPath: $0.field] }, of: "terms")
      terms.append(row)
      forFold.terms.append(Terms(row) { names[Int($0)] })
    }
  }
}
