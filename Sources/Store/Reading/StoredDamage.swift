internal import EventModel
internal import GRDB
internal import Lifecycle

/// What a read has found that no program of this store writes, where the finder cannot throw: the read throws it at its end.
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
}

/// What a stored number can be.
enum StoredRange {
  /// Of an event's `ts`, and of what begins with an event.
  static let instants = Instant.firstOfEvents.millisecondsSince1970..<Instant.endOfEvents.millisecondsSince1970
  /// Of a distance between instants, and of instants of any year: sums of a few of them do not overflow.
  static let distances = -(1 << 60 as Int64)..<(1 << 60 as Int64)
  /// Of a number of things.
  static let counts = 0..<(1 << 24 as Int64)
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

  /// - Parameter greatest: By table, in order: users, clients, contexts, terms, sets of properties.
  /// - Throws: Where one is not there.
  func require(_ greatest: [Int64], in place: @autoclosure () -> String) throws {
    if contains(greatest) { return }
    // They may have come since.
    counts = []
    defer { select.reset() }
    guard try select.step() else { throw BlockView.malformed }
    counts = Self.tables.indices.map { select.int64(Int32($0)) }
    if contains(greatest) { return }
    throw StoredDamage.error("\(place()) points to an entry that its dictionary lacks")
  }

  /// Of units, which point into fewer: the greatest user, client and set of properties.
  func ofUnits() throws -> (user: Int32, client: Int32, properties: Int32) {
    defer { select.reset() }
    guard try select.step() else { throw BlockView.malformed }
    return (select.int32(0), select.int32(1), select.int32(4))
  }

  private func contains(_ greatest: [Int64]) -> Bool {
    !counts.isEmpty && zip(greatest, counts).allSatisfy { $0 >= 0 && $0 <= $1 }
  }
}
