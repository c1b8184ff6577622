package import EventModel
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
  private var contexts = RowInterner<Context>()
  private var clients: [ClientNames: Int32] = [:]
  /// The bytes of each row, which take a tenth of it: most fields are empty.
  private var terms = ByteInterner()
  private var propertySets = ByteInterner()
  /// The dictionaries that the fold reads, by the store's numbers; without new contexts and first payments before
  /// ``completeForFold(firstPayments:)``.
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
    for row in forFold.contexts { _ = contexts.intern(row) }
    for (id, row) in stored.clients.enumerated().dropFirst() { clients[row] = Int32(id) }
    for row in stored.terms.dropFirst() { _ = number(of: row) }
    for json in stored.propertySets.dropFirst() { _ = propertySets.intern(json) }
  }

  /// Makes ``forFold`` what the fold of a commit reads.
  func completeForFold(firstPayments: [NameID: Int64]) {
    forFold.firstPayments = firstPayments
    forFold.contexts = contexts.rows
  }

  /// Gives the memory for finding entries back; no batch can be resolved afterwards.
  func removeIndex() {
    names = ByteInterner()
    terms = ByteInterner()
    propertySets = ByteInterner()
  }

  func resolve(_ batch: EventBatch, users: UserDirectory) throws -> ResolvedBatch {
    let names = try numbers(ofNames: batch)
    return ResolvedBatch(
      names: names,
      contexts: try batch.contexts.rows.map { try context(Context($0) { names[Int($0)] }) },
      clients: try batch.clients.rows.map { try client($0.mapNames { names[Int($0)] }) },
      terms: try batch.terms.rows.map { try terms($0.mapNames { names[Int($0)] }) },
      properties: try (0..<UInt32(batch.properties.count)).map { index in
        try batch.properties.withBytes(index) { try properties($0) }
      },
      users: try users.resolve(batch, names: names))
  }

  /// Returns the number of a name; 0 for an absent one.
  func name(_ text: UnsafeRawBufferPointer) throws -> Int32 {
    let known = names.count
    let id = names.intern(text)
    if names.count > known {
      insertName.bindText(2, text)
      try insertName.run(binding: Int64(id))
    }
    return Int32(id)
  }

  func numbers(ofNames batch: EventBatch) throws -> [Int32] {
    try (0..<UInt32(batch.names.count)).map { index in try batch.names.withBytes(index) { try name($0) } }
  }

  func context(_ row: Context) throws -> Int32 {
    let known = contexts.rows.count
    let id = Int32(contexts.intern(row))
    if contexts.rows.count == known { return id }
    try insertContext.run(binding: id, row.entryPoint, row.experiment, row.variant, row.paywall)
    return id
  }

  func client(_ row: ClientNames) throws -> Int32 {
    if let id = clients[row] { return id }
    let id = Int32(clients.count + 1)
    clients[row] = id
    forFold.clientIsSandbox.append(row.isSandbox)
    forFold.clientApp.append(Int32(row.app))
    try insertClient.run(
      binding: id, Int64(row.app), Int64(row.platform), Int64(row.store), Int64(row.country), Int64(row.appVersion),
      Int64(row.isSandbox ? 1 : 0))
    return id
  }

  func terms(_ row: TermsNames) throws -> Int32 {
    let known = terms.count
    let id = number(of: row)
    if terms.count == known { return id }
    forFold.terms.append(Terms(row) { names[$0] })
    insertTerms.bind(1, id)
    for (column, field) in TermsNames.names { insertTerms.bind(column + 1, Int64(row[keyPath: field])) }
    for (column, field) in TermsNames.flags { insertTerms.bind(column + 1, Int64(row[keyPath: field] ? 1 : 0)) }
    for (column, field) in TermsNames.integers { insertTerms.bind(column + 1, row[keyPath: field]) }
    for (column, field) in TermsNames.decimals { insertTerms.bind(column + 1, row[keyPath: field]) }
    insertTerms.bind(9, row.plan.map { Int64($0.rawValue) })
    try insertTerms.run()
    return id
  }

  private func number(of row: TermsNames) -> Int32 {
    let bytes = row.bytes
    return bytes.withUnsafeBytes { Int32(terms.intern($0)) }
  }

  /// Returns the number of a property set; 0 for none.
  func properties(_ json: UnsafeRawBufferPointer) throws -> Int32 {
    let known = propertySets.count
    let id = propertySets.intern(json)
    if propertySets.count > known {
      insertPropertySet.bindText(2, json)
      try insertPropertySet.run(binding: Int64(id))
      for (key, value) in EventProperties(canonicalJSON: Array(json)).pairs {
        var value = value
        let valueID = try value.withUTF8 { try name(UnsafeRawBufferPointer($0)) }
        try insertProperty.run(binding: Int64(id), key, valueID)
      }
    }
    return Int32(id)
  }
}

extension TermsNames {
  /// The fields that are names, by their columns in the table `terms`.
  package static let names: [(column: Int32, field: any WritableKeyPath<TermsNames, UInt32> & Sendable)] = [
    (1, \.offering), (7, \.product), (10, \.currency), (14, \.offerType), (15, \.offerCode), (17, \.trialKind),
    (18, \.previousProduct), (19, \.reason), (20, \.limitName),
  ]
  static let flags: [(column: Int32, field: any WritableKeyPath<TermsNames, Bool> & Sendable)] = [
    (6, \.isFamilyTier), (13, \.isFamilyShared),
  ]
  static let integers: [(column: Int32, field: any WritableKeyPath<TermsNames, Int64?> & Sendable)] = [
    (2, \.priceWeekly), (3, \.priceMonthly), (4, \.priceYearly), (5, \.priceLifetime), (9, \.price), (16, \.trialDays),
    (23, \.priceUSD),
  ]
  static let decimals: [(column: Int32, field: any WritableKeyPath<TermsNames, Double?> & Sendable)] = [
    (11, \.taxPercentage), (12, \.commissionPercentage), (21, \.limit), (22, \.used),
  ]

  /// The fields that are not empty, each after its column; equal for equal rows only.
  fileprivate var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func add(_ column: Int32, _ value: UInt64) {
      bytes.append(UInt8(column))
      Varint.append(value, to: &bytes)
    }
    for (column, field) in Self.names where self[keyPath: field] != 0 { add(column, UInt64(self[keyPath: field])) }
    for (column, field) in Self.flags where self[keyPath: field] { add(column, 1) }
    for (column, field) in Self.integers {
      if let value = self[keyPath: field] { add(column, UInt64(bitPattern: value)) }
    }
    for (column, field) in Self.decimals {
      if let value = self[keyPath: field] { add(column, value.bitPattern) }
    }
    add(8, plan.map { UInt64($0.rawValue) + 1 } ?? 0)
    return bytes
  }
}
