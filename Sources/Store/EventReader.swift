internal import EventModel
internal import GRDB
import GRDBSQLite
internal import Lifecycle

/// Reads the events of persons in the order of definitions 1.2.
final class EventReader {
  private static let columns =
    "user, ts, kind, context, client, terms, properties, subscription_id, transaction_id, expires_at, trial_ends_at, "
    + "grace_ends_at, event_id"

  private let byUser: SQLiteStatement
  private let inOrder: SQLiteStatement
  private let byUserAgain: SQLiteStatement
  private var ids = PersonIDs()
  private var events: [PersonEvent] = []
  private var lastIDType: Int32 = 0
  /// Whether two events of one instant and kind have ids whose codes do not lie in the order of their texts.
  private var hasUnorderedTie = false

  init(_ db: Database) throws {
    let bySingleUser = "SELECT \(Self.columns) FROM event WHERE user = ? ORDER BY ts, kind, event_id"
    byUser = try SQLiteStatement(db, bySingleUser)
    byUserAgain = try SQLiteStatement(db, bySingleUser)
    inOrder = try SQLiteStatement(
      db, "SELECT \(Self.columns) FROM event WHERE user >= ? AND user <= ? ORDER BY user, ts, kind, event_id")
  }

  /// The code of a subscription id of the person read last.
  func subscriptionID(_ number: Int32) -> CodedID? { ids.subscription(number) }

  /// Returns the events of a person.
  func events(ofUsers users: [Int32]) throws -> [PersonEvent] {
    begin()
    if users.count > 1 {
      try readInOrderOfTexts(users)
    } else if let user = users.first {
      byUser.bind(1, user)
      defer { byUser.reset() }
      while try byUser.step() { append(byUser) }
      if hasUnorderedTie { try readInOrderOfTexts(users) }
    }
    return events
  }

  /// Calls `body` with the events of each user in a range of ids, one after the other.
  func forEachUser(in range: ClosedRange<Int32>, _ body: (_ user: Int32, [PersonEvent]) throws -> Void) throws {
    inOrder.bind(1, range.lowerBound)
    inOrder.bind(2, range.upperBound)
    defer { inOrder.reset() }
    var current: Int32?
    func finish(_ user: Int32) throws {
      if hasUnorderedTie { try readInOrderOfTexts([user]) }
      try body(user, events)
    }
    begin()
    while try inOrder.step() {
      let user = inOrder.int32(0)
      if user != current {
        if let current { try finish(current) }
        begin()
        current = user
      }
      append(inOrder)
    }
    if let current { try finish(current) }
  }

  private func begin() {
    events.removeAll(keepingCapacity: true)
    ids.removeAll()
    hasUnorderedTie = false
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
    let idType = row.type(12)
    if let last = events.last, last.ts == event.ts, last.kind == event.kind,
      idType != lastIDType || idType == SQLITE_INTEGER
    {
      hasUnorderedTie = true
    }
    lastIDType = idType
    events.append(event)
  }

  /// Reads the users again, with the texts of the event ids, and sorts by them.
  private func readInOrderOfTexts(_ users: [Int32]) throws {
    begin()
    var texts: [String] = []
    for user in users {
      byUserAgain.bind(1, user)
      defer { byUserAgain.reset() }
      while try byUserAgain.step() {
        append(byUserAgain)
        texts.append(byUserAgain.coded(12) ?? "")
      }
    }
    let order = events.indices.sorted { left, right in
      let a = events[left]
      let b = events[right]
      if a.ts != b.ts { return a.ts < b.ts }
      if a.kind != b.kind { return a.kind.rawValue < b.kind.rawValue }
      return texts[left].utf8.lexicographicallyPrecedes(texts[right].utf8)
    }
    events = order.map { events[$0] }
    hasUnorderedTie = false
  }
}
