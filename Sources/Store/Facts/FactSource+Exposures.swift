internal import GRDB
public import Lifecycle

/// A user's first sight of a variant of an experiment.
public struct VariantSight: Sendable {
  public var person: Int32
  public var variant: NameID
  public var ts: Int64
  public var client: Int32
  /// The outcome of the exposure; empty unless asked for.
  public var outcome = ExposureOutcome()

  fileprivate init(_ row: FactRow, variant: NameID, withOutcome: Bool) throws {
    person = try row.person(0)
    self.variant = variant
    ts = try row.instant(2)
    client = try row.client(3)
    if withOutcome { outcome = try ExposureOutcome(row.bytes(4), exposedAt: ts) }
  }

  fileprivate init(_ person: Int32, _ fact: ExposureFact) {
    (self.person, variant, ts, client, outcome) = (person, fact.variant, fact.ts, fact.client, fact.outcome)
  }
}

extension FactSource {
  typealias SightAdding =
    @Sendable (_ sights: inout [VariantSight], _ person: Int32, _ app: NameID, borrowing PersonFacts) -> Void

  /// Calls `body` with each user's first sight of each variant of an experiment, in order of the users.
  public func forEachSight(
    of experiment: NameID, app: NameID, withOutcomes: Bool, _ body: (VariantSight) throws -> Void
  ) throws {
    let columns = "ts, client\(withOutcomes ? ", outcome" : "")"
    let stale = isRecomputed ? try recomputePlan().stale : UserSet()
    // The variant by cell key: a join would take longer than everything else.
    var variants: [Int32: NameID] = [:]
    let cellKey = try SQLiteStatement(
      db,
      """
      SELECT id, variant FROM main.origin
      WHERE app = \(app) AND experiment = \(experiment) AND paywall = 0 AND entry_point = 0
      """)
    while try cellKey.step() { variants[cellKey.int32(0)] = cellKey.int32(1) }
    let stored =
      "main.exposure_row WHERE origin IN (\(variants.keys.sorted().map(String.init).joined(separator: ", ")))"
    let folded =
      isRecomputed ? try foldedSights(of: experiment, app: app, storedIn: stored, withMoney: withOutcomes) : []
    var last: (cellKey: Int32, variant: NameID) = (0, 0)
    var next = 0
    let row = try row("SELECT person, origin, \(columns) FROM \(stored) ORDER BY person")
    while try row.statement.step() {
      if row.int32(1) != last.cellKey { last = (row.int32(1), variants[row.int32(1)] ?? 0) }
      let sight = try VariantSight(row, variant: last.variant, withOutcome: withOutcomes)
      if stale.contains(sight.person) || !reads(sight.person) { continue }
      while next < folded.count, folded[next].person < sight.person {
        try body(folded[next])
        next += 1
      }
      try body(sight)
    }
    for sight in folded[next...] { try body(sight) }
  }

  /// Returns the sights of users whose stored facts do not hold, in order of the users.
  ///
  /// - Parameters:
  ///   - stored: The stored sights: at another as-of nobody else has any.
  ///   - withMoney: Whether to keep their money, too, which readers of outcomes ask for next.
  private func foldedSights(
    of experiment: NameID, app: NameID, storedIn stored: String, withMoney: Bool
  ) throws -> [VariantSight] {
    var sights: [VariantSight] = []
    let add: SightAdding = { sights, person, own, facts in
      for fact in facts.exposures where own == app && fact.experiment == experiment {
        sights.append(VariantSight(person, fact))
      }
    }
    if withMoney, kept == nil, options.attribution != .all, readMoney == nil {
      // Units of all, on which horizons depend, and money of all are asked for next.
      try recomputedMoney(withUnits: true, addingSights: add) { sights += $0 }
      return sights
    }
    let plan = try recomputePlan()
    var met = UserSet()
    let row = try row("SELECT person FROM \(stored)")
    while try row.statement.step() {
      let person = try row.person(0)
      if plan.stale.contains(person) { met.insert(person) }
    }
    try recompute.forEachPortion(plan.only(stale: met), dictionaries(), from: { [VariantSight]() }, adding: add) {
      sights += $0.filter { reads($0.person) }
    }
    return sights
  }

  /// Collects the exposures to an experiment since an instant in a temporary table with the columns of
  /// ``FactTable/exposure``. Users who saw the experiment before that instant are folded again, because a fact holds
  /// the first exposure ever.
  ///
  /// - Parameter grace: The grace period in milliseconds.
  /// - Returns: The name of the table; that of the facts if nobody saw the experiment before the instant.
  public func exposures(
    of experiment: NameID, app: NameID, since start: Int64, grace: Int64
  ) throws -> String {
    let facts = table(.exposure)
    let condition = "app = \(app) AND experiment = \(experiment)"
    var earlier: [Int32: Int64] = [:]
    let instant = asOf[app] ?? .min
    try forEachRow("SELECT DISTINCT person FROM \(facts) AS x WHERE \(condition) AND ts < \(start)") { row in
      earlier[row.int32(0)] = instant
    }
    if earlier.isEmpty { return facts }
    try keep("earlier_person", columns: ["person INTEGER NOT NULL PRIMARY KEY"], rows: earlier.keys.map { [Int64($0)] })
    try keep(
      "later_exposure",
      columns: ["person", "app", "experiment", "variant", "ts", "client"].map { "\($0) INTEGER NOT NULL" }
        + ["outcome BLOB NOT NULL"],
      rowsOf: """
        SELECT person, app, experiment, variant, ts, client, outcome FROM \(facts) AS x
        WHERE \(condition) AND person NOT IN (SELECT person FROM temp.earlier_person)
        """)
    let insert = try SQLiteStatement(db, "INSERT INTO temp.later_exposure VALUES (?, ?, ?, ?, ?, ?, ?)")
    try fold(earlier, grace: grace, exposuresSince: start) { person, facts in
      for fact in facts.exposures where fact.experiment == experiment {
        var bytes: [UInt8] = []
        fact.outcome.encode(exposedAt: fact.ts, to: &bytes)
        insert.bind(all: person, app, experiment, fact.variant, fact.ts, fact.client)
        try bytes.withUnsafeBytes { bytes in
          insert.bindBlob(7, bytes)
          try insert.run()
        }
      }
    }
    return "temp.later_exposure"
  }

  /// Folds every person of the requested apps, and calls `body` with each person's first view of any paywall or
  /// experiment and its outcome.
  public func forEachFirstSight(_ body: (_ app: NameID, ExposureFact) throws -> Void) throws {
    let plan = try RecomputePlan(everybodyIn: db, asOf: asOf)
    let kept = kept
    try recompute.forEachPortion(
      plan, dictionaries(), taking: { $0.takesFirstSight = true }, from: { [(app: NameID, sight: ExposureFact)]() },
      adding: { sights, person, app, facts in
        if let sight = facts.exposures.first, kept?.contains(person) ?? true { sights.append((app, sight)) }
      }
    ) { for (app, sight) in $0 { try body(app, sight) } }
  }
}
