internal import CMalloc
internal import EventModel
internal import GRDB
internal import Ingest
internal import Lifecycle

/// The counts of a file's lines by result.
struct LineCounts: Equatable {
  var events = 0
  var duplicates = 0
  var conflicts = 0
  /// Those of ``events`` that a mapping's `joins` gave.
  var joins = 0
}

/// Writes batches of events, each event once.
///
/// New events go to the ``SpillFile`` as one sorted run per batch. At the end of a commit, its runs become one run of
/// the store, in the same pass that folds the persons that they touch.
final class EventWriter {
  private let db: Database
  let spillFile: SpillFile
  private let runs: SortedRuns
  private let finder: EventFinder
  private let keys: EventIDIndex
  private let duplicates: DuplicateResolver
  private let conflicts: ConflictResolver
  let users: UserDirectory
  let dictionaries: DictionaryWriter
  let upkeep: FactUpkeep
  let days: EventDays
  private let joins: JoinTable
  private let impressions: ImpressionCells
  private let firstPayments: FirstPayments
  let storePath: String

  /// The number of records passed over because their ids are stored; `nil` unless a file is read again.
  var passedOver: Int?
  /// The counts by file number.
  private(set) var counts: [Int64: LineCounts] = [:]
  /// The numbers of new events by kind.
  private(set) var kinds = [Int](repeating: 0, count: EventKind.allCases.count)

  /// - Parameters:
  ///   - storePath: The path of the store; its folder must have space for a commit's events.
  ///   - hasFacts: Whether users of the store may already have facts.
  init(_ db: Database, storePath: String, hasFacts: Bool = true) throws {
    self.db = db
    self.storePath = storePath
    spillFile = SpillFile(storePath: storePath)
    runs = try SortedRuns(db)
    finder = EventFinder(db, runs: runs, spillFile: spillFile)
    keys = try EventIDIndex(db, table: "event_key", roomyFilterBytes: 8 << 20)
    users = try UserDirectory(db)
    dictionaries = try DictionaryWriter(db)
    upkeep = try FactUpkeep(
      db, runs: runs, spillFile: spillFile, storePath: storePath, nextUser: hasFacts ? users.nextID : 1)
    days = try EventDays(db)
    joins = try JoinTable(db)
    duplicates = DuplicateResolver(finder: finder)
    conflicts = try ConflictResolver(db, finder: finder)
    impressions = try ImpressionCells(db)
    firstPayments = try FirstPayments(db)
  }

  /// Adds records of a batch as a run of their own.
  ///
  /// - Parameter files: The number of the file of each record in the batch.
  func add(_ prepared: PreparedBatch, records: Range<Int>, files: [Int64]) throws {
    if records.isEmpty { return }
    let resolved = try dictionaries.resolve(prepared.batch, users: users)
    let known = try split(prepared, resolved, records)
    try note(prepared.batch, resolved, records, known: known, files: files)
    try store(prepared, resolved, records, known: known, files: files)
    passedOver? += known.count
    if known.isEmpty || passedOver != nil { return }
    let arrivals = try duplicates.countRepeated(prepared, resolved, known: known) { record, isEarlier in
      if !Self.isJoin(prepared.batch, record) { counts[files[record], default: LineCounts()].duplicates += 1 }
      if isEarlier { days.invalidate() }
    }
    var groups: [EventIdentity: [(place: Int, file: Int64)]] = [:]
    for place in arrivals {
      let record = prepared.batch.records[place]
      let app = resolved.names[Int(prepared.batch.users[Int(record.user)].app)]
      let id = EventIdentity(app: app, id: Array(prepared.batch.string(record.eventID).utf8))
      groups[id, default: []].append((place, files[place]))
    }
    // In order of their first lines, whatever the hashes.
    for (id, lines) in groups.sorted(by: { $0.value[0].place < $1.value[0].place }) {
      try settle(prepared.batch, lines, of: id, users: (known[lines[0].place] ?? []).sorted())
    }
  }

  func add(_ batch: EventBatch, file: Int64) throws {
    let files = [Int64](repeating: file, count: batch.records.count)
    try add(PreparedBatch(batch), records: batch.records.indices, files: files)
  }

