internal import EventModel
internal import GRDB
public import Lifecycle

/// A connection to the facts of a store at an instant, under given fold options.
///
/// If those options lead to other facts than the stored ones, the persons concerned are folded again in memory with the
/// same code; the store does not change.
public final class FactSource {
  let db: Database
  /// The names that were asked for, by number. They are read on demand because a store may have as many as it has
  /// property values.
  private var names: [Int: String] = [:]
  private var readName: SQLiteStatement?
  /// The number of a name in the data whose text is `(none)`, like that of the absent name.
  public private(set) lazy var literalNone: Int? = number("text = '(none)' AND id <> 0")

  /// Returns a name by its number; 0 is `(none)`.
  public func name(_ number: Int) -> String {
    if let name = names[number] { return name }
    readName = readName ?? (try? SQLiteStatement(db, "SELECT text FROM main.name WHERE id = ?"))
    let name = try? readName?.first(binding: Int64(number)) { $0.string(0) }
    names[number] = name ?? "(none)"
    return name ?? "(none)"
  }

  /// Returns the number of a name; `nil` if the store does not have it.
  public func number(ofName name: String) -> Int? {
    // SQLite compares bytes; Swift considers texts that read the same, such as é composed and decomposed, to be equal.
    number("text = ?", [name])
  }

  /// Returns the least number of the names that a condition selects, if names have such numbers.
  private func number(_ condition: String, _ arguments: StatementArguments = []) -> Int? {
    let id = try? Int.fetchOne(db, sql: "SELECT MIN(id) FROM name WHERE \(condition)", arguments: arguments)
    return id.flatMap { (0...Int(NameID.max)).contains($0) ? $0 : nil }
  }

  /// The as-of of each requested app, in ms.
  public let asOf: [NameID: Int64]
  /// The events that exist although they are later.
  let later: LaterEvents?
  /// Whether any person is folded again.
  public let isRecomputed: Bool
  /// Whether the stored facts were folded elsewhere with this source's options, which are not the default ones; such
  /// facts have no cells.
  private let areOfOtherRules: Bool
  /// Whether the apps have events at or after their as-ofs.
  private let isPast: Bool
  let recompute: Recompute
  let options: FoldOptions
  /// The persons whose facts and events are read; `nil` for all.
  let kept: UserSet?
  private var plan: RecomputePlan?
  private var readPlan: RecomputePlan?
  /// Whether the temporary tables of recomputed facts have been filled.
  private var isFolded = false
  private var readCells: CellSource??
  private var readDictionaries: EventDictionaries?
  private var readEntries: StoredEntries.Greatest?
  var readMoney: (persons: UserSet?, money: RecomputedMoney)?
  private var readIdentities: IdentityGraph?
  private var readCellKeys: CellKeyNumbers?
  /// With the cell keys of `readCellKeys`.
  private var readUnits: RecomputedUnits?
  /// The groups that were made last of all units: `why` asks for them a few times.
  private var lastGroups: (families: Set<CellFamily>, split: UnitSplit, groups: UnitGroups)?
  /// A source of these apps and others, at the same instants: `why` asks for units of all apps first, then of each.
  weak var ofMoreApps: FactSource?
  /// The source of the other side of a comparison, whose units are read in the same pass as those of this one.
  public weak var otherSide: FactSource?
  /// The prices that were counted last.
  var lastShown: (split: UnitSplit, timeZone: String, prices: [ShownPrices])?
  var readFirstEvents: FirstEvents?
  var readVariantOrder: [NameID: [String]]?
  var readFailedCharges: UnstoredFacts<FailedChargeFact>?
  var readCancellations: UnstoredFacts<CancellationFact>?

  /// - Parameter persons: The persons whose facts and events are read; `nil` for all.
  init(
    _ db: Database, asOf: [NameID: Int64], later: LaterEvents? = nil, grace: Int64, attribution: Attribution,
    persons: UserSet? = nil
  ) throws {
    self.db = db
    self.later = later
    kept = persons
    self.asOf = asOf
    let changesRules = grace != FoldOptions.stored.grace || attribution != FoldOptions.stored.attribution
    let newest = try Row.fetchAll(
      db,
      sql: """
        SELECT app, MAX(MAX(COALESCE(newest_timely, 0), COALESCE(newest_unmarked, 0), COALESCE(newest_early, 0)))
        FROM app_day GROUP BY app
        """)
    isPast = try newest.contains { row in
      guard let asOf = try asOf[row.required(0)] else { return false }
      return try row.required(1) >= asOf
    }
    options = FoldOptions(asOf: .max, grace: grace, attribution: attribution)
    if let elsewhere = try FactsElsewhere.options(db), elsewhere.grace == grace, elsewhere.attribution == attribution,
      elsewhere.asOf == FoldOptions.stored.asOf ? !isPast : asOf.values.allSatisfy({ $0 == elsewhere.asOf })
    {
      areOfOtherRules = changesRules
      isRecomputed = false
    } else {
      areOfOtherRules = false
      isRecomputed = changesRules || isPast
    }
    recompute = Recompute(db, asOf: asOf, later: later, grace: grace, attribution: attribution)
    if let persons {
      try keep(
        personTable, columns: ["person INTEGER NOT NULL PRIMARY KEY"], rows: persons.users.lazy.map { [Int64($0)] })
    }
  }

