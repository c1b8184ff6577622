internal import Lifecycle
internal import Statistics
public import Store

/// Lists the experiments in the data (`experiments`).
public enum ExperimentList {
  private struct Seen {
    var app: String
    var experiment: String
    /// Users by variant, without crossed users.
    var variants: [String: Int] = [:]
    var crossed = 0
    var first = Int64.max
    var last = Int64.min

    /// In byte order of the variants.
    var counts: [(name: String, users: Int)] {
      variants.sorted { precedesInBytes($0.key, $1.key) }.map { ($0.key, $0.value) }
    }

    init(_ key: Key, _ query: ReportQuery) {
      app = query.facts.name(Int(key.app))
      experiment = query.facts.name(Int(key.experiment))
    }
  }

  /// - Throws: ``ReportError/notOfExposures(_:)`` for a filter that exposures cannot have.
  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try query(snapshot, options)
    if let wrong = options.filters.first(where: { !isOfExposures($0.dimension) }) {
      throw ReportError.notOfExposures(wrong.dimension.name)
    }
    return report(query, try seen(query))
  }

  /// Returns the report without any experiment.
  static func emptyReport(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    report(try query(snapshot, options), [])
  }

  private static func query(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> ReportQuery {
    try ReportQuery(snapshot, options.split(by: []), defaultBy: [])
  }

  static func isOfExposures(_ dimension: Dimension) -> Bool {
    dimension.isOfClient || Dimension.periods.contains(dimension) || [.experiment, .variant].contains(dimension)
  }

  private static func report(_ query: ReportQuery, _ seen: [Seen]) -> Report {
    query.report(
      "experiments", title: "Experiments seen",
      definition: [
        "users: by their first exposure or paywall view that carries the experiment. crossed: users who saw two "
          + "variants; they do not count (8.1)",
        "even_split_p: χ² test of an even split, for information only. control: the variant control, else the first "
          + "in byte order",
      ],
      columns: columns, rows: SumsRows(seen))
  }

  private static let columns: [SumsColumn<Seen>] = [
    .key("app", \.app), .key("experiment", \.experiment),
    .text("variants") { $0.counts.map { "\($0.name) \($0.users)" }.joined(separator: ", ") },
    .text("control") { seen in
      let standard = ExposedPersons.standardControl
      return seen.variants[standard] == nil ? seen.counts.first?.name ?? "(none)" : standard
    }, .count("persons") { $0.counts.reduce(0) { $0 + $1.users } }, .count("crossed", \.crossed),
    .text("first_exposure") { ReportQuery.instant($0.first) }, .text("last_exposure") { ReportQuery.instant($0.last) },
    .probability("even_split_p") { seen in
      let counts = seen.counts.map { Double($0.users) }
      return counts.count < 2 ? nil : sampleRatioTest(observed: counts, weights: counts.map { _ in 1 }).p
    },
  ]

  /// Returns when the users of each experiment were exposed, in byte order of app and experiment.
  static func exposures(
    _ query: ReportQuery
  ) throws -> [(app: String, experiment: String, range: ClosedRange<Int64>)] {
    try seen(query).map { ($0.app, $0.experiment, $0.first...$0.last) }
  }

  /// Returns the names of experiments with more variants in any app than are compared with one another, in byte order.
  public static func tooLarge(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> [String] {
    let large = try seen(query(snapshot, options)).filter { $0.variants.count > ExperimentReadout.mostCompared }
    return Set(large.map(\.experiment)).sorted(by: precedesInBytes)
  }

  /// Returns the variants of each experiment that users saw, by app.
  static func variants(_ snapshot: StoreSnapshot, apps: [String]) throws -> [String: [Set<String>]] {
    var options = ReportOptions()
    options.apps = apps
    return Dictionary(grouping: try seen(query(snapshot, options)), by: \.app).mapValues { tests in
      tests.map { Set($0.variants.keys) }
    }
  }

  /// Returns the experiments, in byte order of app and experiment.
  private static func seen(_ query: ReportQuery) throws -> [Seen] {
    guard !query.apps.isEmpty else { return [] }
    return try (seenInCells(query) ?? seenInFacts(query)).values.sorted { left, right in
      left.app.utf8.elementsEqual(right.app.utf8)
        ? precedesInBytes(left.experiment, right.experiment) : precedesInBytes(left.app, right.app)
    }
  }

  private struct Key: Hashable {
    var app: NameID
    var experiment: NameID
  }

  /// - Returns: `nil` if the cells cannot answer.
  private static func seenInCells(_ query: ReportQuery) throws -> [Key: Seen]? {
    let options = query.options
    guard options.filters.isEmpty, options.from == nil, options.to == nil, let cells = try query.facts.cells() else {
      return nil
    }
    var found: [Key: Seen] = [:]
    var units: [ExposureUnit] = []
    for facet in try cells.places(of: .exposure) {
      let (app, context) = (cells.cellKeys[facet].app, cells.cellKeys[facet].context)
      guard let asOf = query.asOfs[app] else { continue }
      let (key, variant) = (Key(app: app, experiment: context.experiment), query.facts.name(Int(context.variant)))
      try cells.forEachCell(.exposure, facet: facet, days: CellFamily.days) { cell in
        cell.exposures(into: &units)
        var (persons, crossed, first, last) = (0, 0, Int64.max, Int64.min)
        for unit in units where unit.ts < asOf {
          if unit.isCrossed { crossed += 1 } else { persons += 1 }
          (first, last) = (min(first, unit.ts), max(last, unit.ts))
        }
        if persons + crossed == 0 { return }
        var seen = found[key] ?? Seen(key, query)
        if persons > 0 { seen.variants[variant, default: 0] += persons }
        seen.crossed += crossed
        (seen.first, seen.last) = (min(seen.first, first), max(seen.last, last))
        found[key] = seen
      }
    }
    return found
  }

  /// Calls `body` with each exposed user of an experiment and the number of variants seen.
  static func forEachPerson(
    _ query: ReportQuery, of experiment: NameID, _ body: (_ person: Int32, _ variants: Int) throws -> Void
  ) throws {
    try forEachUser(query, where: "experiment = \(experiment)") { try body($0.int32(0), $0.int(4)) }
  }

  /// - Parameter body: Takes a row of `person`, `app`, `experiment`, `variant`, `variants` and `ts`.
  private static func forEachUser(
    _ query: ReportQuery, where condition: String? = nil, _ body: (FactRow) throws -> Void
  ) throws {
    let rows = try UnitRows(query)
    try query.facts.forEachRow(
      """
      SELECT person, app, experiment, MIN(variant), COUNT(*), MIN(ts), MIN(client)
      FROM \(query.facts.table(.exposure)) AS x
      WHERE app IN (\(query.apps.map { String($0.id) }.joined(separator: ", ")))\(condition.map { " AND \($0)" } ?? "")
      GROUP BY person, app, experiment
      """
    ) { row in
      let context = Context(experiment: row.int32(2), variant: row.int32(3), paywall: 0, entryPoint: 0)
      let facet = UnitFacet(
        credits: [CellKey(app: row.int32(1), context: context)], client: try row.client(6), properties: 0)
      guard let undated = rows.undatedRow(facet), rows.days.row(undated, at: row[5]) != nil else { return }
      try body(row)
    }
  }

  private static func seenInFacts(_ query: ReportQuery) throws -> [Key: Seen] {
    var found: [Key: Seen] = [:]
    try forEachUser(query) { row in
      let key = Key(app: row.int32(1), experiment: row.int32(2))
      var seen = found[key] ?? Seen(key, query)
      if row[4] > 1 {
        seen.crossed += 1
      } else {
        seen.variants[query.facts.name(row.int(3)), default: 0] += 1
      }
      (seen.first, seen.last) = (min(seen.first, row[5]), max(seen.last, row[5]))
      found[key] = seen
    }
    return found
  }
}
