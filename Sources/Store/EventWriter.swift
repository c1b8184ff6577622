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
  private let keys: KeyRuns
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
      db, "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    lookUp = try EventLookUp(db, segments: segments)
    keys = try KeyRuns(db, table: "event_key")
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
    _ prepared: PreparedBatch, resolved: ResolvedBatch, records: Range<Int>, fileOf: (_ record: Int) -> Int64
  ) throws {
    if records.isEmpty { return }
    let (added, known) = try split(prepared, resolved, records)
    if !added.isEmpty { try add(added, of: prepared, resolved, rowIDs: try rowIDs(of: added), fileOf: fileOf) }
    for (record, users) in known.sorted(by: { $0.key < $1.key }) {
      try addAgain(prepared.batch, record, resolved, users: users.sorted(), file: fileOf(record))
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
    _ prepared: PreparedBatch, _ resolved: ResolvedBatch, _ records: Range<Int>
  ) throws -> (added: [Place], known: [Int: Set<Int32>]) {
    try prepared.batch.records.withUnsafeBufferPointer { all in
      var order = prepared.byHash
      if records.count < all.count { order.removeAll { !records.contains(Int($0)) } }
      let sorted = order.map { place in
        HashKey(hash: all[Int(place)].identityHash, user: resolved.users[Int(all[Int(place)].user)])
      }
      var known: [Int: Set<Int32>] = [:]
      for place in 1..<max(1, sorted.count) where sorted[place].hash == sorted[place - 1].hash {
        let earlier = known[Int(order[place - 1])] ?? []
        known[Int(order[place])] = earlier.union([sorted[place - 1].user])
      }
      try keys.forEachMatch(of: sorted) { place, storedUser in
        known[Int(order[place]), default: []].insert(storedUser)
      }
      if known.isEmpty {
        try keys.append(sorted)
      } else {
        let isNew = order.map { known[Int($0)] == nil }
        try keys.append(zip(sorted, isNew).filter(\.1).map(\.0))
      }
      var places: [Place] = []
      places.reserveCapacity(order.count)
      for record in records where known.isEmpty || known[record] == nil {
        places.append(
          Place(
            user: resolved.users[Int(all[record].user)], record: Int32(record), ts: all[record].ts,
            kind: all[record].kind.rawValue))
      }
      sort(&places)
      return (places, known)
    }
  }

  private func sort(_ places: inout [Place]) {
    // In order of the table's key, but for ids at one instant, so that rows are appended.
    places.sort {
      if $0.user != $1.user { return $0.user < $1.user }
      if $0.ts != $1.ts { return $0.ts < $1.ts }
      return $0.kind != $1.kind ? $0.kind < $1.kind : $0.record < $1.record
    }
  }

  private func add(
    _ places: [Place], of prepared: PreparedBatch, _ resolved: ResolvedBatch, rowIDs: [Int64],
    fileOf: (_ record: Int) -> Int64
  ) throws {
    try prepared.batch.records.withUnsafeBufferPointer { records in
      try prepared.batch.text.withUnsafeBytes { text in
        try add(places, records, text, prepared.ids, resolved, rowIDs: rowIDs, fileOf: fileOf)
      }
    }
  }

  /// The keys of places as a run of their own; ascending.
  private func rowIDs(of places: [Place]) throws -> [Int64] {
    var rowIDs: [Int64] = []
    rowIDs.reserveCapacity(places.count)
    var segment = try segments.add(events: places.count)
    var lastUser: Int32?
    for place in places {
      if place.user != lastUser {
        rowIDs.append(EventRowID.first(segment: segment, user: place.user))
        lastUser = place.user
      } else {
        var id = (rowIDs.last ?? 0) + 1
        if id & (EventRowID.places - 1) == 0 {
          // More events of one user than a run has places for: the rest goes to another.
          segment = try segments.add(events: 0)
          id = EventRowID.first(segment: segment, user: place.user)
        }
        rowIDs.append(id)
      }
    }
    return rowIDs
  }

  private func add(
    _ places: [Place], _ records: UnsafeBufferPointer<EventRecord>, _ text: UnsafeRawBufferPointer,
    _ ids: [PreparedBatch.IDCode], _ resolved: ResolvedBatch, rowIDs: [Int64], fileOf: (_ record: Int) -> Int64
  ) throws {
    let isSandboxClient = dictionaries.forFold.clientIsSandbox
    let clientApp = dictionaries.forFold.clientApp
    var countedFile: Int64?
    var counted = 0
    for (place, id) in zip(places, rowIDs) {
      let record = records[Int(place.record)]
      let file = fileOf(Int(place.record))
      let client = resolved.clients[Int(record.client)]
      let terms = resolved.terms[Int(record.terms)]
      insert.bind(1, id)
      insert.bind(2, record.ts)
      insert.bind(3, Int64(record.kind.rawValue))
      insert.bind(4, ids[Int(place.record)], text: text.slice(record.eventID))
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
      try insert.run()
      if file != countedFile {
        if let countedFile { counts[countedFile, default: LineCounts()].events += counted }
        countedFile = file
        counted = 0
      }
      counted += 1
      upkeep.touch(place.user)
      let isSandbox = isSandboxClient[Int(client)]
      days.add(
        app: clientApp[Int(client)], ts: record.ts, receivedAt: record.receivedAt,
        isSandbox: isSandbox)
      if let previous, !isSandbox, !dictionaries.forFold.terms[Int(terms)].isFamilyShared {
        upkeep.join(place.user, with: previous)
      }
    }
    if let countedFile { counts[countedFile, default: LineCounts()].events += counted }
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
        try lookUp.setReception(row.receivedAfter, of: stored.id)
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
    try keys.append([HashKey(hash: single.identityHash, user: user)])
    // Where a content gives way to another, the event has been counted.
    let before = counts[stored.file]
    let place = Place(user: user, record: 0, ts: single.ts, kind: single.kind.rawValue)
    let rowID = try lookUp.freeRowID(ofUser: user)
    try add([place], of: PreparedBatch(stored.batch), again, rowIDs: [rowID]) { _ in stored.file }
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