  /// The temporary table of ``kept``; each source has its own.
  var personTable: String { "kept_person_\(UInt(bitPattern: ObjectIdentifier(self).hashValue))" }

  /// Whether a person's facts and events are read.
  @inline(__always)
  func reads(_ person: Int32) -> Bool { kept?.contains(person) ?? true }

  /// Returns the instants by app before which events of a kind exist.
  func ends(of kind: EventKind) -> [NameID: Int64] {
    if let later, later.has(UInt64(kind.rawValue)) { later.ends } else { asOf }
  }

  /// Returns the persons whose stored facts do not hold; computed on first use.
  func recomputePlan() throws -> RecomputePlan {
    try once(\.plan) {
      try RecomputePlan(
        db, asOf: asOf, later: later, isPast: isPast, grace: options.grace, attribution: options.attribution)
    }
  }

  /// Returns what was made before, or makes it.
  func once<Value>(
    _ kept: ReferenceWritableKeyPath<FactSource, Value?>, _ make: () throws -> Value
  ) rethrows -> Value {
    if let made = self[keyPath: kept] { return made }
    let made = try make()
    self[keyPath: kept] = made
    return made
  }

  /// Returns the persons whose stored facts do not hold, of which those in ``kept`` are folded.
  func keptPlan() throws -> RecomputePlan {
    guard let kept else { return try recomputePlan() }
    return try once(\.readPlan) { try recomputePlan().folding(kept) }
  }

  /// Returns the identity graph at the as-of, read once.
  func identities() throws -> IdentityGraph {
    try once(\.readIdentities) { try isRecomputed ? recomputePlan().graph : IdentityGraph(stored: db) }
  }

  /// Returns a function from a user, or from the person that it was at an earlier instant, to its person at the as-of.
  public func persons() throws -> (Int32) -> Int32 {
    let graph = try identities()
    return { graph.person(of: $0) }
  }

  /// Returns the persons with several ids at the as-of.
  public func joinedPersons() throws -> Set<Int32> { Set(try identities().joined.values) }

  /// Returns the dictionaries that events refer to, read once.
  func dictionaries() throws -> EventDictionaries {
    try once(\.readDictionaries) { try StoredDictionaries(db).forFold }
  }

  /// Returns the money of the recomputed persons, folded once; `nil` if there are none, or if a spell may be credited to
  /// several contexts.
  ///
  /// - Parameters:
  ///   - persons: Those whose money is needed; `nil` for all.
  ///   - withUnits: Whether units of all are asked for next, which the same fold can give.
  ///   - addSights: See ``RecomputedMoney``, as `sights`; where money is known, they are not called.
  @discardableResult
  func recomputedMoney(
    of persons: UserSet? = nil, withUnits: Bool = false, addingSights addSights: SightAdding? = nil,
    sights: ([VariantSight]) -> Void = { _ in }
  ) throws -> RecomputedMoney? {
    guard isRecomputed, options.attribution != .all else { return nil }
    let plan = try persons.map(keptPlan().folding) ?? keptPlan()
    if let readMoney, readMoney.persons.map({ plan.persons.allSatisfy($0.contains) }) ?? true { return readMoney.money }
    let keepsUnits = try withUnits && kept == nil && foldsAll && readUnits == nil && !ownsTables()
    let units = try keepsUnits ? RecomputedUnits(cellKeys: cellKeyNumbers()) : nil
    let folded = try RecomputedMoney(self, plan, units: units, addingSights: addSights, sights: sights)
    readMoney = (persons, folded)
    readUnits = folded.units ?? readUnits
    return folded
  }

  func foldAgain() throws {
    if try !isRecomputed || ownsTables() { return }
    isFolded = true
    try recompute.run(keptPlan(), dictionaries(), owner: owner)
  }

  /// The number of this source among those of its connection.
  private var owner: Int64 { Int64(UInt(bitPattern: ObjectIdentifier(self).hashValue) >> 1) }

  /// Whether the temporary tables have this source's recomputed facts.
  private func ownsTables() throws -> Bool { try isFolded && recompute.isOwner(owner) }

  /// Returns the cell keys by the numbers in the tables that are read, and in recomputed units.
  private func cellKeyNumbers() throws -> CellKeyNumbers {
    if try ownsTables() { return try CellKeyNumbers(db, schema: "temp") }
    return try once(\.readCellKeys) { try CellKeyNumbers(db, schema: "main") }
  }

