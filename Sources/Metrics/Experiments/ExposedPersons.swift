internal import Lifecycle
internal import Store

/// The persons of one experiment in one app, kept as `temp.exposed` for the queries of the outcomes: `person`,
/// `variant`, `ts`, `age` (whole days from the exposure to the as-of, in ms), `client` and the dimensions `d0`, ...
///
/// Persons who were seen with two variants, and those in a variant without a share, are counted here and not in it
/// (definitions 8.1).
struct ExposedPersons {
  static let table = "temp.exposed"

  let query: ReportQuery
  let app: StoreSnapshot.App
  let experiment: NameID
  let asOf: Int64
  /// The variants compared, control first.
  let variants: [NameID]
  let names: [String]
  /// As planned, one per variant; they sum to 1.
  let shares: [Double]
  /// Exposed persons, one count per variant.
  let persons: [Int]
  let crossed: Int
  /// Persons in variants that the plan gives no share, by variant in byte order.
  let leaked: [(variant: String, persons: Int)]
  /// When the first and the last person was exposed.
  let exposures: ClosedRange<Int64>?

  private let places: [NameID: Int]

  /// - Returns: `nil` when nobody is exposed in the app.
  /// - Throws: ``ExperimentError`` for a control that nobody has.
  init?(_ query: ReportQuery, app: StoreSnapshot.App, experiment: NameID, plan: ExperimentPlan) throws {
    self.query = query
    self.app = app
    self.experiment = experiment
    asOf = query.asOf(of: app)
    try Self.keep(query, app: app, experiment: experiment, asOf: asOf, plan: plan)
    var crossed = 0
    var seen: [(id: NameID, name: String, persons: Int)] = []
    var (first, last) = (Int64.max, Int64.min)
    try query.facts.forEachRow(
      """
      SELECT variant, variants, COUNT(*), MIN(ts), MAX(ts)
      FROM \(Self.table)
      GROUP BY variant, variants
      """
    ) { row in
      first = min(first, row[3])
      last = max(last, row[4])
      if row[1] > 1 {
        crossed += row.int(2)
      } else {
        seen.append((NameID(row[0]), query.facts.name(row.int(0)), row.int(2)))
      }
    }
    if seen.isEmpty && crossed == 0 { return nil }
    self.crossed = crossed
    exposures = first <= last ? first...last : nil
    seen.sort { precedesInBytes($0.name, $1.name) }

    let weights = plan.shares.map { shares in
      shares.filter { $0.weight > 0 }
    }
    let compared = weights?.map(\.variant) ?? seen.map(\.name)
    let control = try Self.control(plan, of: compared, seen: seen.map(\.name))
    names = compared.isEmpty ? [] : [control] + compared.filter { $0 != control }.sorted(by: precedesInBytes)
    variants = names.map { name in
      seen.first { $0.name == name }?.id ?? query.facts.number(ofName: name).map(NameID.init) ?? -1
    }
    let total = weights?.reduce(0) { $0 + $1.weight } ?? Double(names.count)
    shares = names.map { name in (weights?.first { $0.variant == name }?.weight ?? 1) / total }
    persons = names.map { name in seen.first { $0.name == name }?.persons ?? 0 }
    leaked = seen.filter { !compared.contains($0.name) }.map { ($0.name, $0.persons) }
    places = Dictionary(zip(variants, variants.indices)) { first, _ in first }
    let list = variants.map(String.init).joined(separator: ", ")
    try query.facts.forEachRow(
      "DELETE FROM \(Self.table) WHERE variants > 1 OR variant NOT IN (\(list))"
    ) { _ in }
  }

  private static func control(_ plan: ExperimentPlan, of compared: [String], seen: [String]) throws -> String {
    if let control = plan.control {
      guard compared.contains(control) else {
        throw ExperimentError.unknownVariant(key: "control", control, seen: compared)
      }
      return control
    }
    return compared.contains("control") ? "control" : compared.min(by: precedesInBytes) ?? ""
  }

  private static func keep(
    _ query: ReportQuery, app: StoreSnapshot.App, experiment: NameID, asOf: Int64, plan: ExperimentPlan
  ) throws {
    let first = try firstExposures(query, app: app, experiment: experiment, plan: plan)
    let units = query.units(
      from: first, instant: "ts",
      columns: [
        "f.person AS person", "f.variant AS variant", "f.variants AS variants", "f.ts AS ts", "f.client AS client",
      ], where: "f.app = \(app.id)")
    let age = "(\(asOf) - ts) - (\(asOf) - ts) % \(day)"
    try query.facts.keep(
      "exposed",
      columns: ["person INTEGER NOT NULL PRIMARY KEY"]
        + (["variant", "variants", "ts", "age", "client"] + query.by.indices.map { "d\($0)" }).map {
          "\($0) INTEGER NOT NULL"
        },
      rowsOf: """
        SELECT person, variant, variants, ts, \(age), client\(query.by.indices.map { ", d\($0)" }.joined())
        FROM (\(units)) AS u
        """)
  }

  /// What to read in `FROM`: one row a person, with how many variants it was seen with.
  private static func firstExposures(
    _ query: ReportQuery, app: StoreSnapshot.App, experiment: NameID, plan: ExperimentPlan
  ) throws -> String {
    var source = query.facts.table(.exposure)
    if let start = plan.start, try hasEarlier(query, app: app, experiment: experiment, start: start) {
      // A fact has the first sight ever: of those who were seen before, events tell the first one since.
      try ExposureScan(query.facts, app: app.id, experiment: experiment, since: start).keep()
      source = ExposureScan.table
    }
    // By person alone, in the order of the key: with the app, which is one, SQLite would sort.
    return """
      (SELECT person, MIN(app) AS app, MIN(ts) AS ts, MIN(variant) AS variant, COUNT(*) AS variants, MIN(client) AS client
       FROM \(source) AS x
       WHERE app = \(app.id) AND experiment = \(experiment) AND ts < \(min(plan.end ?? asOf(query, app), asOf(query, app)))
       GROUP BY person)
      """
  }

  private static func asOf(_ query: ReportQuery, _ app: StoreSnapshot.App) -> Int64 { query.asOf(of: app) }

  private static func hasEarlier(
    _ query: ReportQuery, app: StoreSnapshot.App, experiment: NameID, start: Int64
  ) throws -> Bool {
    var found = false
    try query.facts.forEachRow(
      """
      SELECT COUNT(*) FROM \(query.facts.table(.exposure)) AS x
      WHERE app = \(app.id) AND experiment = \(experiment) AND ts < \(start)
      """
    ) { found = $0[0] > 0 }
    return found
  }

  /// Which arm a variant is; `nil` for one that is not compared.
  func arm(_ variant: Int64) -> Int? { places[NameID(variant)] }

  /// `, e.d0, e.d1`, ...
  var dimensions: String { query.by.indices.map { ", e.d\($0)" }.joined() }

  /// Calls `body` with each row of a query whose columns are `variant, age, d0, ..., values`.
  ///
  /// - Parameter body: Takes the arm, the age in whole days, the dimensions' codes, the row and the place of the first
  ///   value.
  func forEachGroup(
    _ sql: String, _ body: (_ arm: Int, _ age: Int, _ codes: [Int64], _ row: FactRow, _ first: Int) throws -> Void
  ) throws {
    let count = query.by.count
    try query.facts.forEachRow(sql) { row in
      guard let arm = arm(row[0]) else { return }
      try body(arm, Int(row[1] / day), (0..<count).map { row[2 + $0] }, row, 2 + count)
    }
  }
}
