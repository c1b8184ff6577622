internal import EventModel
internal import Lifecycle
internal import Statistics
public import Store

/// The experiments seen (`experiments`).
public enum ExperimentList {
  private struct Seen {
    var app: String
    var experiment: String
    /// Persons by variant, crossed ones left out.
    var variants: [String: Int] = [:]
    var crossed = 0
    var first = Int64.max
    var last = Int64.min
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    var options = options
    options.by = []
    let query = try ReportQuery(snapshot, options, defaultBy: [])
    let rows = try seen(query).map { seen -> [ReportValue] in
      let names = seen.variants.keys.sorted(by: precedesInBytes)
      let control = names.contains("control") ? "control" : names.first ?? "(none)"
      let counts = names.map { Double(seen.variants[$0] ?? 0) }
      let even = [Double](repeating: 1, count: names.count)
      let ratio = names.count >= 2 ? sampleRatioTest(observed: counts, weights: even).p : nil
      return [
        .text(seen.app), .text(seen.experiment),
        .text(names.map { "\($0) \(seen.variants[$0] ?? 0)" }.joined(separator: ", ")), .text(control),
        .count(counts.reduce(0) { $0 + Int($1) }), .count(seen.crossed), .text(ReportQuery.instant(seen.first)),
        .text(ReportQuery.instant(seen.last)), .probability(ratio),
      ]
    }
    return query.report(
      "experiments", title: "Experiments seen",
      definition: [
        "persons by their first exposure or impression that carries the experiment; crossed: seen with two variants, and "
          + "in no count (8.1)",
        "even_split_p: χ² of even shares, descriptive; control: the variant control, or the first in byte order",
      ],
      columns: [
        ReportColumn("app", .key), ReportColumn("experiment", .key), ReportColumn("variants", .text),
        ReportColumn("control", .text), ReportColumn("persons", .count), ReportColumn("crossed", .count),
        ReportColumn("first_exposure", .text), ReportColumn("last_exposure", .text),
        ReportColumn("even_split_p", .number),
      ], rows: rows)
  }

  /// `app/experiment` of each, in byte order.
  static func names(_ query: ReportQuery) throws -> [String] {
    try seen(query).map { "\($0.app)/\($0.experiment)" }
  }

  /// In byte order of app and experiment.
  private static func seen(_ query: ReportQuery) throws -> [Seen] {
    guard !query.apps.isEmpty else { return [] }
    var found: [[Int64]: Seen] = [:]
    let units = query.units(
      from: """
        (SELECT person, app, experiment, MIN(ts) AS ts, MIN(variant) AS variant, COUNT(*) AS variants,
           MIN(client) AS client
         FROM \(query.facts.table(.exposure)) AS x
         GROUP BY person, app, experiment)
        """, instant: "ts",
      columns: ["f.experiment AS experiment", "f.variant AS variant", "f.variants AS variants", "f.ts AS ts"])
    try query.facts.forEachRow(
      """
      SELECT app, experiment, CASE WHEN variants > 1 THEN -1 ELSE variant END, COUNT(*), MIN(ts), MAX(ts)
      FROM (\(units)) AS u
      GROUP BY 1, 2, 3
      """
    ) { row in
      var seen =
        found[[row[0], row[1]]] ?? Seen(app: query.facts.name(row.int(0)), experiment: query.facts.name(row.int(1)))
      if row[2] < 0 {
        seen.crossed += row.int(3)
      } else {
        seen.variants[query.facts.name(row.int(2)), default: 0] += row.int(3)
      }
      seen.first = min(seen.first, row[4])
      seen.last = max(seen.last, row[5])
      found[[row[0], row[1]]] = seen
    }
    return found.values.sorted { left, right in
      left.app.utf8.elementsEqual(right.app.utf8)
        ? precedesInBytes(left.experiment, right.experiment) : precedesInBytes(left.app, right.app)
    }
  }
}