  /// The maximum number of recomputed persons for which cells are corrected; with more, facts are read.
  private static let overlaidPersons = 20_000

  /// Returns the cells of these facts; `nil` if there are none, as for the facts of some persons.
  public func cells() throws -> CellSource? { kept == nil ? try cellsOfAll() : nil }

  /// Returns the lengths of trials by app, those of persons that are not read included.
  public func trialLengths() throws -> [NameID: [(length: Int64, count: Int)]] {
    if let cells = try cellsOfAll() { return try cells.trialLengths() }
    return try units([.trial], by: UnitSplit(), ofAll: true) { _ in false }.trialLengths()
  }

  private func cellsOfAll() throws -> CellSource? {
    try once(\.readCells) {
      if areOfOtherRules { return nil }
      if !isRecomputed { return try CellSource(db, asOf: asOf) }
      guard options.attribution != .all, try recomputePlan().stale.count <= Self.overlaidPersons else { return nil }
      let overlay = try CellUpkeep.overlay(db, recomputePlan(), recompute, dictionaries())
      return try CellSource(db, asOf: ends(of: .paywallImpression), overlay: overlay)
    }
  }

  /// Returns the cells from which to read when users first saw a variant, some of it at or after the as-of; neither grace
  /// nor attribution changes it. `nil` if there are none.
  func firstSightCells() throws -> CellSource? {
    isRecomputed && kept == nil ? try CellSource(db, asOf: asOf) : try cells()
  }

  /// Returns the units of these facts, with the requested dimensions; those of other apps may be among them.
  ///
  /// - Parameter isAsked: Returns whether units of a facet are wanted; the facet's person is 0. `nil` means all units.
  public func units(
    _ families: Set<CellFamily>, by split: UnitSplit, isAsked: ((UnitFacet) -> Bool)? = nil
  ) throws -> UnitGroups {
    if isAsked == nil, let known = knownGroups(families, by: split) { return known }
    lastGroups = nil
    let groups = try units(families, by: split, ofAll: false, isAsked: isAsked)
    if isAsked == nil { lastGroups = (families, split, groups) }
    return groups
  }

  private func knownGroups(_ families: Set<CellFamily>, by split: UnitSplit) -> UnitGroups? {
    if let lastGroups, lastGroups.families == families, lastGroups.split.covers(split) { return lastGroups.groups }
    return ofMoreApps?.knownGroups(families, by: split)
  }

  private func units(
    _ families: Set<CellFamily>, by split: UnitSplit, ofAll: Bool, isAsked: ((UnitFacet) -> Bool)?
  ) throws -> UnitGroups {
    let cellKeys = try cellKeyNumbers()
    var collector = UnitGroups.Collector(cellKeys, families, by: split, isAsked: isAsked)
    if families.isEmpty { return collector.groups() }
    var others = UnitGroups.Collector(cellKeys, families, by: split, isAsked: nil)
    let other = try ofAll || isAsked != nil ? nil : readableOtherSide()
    other?.readCellKeys = cellKeys
    try forEachPerson(
      FactReader.queries(of: families), withCredits: options.attribution == .all, cellKeys, ofAll: ofAll,
      and: other, { others.append($0, $1) }
    ) { person, units in collector.append(person, units) }
    other?.lastGroups = (families, split, others.groups())
    return collector.groups()
  }

  /// Returns the other side if its facts are of the same apps and options, and it has read none yet.
  private func readableOtherSide() throws -> FactSource? {
    guard let other = otherSide, other.options == options, other.asOf.keys == asOf.keys, other.kept == nil,
      other.readCellKeys == nil, try !ownsTables(), try !other.ownsTables()
    else { return nil }
    return other
  }

  /// Calls `body` with the trials, conversions and purchases of each person that has any, with all their credits: first
  /// the persons whose facts are stored, in order, then the recomputed ones, in order.
  ///
  /// - Parameters:
  ///   - withEntries: Whether to read funnel entries too; persons with nothing else then come as well.
  ///   - withTrials: Whether to read trials.
  ///   - withPurchases: Whether to read purchases.
  ///   - body: Also receives a function that returns the cell key with a number.
  public func forEachPersonWithCredits(
    withEntries: Bool = false, withTrials: Bool = true, withPurchases: Bool = true,
    _ body: (_ person: Int32, borrowing PersonUnits, _ cellKey: (Int32) -> CellKey) throws -> Void
  ) throws {
    let cellKeys = try cellKeyNumbers()
    let facts: [FactReader.Query] =
      (withEntries ? [.entry] : []) + (withTrials ? [.trial] : []) + [.conversion] + (withPurchases ? [.purchase] : [])
    try forEachPerson(facts, withCredits: true, cellKeys) { person, units in
      try body(person, units) { cellKeys.cellKey($0) }
    }
  }