  /// Returns the records whose ids may be known, with the users that the known event may be stored under. The first
  /// record of an id that is new in the batch counts as new.
  private func split(
    _ prepared: PreparedBatch, _ resolved: ResolvedBatch, _ records: Range<Int>
  ) throws -> [Int: Set<Int32>] {
    try prepared.batch.records.withUnsafeBufferPointer { all in
      var order = prepared.byHash
      if records.count < all.count { order.removeAll { !records.contains(Int($0)) } }
      let sorted = order.map { place in
        HashKey(hash: all[Int(place)].identityHash, user: resolved.users[Int(all[Int(place)].user)])
      }
      // Of equal hashes the first asks for all, and they share one set: a client may give thousands one id.
      let firsts = sorted.indices.filter { $0 == 0 || sorted[$0].hash != sorted[$0 - 1].hash }
      var storedUsers: [Int: Set<Int32>] = [:]
      try keys.forEachMatch(of: firsts.map { sorted[$0] }) { number, storedUser in
        storedUsers[number, default: []].insert(storedUser)
      }
      var known: [Int: Set<Int32>] = [:]
      for (number, first) in firsts.enumerated() {
        let places = first..<(number + 1 < firsts.count ? firsts[number + 1] : sorted.count)
        let stored = storedUsers[number]
        if places.count == 1 && stored == nil { continue }
        var users = stored ?? []
        if places.count > 1 { for place in places { users.insert(sorted[place].user) } }
        for place in stored == nil ? places.dropFirst() : places { known[Int(order[place])] = users }
      }
      if known.isEmpty {
        try keys.append(sorted)
      } else {
        let isNew = order.map { known[Int($0)] == nil }
        try keys.append(zip(sorted, isNew).filter(\.1).map(\.0))
      }
      return known
    }
  }

  /// Counts new records in the order of the files, so that records of one day and file come together.
  private func note(
    _ batch: EventBatch, _ resolved: ResolvedBatch, _ records: Range<Int>, known: [Int: Set<Int32>],
    files: [Int64]
  ) throws {
    let hasKnown = !known.isEmpty
    var file: Int64?
    var counted = 0
    try batch.records.withUnsafeBufferPointer { all in
      for place in records {
        if hasKnown && known[place] != nil { continue }
        let record = all[place]
        let client = Int(resolved.clients[Int(record.client)])
        let app = dictionaries.forFold.clientApp[client]
        let isSandbox = dictionaries.forFold.clientIsSandbox[client]
        let of = files[place]
        try days.add(
          app: app, ts: record.ts, receivedAt: record.receivedAt, isSandbox: isSandbox, kind: record.kind, file: of)
        if of != file {
          if let file { counts[file, default: LineCounts()].events += counted }
          file = of
          counted = 0
        }
        counted += 1
        kinds[Int(record.kind.rawValue)] += 1
        if record.kind == .identify, Self.isJoin(batch, place) { counts[of, default: LineCounts()].joins += 1 }
      }
    }
    if let file { counts[file, default: LineCounts()].events += counted }
  }

  /// Returns whether a record is an `identify` that a mapping's `joins` gave.
  private static func isJoin(_ batch: EventBatch, _ record: Int) -> Bool {
    guard batch.records[record].kind == .identify else { return false }
    let id = batch.records[record].eventID
    return batch.text[Int(id.offset)..<Int(id.offset + id.length)].starts(with: SourceSettings.joinPrefix.utf8)
  }

