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
  private let segments: Segments
  private let insert: SQLiteStatement
  private let lookUp: EventLookUp
  private let keys: EventKeyIndex
  private let conflicts: ConflictResolver
  let users: UserDirectory
  let dictionaries: DictionaryWriter
  private let upkeep: FactUpkeep
  private let days: EventDays

  /// By file number.
  private(set) var counts: [Int64: LineCounts] = [:]

  init(_ db: Database) throws {
    segments = try Segments(db)
    insert = try SQLiteStatement(
      db, "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    lookUp = try EventLookUp(db, segments: segments)
    keys = try EventKeyIndex(db)
    users = try UserDirectory(db)
    dictionaries = try DictionaryWriter(db)
    upkeep = try FactUpkeep(db, segments: segments, nextUser: users.nextID)
    days = try EventDays(db)
    conflicts = try ConflictResolver(db, lookUp: lookUp)
  }

  /// Adds records of a batch as a run of their own.
  ///
  /// - Parameters:
  ///   - records: Which ones.
  ///   - fileOf: The number of the file that a record is of.
  func add(
    _ batch: EventBatch, resolved: ResolvedBatch, records: Range<Int>, fileOf: (_ record: Int) -> Int64
  ) throws {
    if records.isEmpty { return }
    let (added, known) = try split(batch, resolved, records)
    if !added.isEmpty { try add(added, of: batch, resolved, fileOf: fileOf) }
    for (record, users) in known.sorted(by: { $0.key < $1.key }) {
      try addAgain(batch, record, resolved, users: users.sorted(), file: fileOf(record))
    }
  }

  private struct Place {
    var user: Int32
    var record: Int32
    var ts: Int64
    var kind: UInt8
  }

  /// Parts records into those whose ids are new and those whose ids may be known: the latter with the users that the
  /// known event may be stored under. The first of a new id in the batch counts as new.
  private func split(
    _ batch: EventBatch, _ resolved: ResolvedBatch, _ records: Range<Int>
  ) throws -> (added: [Place], known: [Int: Set<Int32>]) {
    struct Candidate {
      var key: EventKey
      var record: Int32
    }
    var candidates: [Candidate] = []
    candidates.reserveCapacity(records.count)
    for index in records {
      let record = batch.records[index]
      let key = EventKey(hash: record.identityHash, user: resolved.users[Int(record.user)])
      candidates.append(Candidate(key: key, record: Int32(index)))
    }
    candidates.sort { $0.key.hash != $1.key.hash ? $0.key.hash < $1.key.hash : $0.record < $1.record }
    var known: [Int: Set<Int32>] = [:]
    for (left, right) in zip(candidates, candidates.dropFirst()) where left.key.hash == right.key.hash {
      let earlier = known[Int(left.record)] ?? []
      known[Int(right.record)] = earlier.union([left.key.user])
    }
    try keys.forEachMatch(of: candidates.map(\.key)) { place, storedUser in
      known[Int(candidates[place].record), default: []].insert(storedUser)
    }
    let new = known.isEmpty ? candidates : candidates.filter { known[Int($0.record)] == nil }
    try keys.append(new.map(\.key))
    var places = new.map { candidate -> Place in
      let record = batch.records[Int(candidate.record)]
      return Place(user: candidate.key.user, record: candidate.record, ts: record.ts, kind: record.kind.rawValue)
    }
    // In order of the table's key, but for ids at one instant, so that rows are appended.
    places.sort {
      if $0.user != $1.user { return $0.user < $1.user }
      if $0.ts != $1.ts { return $0.ts < $1.ts }
      return $0.kind != $1.kind ? $0.kind < $1.kind : $0.record < $1.record
    }
    return (places, known)
  }

  private func add(
    _ places: [Place], of batch: EventBatch, _ resolved: ResolvedBatch, fileOf: (_ record: Int) -> Int64
  ) throws {
    insert.bind(1, try segments.add(events: places.count))
    try batch.text.withUnsafeBytes { text in
      var countedFile: Int64?
      var counted = 0
      for place in places {
        let record = batch.records[Int(place.record)]
        let file = fileOf(Int(place.record))
        let client = resolved.clients[Int(record.client)]
        let terms = resolved.terms[Int(record.terms)]
        insert.bind(2, place.user)
        insert.bind(3, record.ts)
        insert.bind(4, Int64(record.kind.rawValue))
        insert.bindCoded(5, text.slice(record.eventID))
        insert.bind(6, file)
        insert.bind(7, record.receivedAt.map { $0 - record.ts })
        insert.bind(8, client)
        insert.bind(9, resolved.contexts[Int(record.context)])
        insert.bind(10, terms)
        insert.bind(11, resolved.properties[Int(record.properties)])
        insert.bindCoded(12, text.slice(record.subscriptionID))
        insert.bindCoded(13, text.slice(record.transactionID))
        insert.bind(14, record.expiresAt)
        insert.bind(15, record.trialEndsAt)
        insert.bind(16, record.graceEndsAt)
        let previous = record.previousUser.map { resolved.users[Int($0)] }
        insert.bind(17, previous.map(Int64.init))
        try insert.run()
        if file != countedFile {
          if let countedFile { counts[countedFile, default: LineCounts()].events += counted }
          countedFile = file
          counted = 0
        }
        counted += 1
        upkeep.touch(place.user)
        let isSandbox = dictionaries.forFold.clientIsSandbox[Int(client)]
        days.add(
          app: dictionaries.forFold.clientApp[Int(client)], ts: record.ts, receivedAt: record.receivedAt,
          isSandbox: isSandbox)
        if let previous, !isSandbox, !dictionaries.forFold.terms[Int(terms)].isFamilyShared {
          upkeep.join(place.user, with: previous)
        }
      }
      if let countedFile { counts[countedFile, default: LineCounts()].events += counted }
    }
  }

  /// Adds a record whose id may be known: the same event again, one in conflict with it, or, where only the hashes are
  /// equal, a new one.
  private func addAgain(
    _ batch: EventBatch, _ index: Int, _ resolved: ResolvedBatch, users: [Int32], file: Int64
  ) throws {
    let record = batch.records[index]
    let user = resolved.users[Int(record.user)]
    let row = EventLookUp.Row(batch, record, resolved)
    if let stored = try lookUp.find(row, user: user) {
      guard stored.hasContent(of: row) else {
        return try settle(batch, index, resolved, users: users, file: file)
      }
      counts[file, default: LineCounts()].duplicates += 1
      if Reception.precedes(row.receivedAfter, stored.receivedAfter) {
        try lookUp.setReception(row, user: user, segment: stored.segment)
        days.invalidate()
      }
      return
    }
    try settle(batch, index, resolved, users: users, file: file)
  }

  /// Settles which content of an event id stays.
  private func settle(
    _ batch: EventBatch, _ index: Int, _ resolved: ResolvedBatch, users: [Int32], file: Int64
  ) throws {
    let record = batch.records[index]
    let app = resolved.names[Int(batch.users[Int(record.user)].app)]
    let outcome = try conflicts.settle(batch, record: record, app: app, users: users, file: file)
    switch outcome.line {
    case .newEvent: break
    case .newContent: counts[file, default: LineCounts()].conflicts += 1
    case .duplicate: counts[file, default: LineCounts()].duplicates += 1
    }
    for user in outcome.removedFrom { upkeep.touch(user) }
    if outcome.removedIdentify { upkeep.unjoin() }
    if outcome.changesStore { days.invalidate() }
    guard let stored = outcome.toStore else { return }
    let again = try dictionaries.resolve(stored.batch, users: self.users)
    let single = stored.batch.records[0]
    let user = again.users[Int(single.user)]
    try keys.append([EventKey(hash: single.identityHash, user: user)])
    // Where a content gives way to another, the event has been counted.
    let before = counts[stored.file]
    try add(
      [Place(user: user, record: 0, ts: single.ts, kind: single.kind.rawValue)], of: stored.batch, again
    ) { _ in stored.file }
    if outcome.line != .newEvent { counts[stored.file] = before }
  }

  /// Brings identities, facts and days up to date: the end of a commit.
  func finish() throws {
    try days.update()
    try upkeep.update(dictionaries: dictionaries.forFold, nextUser: users.nextID)
    try segments.mergeSmall()
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
