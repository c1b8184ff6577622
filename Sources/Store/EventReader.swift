internal import EventModel
internal import GRDB
internal import Lifecycle

/// Reads the events of persons in the order of definitions 1.2.
final class EventReader {
  private static let columns =
    "id, ts, kind, context, client, terms, properties, subscription_id, transaction_id, expires_at, trial_ends_at, "
    + "grace_ends_at"

  private let db: Database
  private let byUser: SQLiteStatement
  private let withID: SQLiteStatement
  private var ids = PersonIDs()
  private var events: [PersonEvent] = []
  private let segments: () throws -> [Int64]

  /// - Parameter segments: The runs to read; `nil` for those of the store as it is now.
  init(_ db: Database, segments: Segments? = nil) throws {
    self.db = db
    byUser = try SQLiteStatement(
      db, "SELECT \(Self.columns) FROM event WHERE id BETWEEN ? AND ? ORDER BY id")
    withID = try SQLiteStatement(db, "SELECT \(Self.columns), event_id FROM event WHERE id BETWEEN ? AND ? ORDER BY id")
    if let segments {
      self.segments = { segments.ids }
    } else {
      let ids = try Segments.ids(db)
      self.segments = { ids }
    }
  }

  /// The code of a subscription id of the person read last.
  func subscriptionID(_ number: Int32) -> CodedID? { ids.subscription(number) }

  /// Returns the events of a person.
  func events(ofUsers users: [Int32]) throws -> [PersonEvent] {
    begin()
    for user in users {
      for segment in try segments() {
        byUser.bind(EventRowID.range(segment: segment, user: user))
        defer { byUser.reset() }
        while try byUser.step() { append(byUser) }
      }
    }
    try order(users)
    return events
  }

  /// Calls `body` with the events of each user in a range of ids, in order of the ids.
  func forEachUser(in range: ClosedRange<Int32>, _ body: (_ user: Int32, [PersonEvent]) throws -> Void) throws {
    let cursors = try segments().map { segment in
      let statement = try SQLiteStatement(
        db, "SELECT \(Self.columns) FROM event WHERE id BETWEEN ? AND ? ORDER BY id")
      statement.bind(EventRowID.range(segment: segment, users: range))
      return statement
    }
    // The user that each cursor stands at; beyond every user at the end.
    var users = try cursors.map { try $0.step() ? EventRowID.user(of: $0.int64(0)) : Int32.max }
    while let user = users.min(), user != .max {
      begin()
      for (index, cursor) in cursors.enumerated() where users[index] == user {
        repeat {
          append(cursor)
          users[index] = try cursor.step() ? EventRowID.user(of: cursor.int64(0)) : .max
        } while users[index] == user
      }
      try order([user])
      try body(user, events)
    }
  }

  private func begin() {
    events.removeAll(keepingCapacity: true)
    ids.removeAll()
  }

  @inline(__always)
  private func append(_ row: SQLiteStatement) {
    guard let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: row.int64(2))) else {
      preconditionFailure("the store has an event of an unknown kind")
    }
    var event = PersonEvent(ts: row.int64(1), kind: kind)
    event.context = row.int32(3)
    event.client = row.int32(4)
    event.terms = row.int32(5)
    event.properties = row.int32(6)
    if !row.isNull(7) { event.subscription = ids.numberOfSubscription(row, 7) }
    if !row.isNull(8) { event.transaction = ids.numberOfTransaction(row, 8) }
    event.expiresAt = row.optionalInt64(9)
    event.trialEndsAt = row.optionalInt64(10)
    event.graceEndsAt = row.optionalInt64(11)
    events.append(event)
  }

  private static func precedes(_ left: PersonEvent, _ right: PersonEvent) -> Bool {
    left.ts != right.ts ? left.ts < right.ts : left.kind.rawValue < right.kind.rawValue
  }

  /// Puts the events, which come in runs, in order. Ids decide only between events of one instant and kind: they are
  /// read for those persons alone.
  private func order(_ users: [Int32]) throws {
    var isOrdered = true
    for (left, right) in zip(events, events.dropFirst()) where !Self.precedes(left, right) {
      isOrdered = false
      break
    }
    if isOrdered { return }
    events.sort(by: Self.precedes)
    for (left, right) in zip(events, events.dropFirst()) where !Self.precedes(left, right) {
      return try readInOrderOfIDs(users)
    }
  }

  private func readInOrderOfIDs(_ users: [Int32]) throws {
    begin()
    var texts: [String] = []
    for user in users {
      for segment in try segments() {
        withID.bind(EventRowID.range(segment: segment, user: user))
        defer { withID.reset() }
        while try withID.step() {
          append(withID)
          texts.append(withID.coded(12) ?? "")
        }
      }
    }
    let order = events.indices.sorted { left, right in
      if Self.precedes(events[left], events[right]) { return true }
      if Self.precedes(events[right], events[left]) { return false }
      return texts[left].utf8.lexicographicallyPrecedes(texts[right].utf8)
    }
    events = order.map { events[$0] }
  }
}

extension SQLiteStatement {
  /// Binds the two ends of `BETWEEN ? AND ?`.
  @inline(__always)
  fileprivate func bind(_ range: ClosedRange<Int64>) {
    bind(1, range.lowerBound)
    bind(2, range.upperBound)
  }
}
