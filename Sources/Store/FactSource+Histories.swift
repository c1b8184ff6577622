internal import EventModel
internal import GRDB
internal import Lifecycle

extension FactSource {
  /// The ids of persons at the as-of, each list in byte order.
  public func users(of persons: [Int32]) throws -> [Int32: [String]] {
    let graph = try identities()
    let name = try SQLiteStatement(db, "SELECT name FROM main.user WHERE id = ?")
    var users: [Int32: [String]] = [:]
    for person in persons {
      users[person] = try graph.users(of: person).map { user in
        name.bind(1, user)
        defer { name.reset() }
        return try name.step() ? name.string(0) : ""
      }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    return users
  }

  /// Calls `body` with the history of each person that has events, in order of the persons: their facts are folded from
  /// the stored events, as those of the reports are.
  ///
  /// - Parameter persons: In order.
  public func forEachHistory(of persons: [Int32], _ body: (PersonHistory) throws -> Void) throws {
    let dictionaries = try dictionaries()
    var fold = RowFold(options: options, dictionaries: dictionaries)
    let users = try users(of: persons)
    let texts = try EventTexts(db)
    try PersonScan(graph: identities(), old: EventRuns.cursors(db), new: []).forEach(persons) { person, rows in
      let app = fold.app(of: rows, upTo: rows.rows.count)
      guard let instant = asOf[app] else { return }
      fold.fold(rows, rows.rows.indices, asOf: instant)
      try body(
        PersonHistory(
          person: person, app: app, users: users[person] ?? [],
          events: rows.text.withUnsafeBytes { text in
            try rows.rows.map { try event($0, text, dictionaries, texts, asOf: instant) }
          }, facts: fold.facts))
    }
  }

  private func event(
    _ row: EventRow, _ text: UnsafeRawBufferPointer, _ dictionaries: EventDictionaries, _ texts: EventTexts,
    asOf: Int64
  ) throws -> PersonHistory.Event {
    let terms = dictionaries.terms[Int(row.terms)]
    let exclusion: PersonHistory.Exclusion? =
      row.ts >= asOf
      ? .afterAsOf
      : dictionaries.clientIsSandbox[Int(row.client)] ? .sandbox : terms.isFamilyShared ? .familyShared : nil
    func name(_ id: NameID) -> String { id == 0 ? "" : self.name(Int(id)) }
    return PersonHistory.Event(
      id: String(decoding: row.eventID.text(in: text), as: UTF8.self), kind: row.kind, ts: row.ts,
      user: try texts.user(row.user), file: try texts.file(row.file), context: dictionaries.contexts[Int(row.context)],
      product: name(terms.product), plan: terms.plan, price: terms.price, currency: name(terms.currency),
      hasOfferType: terms.hasOfferType, reason: terms.reason, limitName: name(try texts.limit(ofTerms: row.terms)),
      previousUser: row.previousUser == 0 ? "" : try texts.user(row.previousUser), exclusion: exclusion)
  }
}

/// What numbers of single events read.
private final class EventTexts {
  private let selectUser: SQLiteStatement
  private let selectFile: SQLiteStatement
  private let selectLimit: SQLiteStatement
  private var files: [Int32: String] = [:]
  private var limits: [Int32: NameID] = [:]

  init(_ db: Database) throws {
    selectUser = try SQLiteStatement(db, "SELECT name FROM main.user WHERE id = ?")
    selectFile = try SQLiteStatement(db, "SELECT path FROM main.file WHERE id = ?")
    selectLimit = try SQLiteStatement(db, "SELECT limit_name FROM main.terms WHERE id = ?")
  }

  func user(_ id: Int32) throws -> String {
    selectUser.bind(1, id)
    defer { selectUser.reset() }
    return try selectUser.step() ? selectUser.string(0) : ""
  }

  func file(_ id: Int32) throws -> String {
    if let known = files[id] { return known }
    selectFile.bind(1, id)
    defer { selectFile.reset() }
    let path = try selectFile.step() ? selectFile.string(0) : ""
    files[id] = path
    return path
  }

  func limit(ofTerms id: Int32) throws -> NameID {
    if let known = limits[id] { return known }
    selectLimit.bind(1, id)
    defer { selectLimit.reset() }
    let limit = try selectLimit.step() ? selectLimit.int32(0) : 0
    limits[id] = limit
    return limit
  }
}
