public import EventModel
internal import GRDB
public import Lifecycle

extension FactSource {
  /// Returns the ids of persons at the as-of, each list in byte order.
  public func users(of persons: [Int32]) throws -> [Int32: [String]] {
    let graph = try identities()
    let texts = try EventTexts(db)
    var users: [Int32: [String]] = [:]
    users.reserveCapacity(persons.count)
    for person in persons {
      users[person] = try graph.users(of: person).map(texts.user)
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    return users
  }

  /// Returns whether a trial or subscription of an app began before an instant, by the stored facts: another as-of may
  /// change its state, but not its beginning.
  public func hasSales(of app: NameID, before instant: Int64) throws -> Bool {
    let row = try row(
      """
      SELECT EXISTS (SELECT * FROM main.spell_fact WHERE app = \(app) AND start < \(instant))
        OR EXISTS (SELECT * FROM main.trial_fact WHERE app = \(app) AND start < \(instant))
      """)
    return try row.statement.step() && row[0] > 0
  }

  /// Returns all users of stored persons, each of which may be a person at another instant.
  public func users(ofStored persons: UserSet) throws -> UserSet {
    let graph = try IdentityGraph(stored: db)
    var users = UserSet()
    for person in persons {
      for user in graph.users(of: person) { users.insert(user) }
    }
    return users
  }

  /// Returns the persons who have this id, with their apps, in order.
  public func persons(named user: String) throws -> [(app: NameID, person: Int32)] {
    let graph = try identities()
    let rows = try Row.fetchAll(db, sql: "SELECT app, id FROM main.user WHERE name = ? ORDER BY id", arguments: [user])
    return try rows.map { (app: try $0.required(0), person: graph.person(of: try $0.required(1))) }
  }

  /// Calls `body` with the history of each person that has events, in the order of the persons. Their facts are folded
  /// from the stored events in the same way as for reports.
  ///
  /// - Parameters:
  ///   - persons: In ascending order.
  ///   - users: The result of ``users(of:)`` for them, if that is known.
  ///   - isTold: Returns whether histories have the events of a kind.
  public func forEachHistory(
    of persons: [Int32], users: [Int32: [String]]? = nil, telling isTold: (EventKind) -> Bool = { _ in true },
    _ body: (PersonHistory) throws -> Void
  ) throws {
    let dictionaries = try dictionaries()
    var fold = RowFold(options: options, dictionaries: dictionaries)
    let users = try users ?? self.users(of: persons)
    let texts = try EventTexts(db)
    try PersonScan(graph: identities(), old: SortedRuns.cursors(db), new: []).forEach(persons) { person, rows in
      let app = try fold.app(of: rows, upTo: rows.rows.count)
      guard let instant = asOf[app] else { return }
      try fold.fold(rows, rows.rows.indices, asOf: instant)
      let churnedTrials = fold.churnedTrials
      // The fold numbers the events that count.
      var (events, number) = ([PersonHistory.Event](), 0)
      try rows.text.withUnsafeBytes { text in
        for row in rows.rows {
          let exclusion = exclusion(of: row, dictionaries, asOf: instant)
          if isTold(row.kind) {
            events.append(try event(row, text, dictionaries, texts, exclusion))
            if exclusion == nil { events[events.count - 1].churnedTrial = churnedTrials[number] }
          }
          if exclusion == nil { number += 1 }
        }
      }
      try body(
        PersonHistory(person: person, app: app, users: users[person] ?? [], events: events, facts: fold.facts))
    }
  }

  private func exclusion(
    of row: EventRow, _ dictionaries: EventDictionaries, asOf: Int64
  ) -> PersonHistory.Exclusion? {
    if row.ts >= asOf { return .afterAsOf }
    if dictionaries.counts(client: row.client, terms: row.terms) { return nil }
    return dictionaries.clientIsSandbox[Int(row.client)] ? .sandbox : .familyShared
  }

  private func event(
    _ row: EventRow, _ text: UnsafeRawBufferPointer, _ dictionaries: EventDictionaries, _ texts: EventTexts,
    _ exclusion: PersonHistory.Exclusion?
  ) throws -> PersonHistory.Event {
    let terms = dictionaries.terms[Int(row.terms)]
    let (more, context) = (try texts.terms(row.terms), dictionaries.contexts[Int(row.context)])
    func name(_ id: NameID) -> String { id == 0 ? "" : self.name(Int(id)) }
    return PersonHistory.Event(
      id: String(decoding: row.eventID.text(in: text), as: UTF8.self), kind: row.kind, ts: row.ts,
      user: try texts.user(row.user), file: try texts.file(row.file), context: context,
      product: name(terms.product), plan: terms.plan, price: terms.price, currency: name(terms.currency),
      monthlyPrice: more.monthlyPrice, yearlyPrice: more.yearlyPrice, hasOfferType: terms.hasOfferType,
      reason: terms.reason, gate: name(more.limit == 0 ? context.entryPoint : more.limit),
      previousUser: row.previousUser == 0 ? "" : try texts.user(row.previousUser), exclusion: exclusion)
  }
}

/// Looks up the texts for the numbers in single events.
private final class EventTexts {
  private let selectUser: SQLiteStatement
  private let selectFile: SQLiteStatement
  private let selectTerms: SQLiteStatement
  private var last: (id: Int32, name: String) = (0, "")
  private var files: [Int32: String] = [:]
  private var terms: [Int32: Terms] = [:]

  /// The parts of terms that no fold reads.
  struct Terms {
    var limit: NameID = 0
    var monthlyPrice: Int64?
    var yearlyPrice: Int64?
  }

  init(_ db: Database) throws {
    selectUser = try SQLiteStatement(db, "SELECT name FROM main.user WHERE id = ?")
    selectFile = try SQLiteStatement(db, "SELECT path FROM main.file WHERE id = ?")
    selectTerms = try SQLiteStatement(
      db, "SELECT limit_name, price_monthly, price_yearly FROM main.terms WHERE id = ?")
  }

  func user(_ id: Int32) throws -> String {
    // Most events in turn are of one user.
    if id == last.id { return last.name }
    last = (id, try selectUser.first(binding: id) { $0.string(0) } ?? "")
    return last.name
  }

  func file(_ id: Int32) throws -> String {
    if let known = files[id] { return known }
    let path = try selectFile.first(binding: id) { $0.string(0) } ?? ""
    files[id] = path
    return path
  }

  func terms(_ id: Int32) throws -> Terms {
    if let known = terms[id] { return known }
    let stored = try selectTerms.first(binding: id) {
      Terms(limit: $0.int32(0), monthlyPrice: $0.optionalInt64(1), yearlyPrice: $0.optionalInt64(2))
    }
    let found = stored ?? Terms()
    terms[id] = found
    return found
  }
}
