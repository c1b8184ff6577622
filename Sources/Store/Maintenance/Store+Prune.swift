internal import EventModel
internal import GRDB
internal import Lifecycle

/// The counts of removed events, and of old events that had to stay.
public struct PruneSummary: Sendable, Equatable {
  /// The number of removed events by kind, in the order of the kinds.
  public var removed: [(kind: String, events: Int)] = []
  /// The number of old events of these kinds that a fact depends on.
  public var kept = 0

  public var events: Int { removed.reduce(0) { $0 + $1.events } }

  public static func == (left: PruneSummary, right: PruneSummary) -> Bool {
    left.kept == right.kept && left.removed.elementsEqual(right.removed, by: ==)
  }
}

extension Store {
  /// The kinds that are not a trial, payment, churn event or impression.
  static let prunableKinds: [EventKind] = [
    .paywallDismissal, .purchaseStarted, .gateHit, .trialNudge, .restore, .offerRedemption, .activity,
  ]

  /// Removes old raw events that no fact depends on; every fact, and each report on facts, stays the same.
  ///
  /// An event is removed if the person's facts are the same without it; each person's first event always stays.
  ///
  /// - Parameter age: Milliseconds before each app's newest as-of.
  public func prune(age: Int64, isDryRun: Bool = false, lockTimeout: Double = 30) throws -> PruneSummary {
    var summary = PruneSummary()
    try write(lockTimeout: lockTimeout) { db in
      try db.inTransaction(.immediate) {
        var before: [NameID: Int64] = [:]
        for app in try StoreSnapshot(db).apps() { before[app.id] = app.newestAsOf.map { $0 - age } }
        let plan = try PrunePlan(db, before: before)
        summary.kept = plan.kept.count
        summary.removed = Self.prunableKinds.compactMap { kind in plan.counts[kind].map { (kind.name, $0) } }
        if isDryRun || summary.events == 0 { return .rollback }
        let writer = try EventWriter(db, storePath: path)
        try writer.removeStored { plan.removes($0.rows[$1]) }
        try writer.finish()
        // Facts stay the same, but some reports count events.
        try CachedReports.clear(db)
        for (app, instant) in before {
          try db.execute(
            sql: """
              INSERT INTO pruned VALUES (?, ?) ON CONFLICT (app) DO UPDATE SET before = MAX(before, excluded.before)
              """, arguments: [app, instant])
        }
        return .commit
      }
    }
    return summary
  }
}

/// The old events to remove.
private struct PrunePlan {
  struct Place: Hashable {
    var user: Int32
    var ts: Int64
    var kind: UInt8

    init(_ row: EventRow) {
      user = row.user
      ts = row.ts
      kind = row.kind.rawValue
    }
  }

  /// Old events of these kinds that stay; there are fewer of them than of those removed.
  private(set) var kept = Set<Place>()
  /// The number of events to remove, by kind.
  private(set) var counts: [EventKind: Int] = [:]
  private let before: [NameID: Int64]
  private let clientApp: [NameID]

  init(_ db: Database, before: [NameID: Int64]) throws {
    self.before = before
    let dictionaries = try StoredDictionaries(db).forFold
    clientApp = dictionaries.clientApp
    var fold = RowFold(options: .stored, dictionaries: dictionaries)
    let graph = try IdentityGraph(stored: db)
    let last = try Int32.fetchOne(db, sql: "SELECT MAX(id) FROM user") ?? 0
    let persons = stride(from: 1, through: last, by: 1)
    try PersonScan(graph: graph, old: SortedRuns.cursors(db), new: []).forEach(persons) { _, rows in
      let old = rows.rows.indices.filter { isOld(rows.rows[$0]) }
      if old.isEmpty { return }
      try fold.fold(rows, rows.rows.indices)
      // The first event that counts determines since when a person is known and by which client.
      let first = rows.rows.first { dictionaries.counts(client: $0.client, terms: $0.terms) }
      let facts = fold.facts
      let goes = try Self.removable(old.filter { rows.rows[$0].ts != first?.ts }, of: rows, &fold, facts)
      for place in old where !goes.contains(place) { kept.insert(Place(rows.rows[place])) }
      for place in old where removes(rows.rows[place]) { counts[rows.rows[place].kind, default: 0] += 1 }
    }
  }

  func isOld(_ row: EventRow) -> Bool {
    guard Store.prunableKinds.contains(row.kind), clientApp.indices.contains(Int(row.client)) else { return false }
    return row.ts < before[clientApp[Int(row.client)]] ?? .min
  }

  func removes(_ row: EventRow) -> Bool { isOld(row) && !kept.contains(Place(row)) }

  /// Returns the places that can be removed without changing the facts: all of them, or else found by halving.
  private static func removable(
    _ candidates: [Int], of rows: EventRows, _ fold: inout RowFold, _ facts: PersonFacts
  ) throws -> Set<Int> {
    var gone = Set<Int>()
    func remove(_ candidates: ArraySlice<Int>, _ fold: inout RowFold) throws {
      let without = gone.union(candidates)
      var left = EventRows()
      left.text = rows.text
      left.rows = rows.rows.indices.filter { !without.contains($0) }.map { rows.rows[$0] }
      try fold.fold(left, left.rows.indices)
      if fold.facts == facts {
        gone = without
      } else if candidates.count > 1 {
        let middle = candidates.startIndex + candidates.count / 2
        try remove(candidates[..<middle], &fold)
        try remove(candidates[middle...], &fold)
      }
    }
    if !candidates.isEmpty { try remove(candidates[...], &fold) }
    return gone
  }
}