  /// Writes new records to a run of the spill file.
  private func store(
    _ prepared: PreparedBatch, _ resolved: ResolvedBatch, _ records: Range<Int>, known: [Int: Set<Int32>],
    files: [Int64]
  ) throws {
    let batch = prepared.batch
    let areAll = records.count == batch.records.count && known.isEmpty
    let users = HashOrder.places(of: resolved.users)
    var filler = BlockFiller()
    spillFile.beginRun()
    try batch.records.withUnsafeBufferPointer { all in
      try batch.text.withUnsafeBytes { text in
        for user in users.lazy.map({ Int($0) }) {
          var isTouched = false
          for index in prepared.userStarts[user]..<prepared.userStarts[user + 1] {
            let place = Int(prepared.byUser[Int(index)])
            if !areAll && (!records.contains(place) || known[place] != nil) { continue }
            let row = EventRow(all[place], id: prepared.ids[place], resolved, text: text, file: files[place])
            if let full = filler.append(row, text: text) { try spillFile.add(full) }
            isTouched = true
            note(row)
            if isJoin(row) { try join(row) }
          }
          if isTouched { upkeep.touch(resolved.users[user]) }
        }
      }
    }
    if let rest = filler.flush() { try spillFile.add(rest) }
  }

  /// Decides which content of an event id stays.
  private func settle(
    _ batch: EventBatch, _ lines: [(place: Int, file: Int64)], of id: EventIdentity, users: [Int32]
  ) throws {
    var left = lines[...]
    while !left.isEmpty {
      let outcome = try conflicts.settle(batch, records: left, of: id, users: users)
      for (line, (_, file)) in zip(outcome.lines, left) {
        switch line {
        case .newEvent: break
        case .newContent: counts[file, default: LineCounts()].conflicts += 1
        case .duplicate: counts[file, default: LineCounts()].duplicates += 1
        }
      }
      left = left.dropFirst(outcome.lines.count)
      if let removed = outcome.removed { try noteRemoval(of: removed) }
      if let content = outcome.toStore { try store(content, isNew: outcome.lines == [.newEvent]) }
    }
  }

  /// Stores the content that stays, as an event of no run yet.
  ///
  /// - Parameter isNew: Whether its id is new; where a content gives way to another, the event has been counted.
  private func store(_ content: ReceivedContent, isNew: Bool) throws {
    let batch = try ReceivedContent.batch(of: CollectionOfOne(content))
    let resolved = try dictionaries.resolve(batch, users: self.users)
    let single = batch.records[0]
    let user = resolved.users[Int(single.user)]
    try keys.append([HashKey(hash: single.identityHash, user: user)])
    if isNew {
      try note(batch, resolved, 0..<1, known: [:], files: [content.file])
    } else {
      days.invalidate()
    }
    upkeep.touch(user)
    try batch.text.withUnsafeBytes { text in
      let id = RowID(single.eventID, in: text)
      let row = EventRow(single, id: id, resolved, text: text, file: content.file)
      finder.add(row, text: text)
      note(row)
      if isJoin(row) { try join(row) }
    }
  }

  /// Records that an event has been removed from the store.
  private func noteRemoval(of row: EventRow) throws {
    upkeep.touch(row.user)
    days.invalidate()
    note(row, isAdded: false)
    if isJoin(row) {
      try joins.remove(row)
      upkeep.unjoin()
    }
  }

  /// Removes events from the store and from the counts of their files; ``finish()`` then brings everything else up to
  /// date.
  func removeStored(
    where isGone: (EventRows, _ place: Int) -> Bool, _ removed: (EventRows, _ place: Int) -> Void = { _, _ in }
  ) throws {
    finder.noteChangedStore()
    var ofFiles: [Int32: Int] = [:]
    try runs.remove(where: isGone) { rows, place in
      ofFiles[rows.rows[place].file, default: 0] += 1
      try noteRemoval(of: rows.rows[place])
      removed(rows, place)
    }
    for (file, count) in ofFiles {
      try db.execute(sql: "UPDATE file SET events = events - ? WHERE id = ?", arguments: [count, file])
    }
  }

  /// Rebuilds everything that is derived from events; the store must have no facts, cells, joins or days.
  func rebuild() throws {
    let dictionaries = dictionaries.forFold
    firstPayments.removeAll()
    try SortedRuns.forEachRow(db) { row, _ in
      upkeep.touch(row.user)
      note(row)
      if isJoin(row) { try joins.add(row, app: dictionaries.clientApp[Int(row.client)]) }
    }
    upkeep.unjoin()
    days.invalidate()
    try finish()
  }

