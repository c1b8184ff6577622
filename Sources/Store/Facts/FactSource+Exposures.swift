internal import GRDB
public import Lifecycle

extension FactSource {
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
        insert.bind(1, person)
        insert.bind(2, app)
        insert.bind(3, experiment)
        insert.bind(4, fact.variant)
        insert.bind(5, fact.ts)
        insert.bind(6, fact.client)
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
    try recompute.forEachPerson(plan, dictionaries(), takesFirstSight: true) { _, app, facts, _ in
      if let sight = facts.exposures.first { try body(app, sight) }
    }
  }
}