  /// Whether persons without stored units may have some: a person gains them only at an earlier instant, or as less grace
  /// makes a `payment` the first of its subscription.
  private var foldsAll: Bool { isPast || options.grace < FoldOptions.stored.grace }

  /// - Parameters:
  ///   - ofAll: Whether to read those that are not in ``kept``, too.
  ///   - other: A source whose stored persons are read in the same pass.
  private func forEachPerson(
    _ facts: [FactReader.Query], withCredits: Bool, _ cellKeys: CellKeyNumbers, ofAll: Bool = false,
    and other: FactSource? = nil, _ bodyOfOther: (_ person: Int32, borrowing PersonUnits) throws -> Void = { _, _ in },
    _ body: (_ person: Int32, borrowing PersonUnits) throws -> Void
  ) throws {
    let plan = isRecomputed ? try ofAll ? recomputePlan() : keptPlan() : nil
    let planOfOther = try other.flatMap { $0.isRecomputed ? try $0.recomputePlan() : nil }
    var (met, metByOther) = (UserSet(), UserSet())
    var (isRead, isReadByOther) = (false, false)
    try reader("main", withCredits, cellKeys).forEachPerson(
      facts,
      where: { person in
        isRead = readsStored(person, plan, ofAll: ofAll, &met)
        isReadByOther = other?.readsStored(person, planOfOther, ofAll: false, &metByOther) ?? false
        return isRead || isReadByOther
      }
    ) { person, units in
      if isRead { try body(person, units) }
      if isReadByOther { try bodyOfOther(person, units) }
    }
    if let plan { try forEachFolded(plan, met, facts, withCredits, cellKeys, ofAll: ofAll, body) }
    if let other, let planOfOther {
      try other.forEachFolded(planOfOther, metByOther, facts, withCredits, cellKeys, ofAll: false, bodyOfOther)
    }
  }

  /// Returns whether a person's stored facts are read; adds a stale one to those met.
  private func readsStored(_ person: Int32, _ plan: RecomputePlan?, ofAll: Bool, _ met: inout UserSet) -> Bool {
    guard let plan, plan.stale.contains(person) else { return ofAll || reads(person) }
    met.insert(person)
    return false
  }

  private func reader(_ schema: String, _ withCredits: Bool, _ cellKeys: CellKeyNumbers) throws -> FactReader {
    try FactReader(db, schema: schema, cellKeys: cellKeys, withCredits: withCredits, apps: asOf.keys.sorted())
  }

  /// - Parameter met: The stale persons with stored facts.
  private func forEachFolded(
    _ plan: RecomputePlan, _ met: UserSet, _ facts: [FactReader.Query], _ withCredits: Bool, _ cellKeys: CellKeyNumbers,
    ofAll: Bool, _ body: (_ person: Int32, borrowing PersonUnits) throws -> Void
  ) throws {
    if try !(ofAll && kept != nil) && ownsTables() {
      try reader("temp", withCredits, cellKeys).forEachPerson(facts, where: { ofAll || reads($0) }, body)
      return
    }
    let isOfAll = foldsAll
    if isOfAll, let readUnits {
      for (person, units) in readUnits.persons { try body(person, units) }
      return
    }
    var folded = RecomputedUnits(cellKeys: cellKeys)
    let (known, wanted, first) = (cellKeys.cellKeys.count, ofAll ? nil : kept, CellKeyNumbers(copying: cellKeys))
    try recompute.forEachPortion(
      isOfAll ? plan : plan.only(met), dictionaries(), taking: { $0.takesExposures = false },
      from: { RecomputedUnits(cellKeys: CellKeyNumbers(copying: first)) },
      adding: { if wanted?.contains($1) ?? true { $0.add($1, $3, app: $2) } }
    ) { portion in
      let number = cellKeys.adopt(portion.cellKeys, after: known)
      for (person, var units) in portion.persons {
        if let number { units.renumber(number) }
        try body(person, units)
        if isOfAll, kept == nil { folded.add(person, units) }
      }
    }
    if isOfAll, kept == nil { readUnits = folded }
  }

  /// Calls `body` with each row of a query, as numbers; NULL is `nil`.
  ///
  /// A query that reads recomputed facts may have to make their tables again, which SQLite refuses while rows of another
  /// query are being read.
  public func forEachRow(_ sql: String, _ body: (FactRow) throws -> Void) throws {
    if sql.contains("temp.recomputed") { try foldAgain() }
    let row = try row(sql)
    while try row.statement.step() { try body(row) }
  }

  /// Returns the rows of a query, before the first one.
  func row(_ sql: String) throws -> FactRow {
    let entries = try once(\.readEntries) { try StoredEntries(db).ofUnits() }
    return FactRow(statement: try SQLiteStatement(db, sql), entries: entries)
  }
}
