internal import GRDB
internal import Ingest
internal import Lifecycle

/// Keeps the facts equal to a rebuild from all events by folding only the persons that a commit touches.
final class FactUpkeep {
  /// The facts and merged blocks that one thread hands to the other to store.
  private struct Portion: Sendable {
    var blocks: [EventBlock] = []
    var facts = FactRows(putsIntoCells: true)
  }

  /// Folds portions of persons into portions of facts.
  private struct PortionFold {
    private let cellKeys: CellKeyNumbers
    private var fold: RowFold
    private var portion = Portion()
    /// The person that has been added and is folded once the next one comes, or nobody does: what was read of a person
    /// with very many events is freed before.
    private var whole: Int32?

    init(_ dictionaries: EventDictionaries, _ cellKeys: CellKeyNumbers) {
      self.cellKeys = cellKeys
      fold = RowFold(options: .stored, dictionaries: dictionaries)
    }

    mutating func add(_ read: PersonPortion, _ emit: (Portion) throws -> Void) throws {
      portion.blocks += read.blocks
      var first = 0
      for (person, end, isLast) in read.persons {
        try foldWhole(emit)
        fold.add(read.rows, first..<end)
        first = end
        if isLast { whole = person }
      }
      if portion.facts.personCount < FactRows.portion && portion.blocks.count < portionBlocks { return }
      try emitPortion(emit)
    }

    mutating func flush(_ emit: (Portion) throws -> Void) throws {
      try foldWhole(emit)
      try emitPortion(emit)
    }

    private mutating func emitPortion(_ emit: (Portion) throws -> Void) throws {
      try emit(portion)
      portion = Portion()
    }

    private mutating func foldWhole(_ emit: (Portion) throws -> Void) throws {
      guard let person = whole else { return }
      whole = nil
      func emitRows(_ rows: inout FactRows) throws { try emit(Portion(facts: rows.take())) }
      let app = try fold.app()
      try fold.foldInParts { facts, id in
        try portion.facts.append(person, app: app, facts, cellKeys, isLast: false, id: id, full: emitRows)
      }
      try fold.withFacts { facts, ids in
        if facts.isEmpty { return }
        try portion.facts.append(person, app: app, facts, cellKeys, id: ids.subscription, full: emitRows)
      }
    }
  }

  /// The number of merged blocks that are handed on together.
  private static let portionBlocks = 16

  private let db: Database
  private let runs: SortedRuns
  private let spillFile: SpillFile
  private let storePath: String
  private let writer: FactWriter
  private let cellKeys: CellKeyNumbers
  private let cells: CellUpkeep
  private let money: MoneyUpkeep
  private let setPerson: SQLiteStatement

  private var graph: IdentityGraph
  @exclusivity(unchecked) private var touched = UserSet()
  private var joins: [(user: Int32, previous: Int32)] = []
  private var mustRebuildGraph = false
  /// The first user that is new in this commit; new users have no facts yet.
  private var firstNewUser: Int32

  init(_ db: Database, runs: SortedRuns, spillFile: SpillFile, storePath: String, nextUser: Int32) throws {
    self.db = db
    self.runs = runs
    self.spillFile = spillFile
    self.storePath = storePath
    writer = try FactWriter(db, schema: "main")
    cellKeys = try CellKeyNumbers(db, schema: "main")
    cells = try CellUpkeep(db, cellKeys: cellKeys)
    money = try MoneyUpkeep(db, schema: "main")
    setPerson = try SQLiteStatement(db, "UPDATE user SET person = ?2 WHERE id = ?1 AND person <> ?2")
    graph = try IdentityGraph(stored: db)
    firstNewUser = nextUser
  }

  /// Records that a user's events have changed.
  @inline(__always)
  func touch(_ user: Int32) { touched.insert(user) }

  /// Records a new `identify` event that counts.
  func join(_ user: Int32, with previous: Int32) { joins.append((user, previous)) }

  /// Records that an `identify` event was removed.
  func unjoin() { mustRebuildGraph = true }

