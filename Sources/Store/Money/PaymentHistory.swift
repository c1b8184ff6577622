internal import EventModel
internal import GRDB

/// The payments of all persons, many persons per row: a copy of the facts on spells, payments and refunds that reports
/// on money read ten times as fast as the fact tables.
enum PaymentHistory {
  /// The number of low bits of a person's number that may differ within a row.
  static let bits: Int32 = 9

  /// The error for blocks with spells that the facts lack.
  static var disagree: DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_CORRUPT, message: "money_block has spells that the facts lack; run `tollgate doctor --repair`"
    )
  }

  static var malformed: DatabaseError { StoredDamage.error("a block of payments is malformed") }

  static func row(of person: Int32) -> Int64 { Int64(person >> bits) }

  /// Walks through the persons of a row, in order.
  struct Walk {
    private let bytes: UnsafeRawBufferPointer
    private let row: Int64
    private var offset = 0
    private(set) var person: Int32

    /// - Parameter bytes: The row's bytes, which must stay valid during the walk.
    init(row: Int64, _ bytes: UnsafeRawBufferPointer) {
      self.bytes = bytes
      self.row = row
      person = Int32(truncatingIfNeeded: row) << bits
    }

    /// Returns the bytes of the next ``person``; `nil` after the last.
    @inline(__always)
    mutating func next() throws -> UnsafeRawBufferPointer? {
      if offset >= bytes.count { return nil }
      person &+= Int32(truncatingIfNeeded: Varint.next(bytes, &offset))
      let count = Int(truncatingIfNeeded: Varint.next(bytes, &offset))
      guard PaymentHistory.row(of: person) == row, count >= 0, count <= bytes.count - offset else {
        throw PaymentHistory.malformed
      }
      let end = offset + count
      defer { offset = end }
      return UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
    }
  }

  /// Returns the number of persons whose payments differ from those that are in `temp`.
  static func differences(_ db: Database) throws -> Int {
    func persons(_ schema: String, except other: String) throws -> [Int32: [UInt8]] {
      var persons: [Int32: [UInt8]] = [:]
      let row = try SQLiteStatement(
        db, "SELECT id, persons FROM \(schema).money_block EXCEPT SELECT id, persons FROM \(other).money_block")
      while try row.step() {
        var walk = Walk(row: row.int64(0), row.bytes(1))
        while let bytes = try walk.next() { persons[walk.person] = Array(bytes) }
      }
      return persons
    }
    let (stored, rebuilt) = (try persons("main", except: "temp"), try persons("temp", except: "main"))
    return Set(stored.keys).union(rebuilt.keys).count { stored[$0] != rebuilt[$0] }
  }

  /// Combines persons into a row.
  struct Builder {
    private(set) var bytes: [UInt8] = []
    private var last: Int32

    init(row: Int64) { last = Int32(truncatingIfNeeded: row) << bits }

    /// Appends a person.
    ///
    /// - Parameter person: Must be greater than the previous one.
    mutating func append(_ person: Int32, _ money: UnsafeRawBufferPointer) {
      Varint.append(UInt64(person - last), to: &bytes)
      Varint.append(UInt64(money.count), to: &bytes)
      bytes.append(contentsOf: money)
      last = person
    }
  }
}

/// Keeps the blocks equal to the stored facts.
final class MoneyUpkeep {
  /// The number of pending bytes at which they are written.
  private static let pendingLimit = 16 << 20

  /// The persons whose previous facts are removed, in order.
  private var removed: [Int32] = []
  private var added = MoneyRows()
  private let select: SQLiteStatement
  private let replace: SQLiteStatement
  private let delete: SQLiteStatement

  /// - Parameter schema: `main`, or `temp` for a rebuild to compare with.
  init(_ db: Database, schema: String) throws {
    select = try SQLiteStatement(db, "SELECT persons FROM \(schema).money_block WHERE id = ?")
    replace = try SQLiteStatement(db, "INSERT OR REPLACE INTO \(schema).money_block VALUES (?, ?)")
    delete = try SQLiteStatement(db, "DELETE FROM \(schema).money_block WHERE id = ?")
  }

  /// Removes persons.
  ///
  /// - Parameter persons: In ascending order.
  func remove(persons: [Int32]) { removed.append(contentsOf: persons) }

  /// Adds persons.
  ///
  /// - Parameter rows: The payments of persons that have none yet or have been removed before.
  func add(_ rows: borrowing MoneyRows) throws {
    guard rows.byteCount >= Self.pendingLimit else {
      added.append(contentsOf: rows)
      if added.byteCount >= Self.pendingLimit { try flush() }
      return
    }
    // Those of a person with very many are not copied.
    try flush()
    added = copy rows
    try flush()
    added = MoneyRows()
  }

  /// Writes the pending changes; a row without persons is deleted.
  func flush() throws {
    let places = added.persons.indices.sorted { added.persons[$0] < added.persons[$1] }
    var (a, r) = (0, 0)
    while a < places.count || r < removed.count {
      let row = min(
        a < places.count ? PaymentHistory.row(of: added.persons[places[a]]) : .max,
        r < removed.count ? PaymentHistory.row(of: removed[r]) : .max)
      let (firstAdded, firstRemoved) = (a, r)
      while a < places.count, PaymentHistory.row(of: added.persons[places[a]]) == row { a += 1 }
      while r < removed.count, PaymentHistory.row(of: removed[r]) == row { r += 1 }
      try write(row, places[firstAdded..<a], without: removed[firstRemoved..<r])
    }
    removed.removeAll(keepingCapacity: true)
    added.removeAll()
  }

  private func write(_ row: Int64, _ places: ArraySlice<Int>, without removed: ArraySlice<Int32>) throws {
    var builder = PaymentHistory.Builder(row: row)
    var next = places.startIndex
    var gone = removed.startIndex
    func addPersons(before person: Int32) {
      while next < places.endIndex, added.persons[places[next]] < person {
        added.withBytes(at: places[next]) { builder.append(added.persons[places[next]], $0) }
        next += 1
      }
    }
    select.bind(1, row)
    let isStored = try select.step()
    if isStored {
      var walk = PaymentHistory.Walk(row: row, select.bytes(0))
      while let bytes = try walk.next() {
        while gone < removed.endIndex, removed[gone] < walk.person { gone += 1 }
        addPersons(before: walk.person)
        if gone == removed.endIndex || removed[gone] != walk.person { builder.append(walk.person, bytes) }
      }
    }
    select.reset()
    addPersons(before: .max)
    if builder.bytes.isEmpty {
      if !isStored { return }
      try delete.run(binding: row)
    } else {
      try replace.run(binding: row, blob: builder.bytes)
    }
  }
}
