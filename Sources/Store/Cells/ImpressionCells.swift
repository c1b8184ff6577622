internal import EventModel
internal import GRDB
internal import Lifecycle

/// Keeps the number of counted impressions and the instant of the newest one, by app, UTC day, context and terms
/// (definitions 5.1).
///
/// Impressions are counted as events, so these cells depend on events, not on persons.
final class ImpressionCells {
  private struct Key: Equatable {
    var context: Int32
    var terms: Int32
    var app: Int32
    /// Days since 1970; ``allDays`` for the sum over all days.
    var day: Int32

    /// Whether both are in one sum over all days.
    func isSummed(with other: Key) -> Bool { (context, terms, app) == (other.context, other.terms, other.app) }

    /// Whether the key comes before another: by the sum, then by day.
    func precedes(_ other: Key) -> Bool {
      (context, terms, app, day) < (other.context, other.terms, other.app, other.day)
    }

    /// A fast hash; distribution matters less here.
    @inline(__always)
    var quickHash: UInt64 {
      func word(_ high: Int32, _ low: Int32) -> UInt64 {
        UInt64(UInt32(bitPattern: high)) << 32 | UInt64(UInt32(bitPattern: low))
      }
      return (word(context, terms) &* 0xA076_1D64_78BD_642F) ^ word(app, day)
    }
  }

  private struct Change {
    var count: Int64 = 0
    /// The newest instant of the added impressions; the least number without one.
    var newest = Int64.min
    /// The newest instant of the removed impressions; the least number without one.
    var newestRemoved = Int64.min
  }

  /// The day in rows that sum over all days.
  static let allDays = -1

  /// Computes the rows of single days from all events that count, as in `EventDictionaries.counts`.
  static let rebuiltSQL = """
    SELECT event.ts / 86400000 AS day, client.app AS app, event.context AS context, event.terms AS terms,
      COUNT(*) AS impressions, MAX(event.ts) AS newest
    FROM event_row AS event
    JOIN client ON client.id = event.client
    JOIN terms ON terms.id = event.terms
    WHERE event.kind = \(EventKind.paywallImpression.rawValue) AND client.is_sandbox = 0 AND terms.is_family_shared = 0
    GROUP BY 1, 2, 3, 4
    """

  /// Returns the query for the row over all days of each app, context and terms.
  static func sumSQL(of days: String) -> String {
    """
    SELECT \(allDays), app, context, terms, SUM(impressions),
      CASE WHEN COUNT(newest) = COUNT(*) THEN MAX(newest) END
    FROM \(days) WHERE day <> \(allDays) GROUP BY 2, 3, 4
    """
  }

  @exclusivity(unchecked) private var changes: [Change] = []
  @exclusivity(unchecked) private var keys = RowInterner<Key>()
  private let select: SQLiteStatement
  private let replace: SQLiteStatement
  private let delete: SQLiteStatement

  init(_ db: Database) throws {
    let key = "day = ?1 AND app = ?2 AND context = ?3 AND terms = ?4"
    select = try SQLiteStatement(db, "SELECT impressions, newest FROM impression_cell WHERE \(key)")
    replace = try SQLiteStatement(db, "INSERT OR REPLACE INTO impression_cell VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    delete = try SQLiteStatement(db, "DELETE FROM impression_cell WHERE \(key)")
  }

  /// Records that a production impression that is not family-shared was added or removed.
  @inline(__always)
  func change(app: Int32, ts: Int64, context: Int32, terms: Int32, isAdded: Bool = true) {
    let key = Key(context: context, terms: terms, app: app, day: Int32(ts / day))
    let slot = slot(of: key)
    if isAdded {
      changes[slot].count += 1
      changes[slot].newest = max(changes[slot].newest, ts)
    } else {
      changes[slot].count -= 1
      changes[slot].newestRemoved = max(changes[slot].newestRemoved, ts)
    }
  }

  @inline(__always)
  private func slot(of key: Key) -> Int {
    let slot = Int(keys.intern(key, hash: key.quickHash))
    if slot == changes.count { changes.append(Change()) }
    return slot
  }

  /// Brings the table up to date, inside the commit's transaction.
  func update() throws {
    // Those of one sum are neighbors.
    let order = keys.rows.withUnsafeBufferPointer { rows in rows.indices.sorted { rows[$0].precedes(rows[$1]) } }
    var sum = Change()
    for (place, number) in order.enumerated() {
      let change = changes[number]
      var key = keys.rows[number]
      try write(key, change)
      sum.count += change.count
      sum.newest = max(sum.newest, change.newest)
      sum.newestRemoved = max(sum.newestRemoved, change.newestRemoved)
      key.day = Int32(Self.allDays)
      if place + 1 < order.count, keys.rows[order[place + 1]].isSummed(with: key) { continue }
      try write(key, sum)
      sum = Change()
    }
    changes.removeAll(keepingCapacity: true)
    keys.removeAll()
  }

  private func write(_ key: Key, _ change: Change) throws {
    let stored = try select.first(binding: key.day, key.app, key.context, key.terms) {
      (count: $0.int64(0), newest: $0.optionalInt64(1))
    }
    let count = (stored?.count ?? 0) + change.count
    if count == 0 {
      try delete.run(binding: key.day, key.app, key.context, key.terms)
      return
    }
    // The newest instant is known if it is later than every removed one.
    let known = stored != nil && stored?.newest == nil ? nil : max(stored?.newest ?? .min, change.newest)
    let isKnown = known.map { change.newestRemoved < $0 || change.newestRemoved == .min } ?? false
    try replace.run(binding: key.day, key.app, key.context, key.terms, count, isKnown ? known : nil)
  }

  /// Returns the sums of impressions that showed both prices.
  ///
  /// - Parameters:
  ///   - byDay: Whether to keep days apart; otherwise there is one row for all days.
  ///   - asOf: An instant by app whose day is the last one read; used with `byDay`.
  static func shownPrices(_ db: Database, byDay: Bool, until asOf: [NameID: Int64]? = nil) throws -> [ShownPrices] {
    let dictionaries = try StoredDictionaries(db).forFold
    let prices = try ShownPrices.Dictionary(db, dictionaries)
    let row = try SQLiteStatement(
      db,
      "SELECT day, app, context, terms, impressions, newest FROM impression_cell "
        + "WHERE day \(byDay ? ">= 0" : "= \(allDays)")")
    var shown: [ShownPrices] = []
    while try row.step() {
      let (day, app) = (row.int64(0), row.int32(1))
      if let asOf, day > (asOf[app] ?? -1) / Lifecycle.day { continue }
      guard
        var sum = try prices.shown(
          app: app, context: row.int32(2), terms: row.int32(3), client: 0, properties: 0, person: 0)
      else { continue }
      sum.day = byDay ? day : 0
      sum.impressions = Int(row.int64(4))
      sum.newest = row.optionalInt64(5)
      guard StoredRange.totals.contains(row.int64(4)), sum.newest.map(StoredRange.instants.contains) ?? true else {
        throw StoredDamage.error("impression_cell is malformed")
      }
      shown.append(sum)
    }
    return shown
  }
}
