internal import EventModel
internal import GRDB
internal import Ingest
internal import Lifecycle

/// Keeps the number of production events and their delays between `ts` and `received_at`, by app, source and UTC day.
/// The source of a native event is the file family usual for its kind; the source of a vendor's event is the vendor.
final class Lateness {
  /// The delay between `ts` and `received_at`.
  enum Delay: Int, CaseIterable {
    case timely
    /// The event has no `received_at`.
    case unstamped
    /// `received_at` is before `ts`: by more than a minute, or (`farAhead`) by more than a day.
    case ahead
    case farAhead
    case overOneDay
    case overTwoDays
    case overSevenDays
    case overThirtyDays

    @inline(__always)
    init(receivedAfter: Int64?) {
      guard let receivedAfter else {
        self = .unstamped
        return
      }
      if receivedAfter <= day {
        self = receivedAfter >= -60_000 ? .timely : receivedAfter >= -day ? .ahead : .farAhead
      } else if receivedAfter <= 7 * day {
        self = receivedAfter <= 2 * day ? .overOneDay : .overTwoDays
      } else {
        self = receivedAfter <= 30 * day ? .overSevenDays : .overThirtyDays
      }
    }

    /// The name of the column with the count.
    var column: String {
      ["timely", "unstamped", "ahead", "far_ahead", "over_1d", "over_2d", "over_7d", "over_30d"][rawValue]
    }
  }

  private static let delays = Delay.allCases.count
  private static let families = EventKind.families.count
  /// Sources whose files may have events of every family.
  private static let manyFamilies = [EventSource.native.rawValue, SourceSettings.mappingSource]
  private static let familyOfKind = EventKind.allCases.map { $0.familyNumber }

  /// The counts by family and delay, for each app, day and source that occurred.
  @exclusivity(unchecked) private var counts: [Int64] = []
  @exclusivity(unchecked) private var keys = RowInterner<UInt64>()
  private var sourceNumbers: [String: Int] = [:]
  private var sourceNames: [String] = []
  private let db: Database
  private let table: String
  private let upsert: SQLiteStatement

  init(_ db: Database, table: String = "main.arrival") throws {
    self.db = db
    self.table = table
    let columns = Delay.allCases.map(\.column)
    upsert = try SQLiteStatement(
      db,
      """
      INSERT INTO \(table) VALUES (?, ?, ?\(String(repeating: ", ?", count: columns.count)))
      ON CONFLICT (app, source, day) DO UPDATE SET \(columns.map { "\($0) = \($0) + excluded.\($0)" }.joined(separator: ", "))
      """)
  }

  /// Returns the number of a source, for ``add(app:ts:receivedAt:kind:source:)``.
  func number(ofSource name: String) -> Int {
    if let number = sourceNumbers[name] { return number }
    sourceNames.append(name)
    sourceNumbers[name] = sourceNames.count - 1
    return sourceNames.count - 1
  }

  /// Counts a new production event.
  @inline(__always)
  func add(app: Int32, ts: Int64, receivedAt: Int64?, kind: EventKind, source: Int) {
    let key = UInt64(UInt32(bitPattern: app)) << 32 | UInt64(ts / day) << 16 | UInt64(source)
    let delay = Delay(receivedAfter: receivedAt.map { $0 - ts }).rawValue
    counts[slot(of: key) + Self.familyOfKind[Int(kind.rawValue)] * Self.delays + delay] += 1
  }

  @inline(__always)
  private func slot(of key: UInt64) -> Int {
    let slot = Int(keys.intern(key, hash: key)) * Self.families * Self.delays
    if slot == counts.count { counts.append(contentsOf: repeatElement(0, count: Self.families * Self.delays)) }
    return slot
  }

  /// Brings the table up to date, inside the commit's transaction.
  func update() throws {
    for (number, key) in keys.rows.enumerated().sorted(by: { $0.element < $1.element }) {
      let slot = number * Self.families * Self.delays
      let source = sourceNames[Int(key & 0xFFFF)]
      let dayStart = Int64(key >> 16 & 0xFFFF) * day
      for family in 0..<Self.families {
        let first = slot + family * Self.delays
        if counts[first..<first + Self.delays].allSatisfy({ $0 == 0 }) { continue }
        upsert.bind(
          all: Int64(key >> 32), Self.manyFamilies.contains(source) ? EventKind.families[family] : source, dayStart)
        for delay in 0..<Self.delays { upsert.bind(Int32(4 + delay), counts[first + delay]) }
        try upsert.run()
      }
    }
    removeAll()
  }

  /// Discards all counts, in memory and in the table, before a rebuild from all events.
  func clear() throws {
    try db.execute(sql: "DELETE FROM \(table)")
    removeAll()
  }

  private func removeAll() {
    keys.removeAll()
    counts.removeAll(keepingCapacity: true)
  }
}

/// The source of each file in the store.
struct FileSources {
  private let db: Database
  private var names: [Int64: String] = [:]

  init(_ db: Database) { self.db = db }

  /// Sets the source of a file that is not in the manifest yet.
  mutating func set(_ name: String, of file: Int64) { names[file] = name }

  mutating func name(of file: Int64) throws -> String {
    if let name = names[file] { return name }
    let name = try String.fetchOne(db, sql: "SELECT source FROM file WHERE id = ?", arguments: [file])
    names[file] = name ?? EventSource.native.rawValue
    return names[file] ?? EventSource.native.rawValue
  }
}