  /// Records that an impression or a payment was added or removed.
  @inline(__always)
  func note(_ row: EventRow, isAdded: Bool = true) {
    guard row.kind == .paywallImpression || FirstPayments.kinds.contains(row.kind), isCounted(row) else { return }
    let app = dictionaries.forFold.clientApp[Int(row.client)]
    if row.kind == .paywallImpression {
      impressions.change(app: app, ts: row.ts, context: row.context, terms: row.terms, isAdded: isAdded)
    } else if dictionaries.forFold.terms[Int(row.terms)].isPaid(by: row.kind) {
      firstPayments.note(app: app, ts: row.ts, isAdded: isAdded)
    }
  }

  /// Returns whether an event joins users; sandbox and family-shared events do not.
  @inline(__always)
  func isJoin(_ row: EventRow) -> Bool { row.previousUser != 0 && isCounted(row) }

  /// Returns whether an event counts (definitions 1.5); reads single fields, so that no dictionaries are copied.
  @inline(__always)
  private func isCounted(_ row: EventRow) -> Bool {
    EventDictionaries.counts(
      isSandbox: dictionaries.forFold.clientIsSandbox[Int(row.client)],
      isFamilyShared: dictionaries.forFold.terms[Int(row.terms)].isFamilyShared)
  }

  func join(_ row: EventRow) throws {
    try joins.add(row, app: dictionaries.forFold.clientApp[Int(row.client)])
    upkeep.join(row.user, with: row.previousUser)
  }

  /// Ends a commit: writes its events to the store and brings identities, facts and days up to date.
  func finish(isLast: Bool = false) throws {
    keys.removeFilter()
    if isLast {
      users.removeIndex()
      dictionaries.removeIndex()
    }
    // Returns the memory of the batches to the system; otherwise the allocator would hold it while persons are folded.
    _ = malloc_trim(0)
    let loose = finder.takeLoose()
    if !loose.rows.isEmpty {
      var filler = BlockFiller()
      spillFile.beginRun()
      try filler.append(loose, full: spillFile.add)
      if let rest = filler.flush() { try spillFile.add(rest) }
    }
    try days.update(runs: finder.cursors, dictionaries: dictionaries.forFold)
    try impressions.update()
    dictionaries.completeForFold(
      firstPayments: try firstPayments.update(runs: finder.cursors, dictionaries: dictionaries.forFold) {
        upkeep.touch($0)
      })
    try upkeep.update(
      dictionaries: dictionaries.forFold, nextUser: users.nextID, hasChangedStore: finder.hasChangedStore)
    finder.endCommit()
    try runs.mergeSmall()
  }

  /// Clears the counts of the completed commit.
  func clearCounts() {
    counts.removeAll()
    for kind in kinds.indices { kinds[kind] = 0 }
  }
}

extension EventRow {
  /// Creates the store's form of a record.
  @inline(__always)
  init(
    _ record: EventRecord, id: RowID, _ resolved: ResolvedBatch, text: UnsafeRawBufferPointer, file: Int64
  ) {
    ts = record.ts
    kind = record.kind
    eventID = id
    user = resolved.users[Int(record.user)]
    self.file = Int32(truncatingIfNeeded: file)
    client = resolved.clients[Int(record.client)]
    context = resolved.contexts[Int(record.context)]
    terms = resolved.terms[Int(record.terms)]
    properties = resolved.properties[Int(record.properties)]
    if let receivedAt = record.receivedAt { receivedAfter = receivedAt - record.ts }
    if let end = record.expiresAt { expiresAt = end }
    if let end = record.trialEndsAt { trialEndsAt = end }
    if let end = record.graceEndsAt { graceEndsAt = end }
    if let start = record.subscriptionStartedAt { startedAt = start }
    if let previous = record.previousUser { previousUser = resolved.users[Int(previous)] }
    subscriptionID = RowID(record.subscriptionID, in: text)
    transactionID = RowID(record.transactionID, in: text)
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  func slice(_ slice: TextSlice) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      rebasing: self[Int(slice.offset)..<Int(slice.offset) + Int(slice.length)])
  }
}