  /// Brings identities and facts up to date and merges the spill file's runs into one run of the store, inside the
  /// commit's transaction.
  ///
  /// - Parameter hasChangedStore: Whether the transaction has changed blocks of the store; only this connection sees
  ///   the changes.
  func update(dictionaries: EventDictionaries, nextUser: Int32, hasChangedStore: Bool) throws {
    var stale = UserSet()
    for user in touched { stale.insert(graph.person(of: user)) }
    if mustRebuildGraph {
      try rebuildGraph(&stale)
    } else {
      var joined = UserSet()
      for join in joins {
        guard let (absorbed, root) = graph.join(join.user, join.previous) else { continue }
        stale.insert(absorbed)
        stale.insert(root)
        joined.insert(root)
      }
      graph.sort()
      // Once each, however many joins have led there.
      for person in joined where graph.person(of: person) == person {
        for user in graph.users(of: person) { try store(person: person, of: user) }
      }
    }
    let known = stale.prefix { $0 < firstNewUser }
    try cells.remove(persons: known)
    money.remove(persons: known)
    try writer.delete(persons: known)
    let run = try runs.begin()
    let isLarge = stale.count > FactRows.portion
    let stored = try SortedRuns.cursors(db)
    if isLarge && !hasChangedStore {
      try foldAside(stale, dictionaries, hasStored: !stored.isEmpty, into: run)
    } else {
      var fold = PortionFold(dictionaries, cellKeys)
      func store(_ portion: Portion) throws { try self.store(portion, in: run) }
      try Self.read(stale, graph, old: stored, new: spillFile.cursors) { try fold.add($0, store) }
      try spillFile.removeAll()
      try fold.flush(store)
    }
    try runs.end(run)
    try cells.finish()
    try money.flush()
    touched.removeAll()
    joins.removeAll()
    mustRebuildGraph = false
    firstNewUser = nextUser
  }

  private func rebuildGraph(_ stale: inout UserSet) throws {
    let old = graph
    graph = try IdentityGraph(db) { _ in .max }
    for user in Set(old.joined.keys).union(graph.joined.keys) where old.person(of: user) != graph.person(of: user) {
      stale.insert(old.person(of: user))
      stale.insert(graph.person(of: user))
      try store(person: graph.person(of: user), of: user)
    }
  }

  private func store(person: Int32, of user: Int32) throws {
    try setPerson.run(binding: user, person)
  }

  /// Reads and folds on two threads of their own. The first reads the store as of the last commit through its own
  /// connection.
  ///
  /// - Parameter hasStored: Whether the store has events to read; a new store may not be at its path yet.
  private func foldAside(
    _ persons: UserSet, _ dictionaries: EventDictionaries, hasStored: Bool, into run: RunWriter
  ) throws {
    let (graph, storePath, cellKeys) = (graph, storePath, cellKeys)
    // Nothing writes to the spill file while the thread reads it.
    nonisolated(unsafe) let spillFile = spillFile
    let read = BatchQueue<PersonPortion>.filled(capacity: 4, thread: "read") { put in
      func read(old: [any BlockCursor]) throws {
        try Self.read(persons, graph, old: old, new: spillFile.cursors, put)
        try spillFile.removeAll()
      }
      if !hasStored { return try read(old: []) }
      var configuration = Configuration()
      configuration.readonly = true
      configuration.busyMode = .timeout(30)
      try DatabaseQueue(path: storePath, configuration: configuration).unsafeRead { db in
        try db.inTransaction(.deferred) {
          try read(old: SortedRuns.cursors(db))
          return .commit
        }
      }
    }
    defer { read.cancel() }
    let folded = BatchQueue<Portion>.filled(capacity: 4, thread: "fold") { put in
      var fold = PortionFold(dictionaries, cellKeys)
      while let portion = try read.take() { try fold.add(portion, put) }
      try fold.flush(put)
    }
    defer { folded.cancel() }
    while let portion = try folded.take() { try store(portion, in: run) }
  }

  private func store(_ portion: Portion, in run: RunWriter) throws {
    for block in portion.blocks { try run.write(block) }
    var facts = portion.facts
    try cells.writer.add(facts.cells, isPart: facts.personCount == 0 && facts.cells.count > 0)
    try money.add(facts.money)
    try writer.insert(&facts)
  }

  /// Reads the events of persons, and merges those of the new runs.
  private static func read(
    _ persons: UserSet, _ graph: IdentityGraph, old: [any BlockCursor], new: [any BlockCursor],
    _ put: (PersonPortion) throws -> Void
  ) throws {
    var reading = PersonPortion()
    var filler = BlockFiller()
    func putFull() throws {
      try put(reading)
      reading = PersonPortion()
    }
    try PersonScan(graph: graph, old: old, new: new).forEach(
      persons, inParts: true,
      newEvents: { rows in
        filler.append(rows) { reading.blocks.append($0) }
        if reading.blocks.count >= portionBlocks { try putFull() }
      },
      { person, rows, isLast in
        reading.append(person, rows, isLast: isLast)
        if reading.isFull { try putFull() }
      })
    if let rest = filler.flush() { reading.blocks.append(rest) }
    try put(reading)
  }
}
