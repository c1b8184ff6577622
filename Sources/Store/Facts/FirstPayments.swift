internal import EventModel
internal import GRDB
internal import Lifecycle

/// Keeps the instant of each app's first payment, from which a `payment` without other evidence tells whether it is the
/// first of its subscription (definitions 2.12).
final class FirstPayments {
  static let kinds: Set<EventKind> = [.conversion, .renewal, .payment, .planChange]

  private let db: Database
  private var instants: [NameID: Int64]
  private var stored: [NameID: Int64]
  private var mustRebuild = false

  init(_ db: Database) throws {
    self.db = db
    stored = try Self.stored(db)
    instants = stored
  }

  static func stored(_ db: Database) throws -> [NameID: Int64] {
    var instants: [NameID: Int64] = [:]
    let row = try SQLiteStatement(db, "SELECT app, ts FROM main.first_payment")
    while try row.step() { instants[row.int32(0)] = row.int64(1) }
    return instants
  }

  /// Returns the number of apps whose stored instant is not that of their events.
  static func differences(_ db: Database) throws -> Int {
    let payments = try FirstPayments(db)
    try payments.readAll(SortedRuns.cursors(db), StoredDictionaries(db).forFold)
    return Set(payments.instants.keys).union(payments.stored.keys)
      .count { payments.instants[$0] != payments.stored[$0] }
  }

  /// Forgets all payments, before all are noted again.
  func removeAll() { instants.removeAll() }

  /// Records that a payment of production was added or removed.
  func note(app: NameID, ts: Int64, isAdded: Bool) {
    if isAdded {
      instants[app] = min(instants[app] ?? .max, ts)
    } else if ts <= instants[app] ?? .max {
      mustRebuild = true
    }
  }

  /// Brings the table up to date, inside the commit's transaction.
  ///
  /// - Parameters:
  ///   - runs: Returns all events, including those of the commit.
  ///   - touch: Called with the stored users whose payments may read otherwise now.
  /// - Returns: The instants by app.
  func update(
    runs: () throws -> [any BlockCursor], dictionaries: EventDictionaries, touch: (Int32) -> Void
  ) throws -> [NameID: Int64] {
    if mustRebuild { try readAll(runs(), dictionaries) }
    mustRebuild = false
    let changed = Set(instants.keys).union(stored.keys).filter { instants[$0] != stored[$0] }
    if changed.isEmpty { return instants }
    try forEachPayer(ofApps: changed, dictionaries, touch)
    for app in changed.sorted() {
      if let ts = instants[app] {
        try db.execute(sql: "INSERT OR REPLACE INTO first_payment VALUES (?, ?)", arguments: [app, ts])
      } else {
        try db.execute(sql: "DELETE FROM first_payment WHERE app = ?", arguments: [app])
      }
    }
    stored = instants
    return instants
  }

  private func readAll(_ runs: [any BlockCursor], _ dictionaries: EventDictionaries) throws {
    instants.removeAll()
    for run in runs {
      try run.forEachBlock { events in
        for row in events.rows where Self.kinds.contains(row.kind) {
          guard dictionaries.counts(client: row.client, terms: row.terms),
            dictionaries.terms[Int(row.terms)].isPaid(by: row.kind)
          else { continue }
          note(app: dictionaries.clientApp[Int(row.client)], ts: row.ts, isAdded: true)
        }
      }
    }
  }

  /// Calls `body` with the stored users that have a `payment`.
  private func forEachPayer(
    ofApps apps: Set<NameID>, _ dictionaries: EventDictionaries, _ body: (Int32) -> Void
  ) throws {
    let kind = Int64(EventKind.payment.rawValue)
    try SortedRuns.forEachNumbers(db, read: { try $0.read($1, ofKinds: 1 << UInt64(kind)) }) { numbers in
      for place in numbers.kinds.indices where numbers.kinds[place] == kind {
        guard apps.contains(dictionaries.clientApp[Int(numbers.clients[place])]) else { continue }
        body(Int32(truncatingIfNeeded: numbers.users[place]))
      }
    }
  }
}
