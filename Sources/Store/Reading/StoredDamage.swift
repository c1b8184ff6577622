internal import EventModel
internal import GRDB

/// Damage that a read has found where it cannot throw; the read throws it at its end.
final class StoredDamage {
  private var place: String?

  /// - Parameter place: As `entry_cell, row 17`.
  func note(_ place: @autoclosure () -> String) { if self.place == nil { self.place = place() } }

  func check() throws {
    if let place { throw Self.error("\(place) is malformed") }
  }

  static func error(_ message: String) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_CORRUPT, message: message)
  }

  /// - Parameter what: As `an event`.
  static func lacks(_ number: some BinaryInteger, of table: String, had what: String) -> DatabaseError {
    error("entry \(number) of \(table), which \(what) has, is not there")
  }
}

/// The ranges of stored numbers.
enum StoredRange {
  /// Of an event's `ts`, and of what begins with an event.
  static let instants = Instant.firstOfEvents.millisecondsSince1970..<Instant.endOfEvents.millisecondsSince1970
  /// Of a distance between instants.
  static let distances = -(1 << 49 as Int64)..<(1 << 49 as Int64)
  /// Of the end of a period: of any year that RFC 3339 can write, and a grace behind it.
  static let ends = -(1 << 46 as Int64)..<(1 << 48 as Int64)
  /// Of a number of things.
  static let counts = 0..<(1 << 24 as Int64)
  /// Of a number of events, users or bytes.
  static let totals = 0..<(1 << 48 as Int64)
  /// Of an amount in micro-units: a price has 18 digits at most, and a refund of it has no more.
  static let prices = 0..<(1_000_000_000_000_000_000 as Int64)
}

/// How many entries the dictionaries of a store have, which its events point into.
final class StoredEntries {
  private let select: SQLiteStatement
  private var counts: [Int64] = []
  private static let tables = ["user", "client", "context", "terms", "property_set"]

  init(_ db: Database) throws {
    let parts = Self.tables.map { "(SELECT MAX(id) FROM main.\($0))" }
    select = try SQLiteStatement(db, "SELECT \(parts.joined(separator: ", "))")
  }

  /// - Parameter greatest: Of events, by table, in order: users, clients, contexts, terms, sets of properties.
  /// - Throws: Where one is not there.
  func require(_ greatest: [Int64]) throws {
    if firstLack(greatest) == nil, !counts.isEmpty { return }
    // They may have come since.
    counts = []
    defer { select.reset() }
    guard try select.step() else { throw BlockView.malformed }
    counts = Self.tables.indices.map { select.int64(Int32($0)) }
    if let place = firstLack(greatest) {
      throw StoredDamage.lacks(greatest[place], of: Self.tables[place], had: "an event")
    }
  }

  /// The greatest number of a user, which arrays are as long as.
  ///
  /// - Throws: Where the file is too small for so many.
  static func greatestUser(_ db: Database) throws -> Int {
    let greatest = try Int.fetchOne(db, sql: "SELECT MAX(id) FROM main.user") ?? 0
    let pages = try Int.fetchOne(db, sql: "PRAGMA main.page_count") ?? 0
    let size = try Int.fetchOne(db, sql: "PRAGMA main.page_size") ?? 0
    guard greatest >= 0, greatest <= Int(Int32.max), greatest <= pages * size else {
      throw StoredDamage.error("user has a row of number \(greatest)")
    }
    return greatest
  }

  /// The greatest numbers that units may refer to.
  struct Greatest {
    var user: Int32
    var client: Int32
    var properties: Int32
  }

  /// Returns the greatest numbers that units may refer to, which point into fewer dictionaries.
  func ofUnits() throws -> Greatest {
    defer { select.reset() }
    guard try select.step() else { throw BlockView.malformed }
    let numbers = [0, 1, 4].map { select.int64($0) }
    guard numbers.allSatisfy((0...Int64(Int32.max)).contains) else {
      throw StoredDamage.error("user, client or property_set has a row of a number that none has")
    }
    return Greatest(user: Int32(numbers[0]), client: Int32(numbers[1]), properties: Int32(numbers[2]))
  }

  /// The first table that has no such entry.
  private func firstLack(_ greatest: [Int64]) -> Int? {
    counts.indices.first { greatest[$0] < 0 || greatest[$0] > counts[$0] }
  }
}

extension Row {
  /// Returns a value, for which `row[place]` would end the program where it is damaged.
  ///
  /// - Throws: Where the value is of another type, or absent.
  func required<Value: DatabaseValueConvertible>(_ place: Int) throws -> Value {
    let stored: DatabaseValue = self[place]
    guard let value = Value.fromDatabaseValue(stored) else {
      throw StoredDamage.error("column \(place + 1) has a value of another type")
    }
    return value
  }

  /// Returns a value, or `nil` where there is none.
  ///
  /// - Throws: Where the value is of another type.
  func optional<Value: DatabaseValueConvertible>(_ place: Int) throws -> Value? {
    hasNull(atIndex: place) ? nil : try required(place)
  }
}
