public import EventModel
internal import GRDB
internal import Lifecycle

/// The store's numbers for the dictionary entries of a batch.
struct ResolvedBatch {
  var names: [Int32]
  var contexts: [Int32]
  var clients: [Int32]
  var terms: [Int32]
  var properties: [Int32]
  var users: [Int32]
}

/// Assigns numbers to names, contexts, clients, terms and property sets, and adds new ones to the store.
///
/// There are few distinct values, so all of them stay in memory.
final class DictionaryWriter {
  private var names = ByteInterner()
  private var contexts: [ContextNames: Int32] = [:]
  private var clients: [ClientNames: Int32] = [:]
  private var terms: [TermsNames: Int32] = [:]
  private var propertySets = ByteInterner()
  /// The dictionaries that the fold reads, by the store's numbers.
  private(set) var forFold: EventDictionaries

  private let insertName: SQLiteStatement
  private let insertContext: SQLiteStatement
  private let insertClient: SQLiteStatement
  private let insertTerms: SQLiteStatement
  private let insertPropertySet: SQLiteStatement
  private let insertProperty: SQLiteStatement

  init(_ db: Database) throws {
    insertName = try SQLiteStatement(db, "INSERT INTO name VALUES (?, ?)")
    insertContext = try SQLiteStatement(db, "INSERT INTO context VALUES (?, ?, ?, ?, ?)")
    insertClient = try SQLiteStatement(db, "INSERT INTO client VALUES (?, ?, ?, ?, ?, ?, ?)")
    insertTerms = try SQLiteStatement(
      db, "INSERT INTO terms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    insertPropertySet = try SQLiteStatement(db, "INSERT INTO property_set VALUES (?, ?)")
    insertProperty = try SQLiteStatement(db, "INSERT INTO property VALUES (?, ?, ?)")

    let stored = try StoredDictionaries(db)
    forFold = stored.forFold
    for text in stored.names.dropFirst() { _ = names.intern(text) }
    for (id, row) in stored.contexts.enumerated() { contexts[row] = Int32(id) }
    for (id, row) in stored.clients.enumerated().dropFirst() { clients[row] = Int32(id) }
    for (id, row) in stored.terms.enumerated().dropFirst() { terms[row] = Int32(id) }
    for json in stored.propertySets.dropFirst() { _ = propertySets.intern(json) }
  }

  func setFirstPayments(_ instants: [NameID: Int64]) { forFold.firstPayments = instants }

  func resolve(_ batch: EventBatch, users: UserDirectory) throws -> ResolvedBatch {
    let names = try resolveNames(batch)
    return ResolvedBatch(
      names: names,
      contexts: try batch.contexts.rows.map { try context($0.mapNames { names[Int($0)] }) },
      clients: try batch.clients.rows.map { try client($0.mapNames { names[Int($0)] }) },
      terms: try batch.terms.rows.map { try terms($0.mapNames { names[Int($0)] }) },
      properties: try resolveProperties(batch),
      users: try users.resolve(batch, names: names))
  }

  /// Returns the number of a name; 0 for an absent one.
  func name(_ text: UnsafeRawBufferPointer) throws -> Int32 {
    let known = names.count
    let id = names.intern(text)
    if names.count > known {
      insertName.bind(1, Int64(id))
      insertName.bindText(2, text)
      try insertName.run()
    }
    return Int32(id)
  }

  private func resolveNames(_ batch: EventBatch) throws -> [Int32] {
    try (0..<UInt32(batch.names.count)).map { index in try batch.names.withBytes(index) { try name($0) } }
  }

  func context(_ row: ContextNames) throws -> Int32 {
    if let id = contexts[row] { return id }
    let id = Int32(contexts.count)
    contexts[row] = id
    forFold.contexts.append(Context(row))
    for (index, value) in [row.entryPoint, row.experiment, row.variant, row.paywall].enumerated() {
      insertContext.bind(Int32(index) + 2, Int64(value))
    }
    insertContext.bind(1, id)
    try insertContext.run()
    return id
  }

  func client(_ row: ClientNames) throws -> Int32 {
    if let id = clients[row] { return id }
    let id = Int32(clients.count + 1)
    clients[row] = id
    forFold.clientIsSandbox.append(row.isSandbox)
    forFold.clientApp.append(Int32(row.app))
    for (index, value) in [row.app, row.platform, row.store, row.country, row.appVersion].enumerated() {
      insertClient.bind(Int32(index) + 2, Int64(value))
    }
    insertClient.bind(1, id)
    insertClient.bind(7, Int64(row.isSandbox ? 1 : 0))
    try insertClient.run()
    return id
  }

  func terms(_ row: TermsNames) throws -> Int32 {
    if let id = terms[row] { return id }
    let id = Int32(terms.count + 1)
    terms[row] = id
    forFold.terms.append(Terms(row) { names[$0] })
    insertTerms.bind(1, id)
    insertTerms.bind(2, Int64(row.offering))
    insertTerms.bind(3, row.priceWeekly)
    insertTerms.bind(4, row.priceMonthly)
    insertTerms.bind(5, row.priceYearly)
    insertTerms.bind(6, row.priceLifetime)
    insertTerms.bind(7, Int64(row.isFamilyTier ? 1 : 0))
    insertTerms.bind(8, Int64(row.product))
    insertTerms.bind(9, row.plan.map { Int64($0.rawValue) })
    insertTerms.bind(10, row.price)
    insertTerms.bind(11, Int64(row.currency))
    insertTerms.bind(12, row.taxPercentage)
    insertTerms.bind(13, row.commissionPercentage)
    insertTerms.bind(14, Int64(row.isFamilyShared ? 1 : 0))
    insertTerms.bind(15, Int64(row.offerType))
    insertTerms.bind(16, Int64(row.offerCode))
    insertTerms.bind(17, row.trialDays)
    insertTerms.bind(18, Int64(row.trialKind))
    insertTerms.bind(19, Int64(row.previousProduct))
    insertTerms.bind(20, Int64(row.reason))
    insertTerms.bind(21, Int64(row.limitName))
    insertTerms.bind(22, row.limit)
    insertTerms.bind(23, row.used)
    insertTerms.bind(24, row.priceUSD)
    try insertTerms.run()
    return id
  }

  private func resolveProperties(_ batch: EventBatch) throws -> [Int32] {
    try (0..<UInt32(batch.properties.count)).map { index in try batch.properties.withBytes(index) { try properties($0) }
    }
  }

  /// Returns the number of a property set; 0 for none.
  func properties(_ json: UnsafeRawBufferPointer) throws -> Int32 {
    let known = propertySets.count
    let id = propertySets.intern(json)
    if propertySets.count > known {
      insertPropertySet.bind(1, Int64(id))
      insertPropertySet.bindText(2, json)
      try insertPropertySet.run()
      for (key, value) in EventProperties(canonicalJSON: Array(json)).pairs {
        var value = value
        let valueID = try value.withUTF8 { try name(UnsafeRawBufferPointer($0)) }
        insertProperty.bind(1, Int64(id))
        insertProperty.bind(2, key)
        insertProperty.bind(3, valueID)
        try insertProperty.run()
      }
    }
    return Int32(id)
  }
}

extension ContextNames {
  /// Returns the row with its names renumbered.
  public func mapNames(_ map: (UInt32) -> Int32) -> ContextNames {
    var row = self
    row.entryPoint = UInt32(map(entryPoint))
    row.experiment = UInt32(map(experiment))
    row.variant = UInt32(map(variant))
    row.paywall = UInt32(map(paywall))
    return row
  }
}

extension ClientNames {
  /// Returns the row with its names renumbered.
  public func mapNames(_ map: (UInt32) -> Int32) -> ClientNames {
    var row = self
    row.app = UInt32(map(app))
    row.platform = UInt32(map(platform))
    row.store = UInt32(map(store))
    row.country = UInt32(map(country))
    row.appVersion = UInt32(map(appVersion))
    return row
  }
}

extension TermsNames {
  /// Returns the row with its names renumbered.
  public func mapNames(_ map: (UInt32) -> Int32) -> TermsNames {
    var row = self
    row.offering = UInt32(map(offering))
    row.product = UInt32(map(product))
    row.currency = UInt32(map(currency))
    row.offerType = UInt32(map(offerType))
    row.offerCode = UInt32(map(offerCode))
    row.trialKind = UInt32(map(trialKind))
    row.previousProduct = UInt32(map(previousProduct))
    row.reason = UInt32(map(reason))
    row.limitName = UInt32(map(limitName))
    return row
  }
}
