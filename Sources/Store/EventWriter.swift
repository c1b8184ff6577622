internal import EventModel
internal import GRDB
internal import Lifecycle

/// What became of the lines of a file.
struct LineCounts: Equatable {
  var events = 0
  var duplicates = 0
  var conflicts = 0
}

/// Writes batches of events, each event once.
final class EventWriter {
  private let db: Database
  private let insert: SQLiteStatement
  private let find: SQLiteStatement
  private let receive: SQLiteStatement
  private let keys: EventKeyIndex
  private let conflicts: ConflictResolver
  let users: UserDirectory
  let dictionaries: DictionaryWriter
  let upkeep: FactUpkeep
  private let days: EventDays

  /// Keys of the events added since the last ``finish()``.
  private var addedKeys: [EventKey] = []
  /// By file number.
  private(set) var counts: [Int64: LineCounts] = [:]

  init(_ db: Database) throws {
    self.db = db
    insert = try SQLiteStatement(
      db,
      "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
    find = try SQLiteStatement(db, "SELECT * FROM event WHERE user = ? AND ts = ? AND kind = ? AND event_id = ?")
    receive = try SQLiteStatement(
      db, "UPDATE event SET received_after = ?5 WHERE user = ?1 AND ts = ?2 AND kind = ?3 AND event_id = ?4")
    keys = try EventKeyIndex(db)
    users = try UserDirectory(db)
    dictionaries = try DictionaryWriter(db)
    upkeep = try FactUpkeep(db, nextUser: users.nextID)
    days = try EventDays(db)
    conflicts = try ConflictResolver(db)
  }

  /// Adds records of a batch.
  ///
  /// - Parameters:
  ///   - records: Which ones.
  ///   - fileOf: The number of the file that a record is of.
  func add(
    _ batch: EventBatch, resolved: ResolvedBatch, records: Range<Int>, fileOf: (_ record: Int) -> Int64
  ) throws {
    struct Place {
      var user: Int32
      var record: Int32
      var ts: Int64
    }
    var places: [Place] = []
    places.reserveCapacity(records.count)
    for record in records {
      places.append(
        Place(
          user: resolved.users[Int(batch.records[record].user)], record: Int32(record), ts: batch.records[record].ts))
    }
    // In order of the table's key, so that neighbours share a page.
    places.sort { ($0.user, $0.ts, $0.record) < ($1.user, $1.ts, $1.record) }
    try batch.text.withUnsafeBytes { text in
      for place in places {
        try add(batch, Int(place.record), user: place.user, resolved, text, file: fileOf(Int(place.record)))
      }
    }
  }

  @inline(__always)
  private func add(
    _ batch: EventBatch, _ index: Int, user: Int32, _ resolved: ResolvedBatch, _ text: UnsafeRawBufferPointer,
    file: Int64
  ) throws {
    let record = batch.records[index]
    let client = resolved.clients[Int(record.client)]
    let terms = resolved.terms[Int(record.terms)]
    insert.bind(1, user)
    insert.bind(2, record.ts)
    insert.bind(3, Int64(record.kind.rawValue))
    insert.bindCoded(4, text.slice(record.eventID))
    insert.bind(5, file)
    insert.bind(6, record.receivedAt.map { $0 - record.ts })
    insert.bind(7, client)
    insert.bind(8, resolved.contexts[Int(record.context)])
    insert.bind(9, terms)
    insert.bind(10, resolved.properties[Int(record.properties)])
    insert.bindCoded(11, text.slice(record.subscriptionID))
    insert.bindCoded(12, text.slice(record.transactionID))
    insert.bind(13, record.expiresAt)
    insert.bind(14, record.trialEndsAt)
    insert.bind(15, record.graceEndsAt)
    let previous = record.previousUser.map { resolved.users[Int($0)] }
    insert.bind(16, previous.map(Int64.init))
    guard try insert.run() == 1 else {
      try addAgain(batch, index, user: user, resolved, text, file: file)
      return
    }
    counts[file, default: LineCounts()].events += 1
    addedKeys.append(EventKey(hash: record.identityHash, user: user))
    upkeep.touch(user)
    if !dictionaries.forFold.clientIsSandbox[Int(client)] {
      days.add(app: dictionaries.forFold.clientApp[Int(client)], ts: record.ts, receivedAt: record.receivedAt)
      if let previous, !dictionaries.forFold.terms[Int(terms)].isFamilyShared { upkeep.join(user, with: previous) }
    }
  }

  /// An event with this user, instant, kind and id is there: the same again, or one in conflict.
  private func addAgain(
    _ batch: EventBatch, _ index: Int, user: Int32, _ resolved: ResolvedBatch, _ text: UnsafeRawBufferPointer,
    file: Int64
  ) throws {
    let record = batch.records[index]
    find.bind(1, user)
    find.bind(2, record.ts)
    find.bind(3, Int64(record.kind.rawValue))
    find.bindCoded(4, text.slice(record.eventID))
    guard try find.step() else { preconditionFailure("an event that was there has gone") }
    let isSame =
      find.int32(6) == resolved.clients[Int(record.client)]
      && find.int32(7) == resolved.contexts[Int(record.context)]
      && find.int32(8) == resolved.terms[Int(record.terms)]
      && find.int32(9) == resolved.properties[Int(record.properties)]
      && (find.coded(10) ?? "") == batch.string(record.subscriptionID)
      && (find.coded(11) ?? "") == batch.string(record.transactionID)
      && find.optionalInt64(12) == record.expiresAt
      && find.optionalInt64(13) == record.trialEndsAt
      && find.optionalInt64(14) == record.graceEndsAt
      && find.optionalInt64(15) == record.previousUser.map { Int64(resolved.users[Int($0)]) }
    let storedAfter = find.optionalInt64(5)
    find.reset()
    guard isSame else {
      let app = resolved.names[Int(batch.users[Int(record.user)].app)]
      try apply(try conflicts.settle(line: batch, record: index, app: app, user: user, file: file))
      return
    }
    counts[file, default: LineCounts()].duplicates += 1
    let after = record.receivedAt.map { $0 - record.ts }
    if Reception.precedes(after, storedAfter) {
      receive.bind(1, user)
      receive.bind(2, record.ts)
      receive.bind(3, Int64(record.kind.rawValue))
      receive.bindCoded(4, text.slice(record.eventID))
      receive.bind(5, after)
      try receive.run()
      days.invalidate()
    }
  }

  private func apply(_ outcome: ConflictResolver.Outcome) throws {
    for line in outcome.lines {
      if line.isNewContent {
        counts[line.file, default: LineCounts()].conflicts += 1
      } else {
        counts[line.file, default: LineCounts()].duplicates += 1
      }
    }
    for user in outcome.removedFrom { upkeep.touch(user) }
    if outcome.removedIdentify { upkeep.unjoin() }
    days.invalidate()
    guard let (batch, file) = outcome.restored else { return }
    let resolved = try dictionaries.resolve(batch, users: users)
    // It is an event already, under the content that gave way.
    let before = counts[file]
    try add(batch, resolved: resolved, records: 0..<1) { _ in file }
    counts[file] = before
  }

  /// Settles conflicts among ids, and brings identities, facts and days up to date: the end of a commit.
  func finish() throws {
    addedKeys.sort { ($0.hash, $0.user) < ($1.hash, $1.user) }
    var suspects: [UInt64: Set<Int32>] = [:]
    for (left, right) in zip(addedKeys, addedKeys.dropFirst()) where left.hash == right.hash {
      suspects[left.hash, default: []].formUnion([left.user, right.user])
    }
    try keys.forEachMatch(of: addedKeys) { key, stored in
      suspects[key.hash, default: []].formUnion([key.user, stored])
    }
    let added = addedKeys
    addedKeys.removeAll(keepingCapacity: true)
    for (_, users) in suspects.sorted(by: { $0.key < $1.key }) {
      for outcome in try conflicts.settleStored(users: users.sorted()) {
        // Each of these lines was counted as an event when its row was added.
        for line in outcome.lines { counts[line.file, default: LineCounts()].events -= 1 }
        try apply(outcome)
      }
    }
    try keys.append(added)
    // Contents that came back to the store are known by their hash already, but maybe under another user.
    try keys.append(addedKeys.sorted { ($0.hash, $0.user) < ($1.hash, $1.user) })
    addedKeys.removeAll(keepingCapacity: true)
    try days.update()
    try upkeep.update(dictionaries: dictionaries.forFold, nextUser: users.nextID)
  }

  /// Forgets the counts of the commit that is done.
  func clearCounts() { counts.removeAll() }
}

/// The order of receptions of one content: the earlier `received_at`, absent standing for `ts` (events.md).
enum Reception {
  /// - Parameters: `received_at` − `ts`.
  static func precedes(_ left: Int64?, _ right: Int64?) -> Bool {
    if (left ?? 0) != (right ?? 0) { return (left ?? 0) < (right ?? 0) }
    // The same instant, stated rather than assumed.
    return left != nil && right == nil
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  func slice(_ slice: TextSlice) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      rebasing: self[Int(slice.offset)..<Int(slice.offset) + Int(slice.length)])
  }
}
