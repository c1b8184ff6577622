internal import EventModel
internal import Lifecycle
internal import Statistics
public import Store

/// Who met the limits of the free tier, what came after, and how those who met one convert beside the others.
public enum Gates {
  struct Cell {
    var persons = 0
    var hits = 0
    /// Who came to it after the first hit, and how many hits they had before it.
    var paywall = Step()
    var trial = Step()
    var purchase = Step()
    /// Matured, with a first hit within the horizon of the person's first event and before a purchase.
    var met = Tally()

    struct Step {
      var persons = 0
      var hits = 0

      mutating func add(_ hits: [Int64], before instant: Int64?, orAt: Bool) {
        guard let instant, let first = hits.first, orAt ? first <= instant : first < instant else { return }
        persons += 1
        self.hits += hits.count { orAt ? $0 <= instant : $0 < instant }
      }
    }

    struct Tally {
      var persons = 0
      var paid = 0

      mutating func add(paid isPaid: Bool) {
        persons += 1
        if isPaid { paid += 1 }
      }
    }
  }

  /// The matured persons of an app, whether or not they met a gate.
  private struct Gate: Hashable {
    var app: NameID
    var name: String
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, defaultBy: [])
    let horizons = try Funnel.horizons(query, try CellQuery(query, [.entry]))
    var rows: [(labels: [String], values: [ReportValue])] = []
    for app in query.apps {
      let (cells, others) = try cells(query, app, horizon: horizons[app.id] ?? 0)
      for (key, cell) in cells {
        rows.append((query.labels(key.row) + [key.gate], values(cell, others: others[key.gate] ?? Cell.Tally())))
      }
    }
    rows.sort { left, right in
      for (a, b) in zip(left.labels, right.labels) where !a.utf8.elementsEqual(b.utf8) { return precedesInBytes(a, b) }
      return false
    }
    return query.report(
      "gates", title: "Limits of the free tier and what follows them",
      definition: [
        "Correlation, not effect: who meets a limit uses the app more than others, and whoever pays or leaves at once never "
          + "meets one; only an experiment on the limit says what it brings",
        "gate: the gate_hit's limit_name, else its entry_point; persons: who met it, by the dimensions and day of the first hit",
        "paywall, trial, purchase: persons whose first impression, introductory trial or purchase came after the first hit; "
          + "hits_before: hits of this gate up to then, on average",
        "met: of the persons, those whose first event is at least a horizon before the as-of, who met the gate within the "
          + "horizon of it and before a purchase; others: all other matured persons of the app, whatever --by and --where "
          + "say, but for those who met the gate and are in other rows (3.3)",
        "paid: a purchase within the horizon of the first event; lift: met_paid_rate ÷ others_paid_rate − 1, with the "
          + "Miettinen–Nurminen 95 % interval; rates with Wilson's",
      ],
      own: [
        Report.Parameter(
          name: "horizon_days", value: options.horizon.map(ReportQuery.days) ?? "7 + trial length + grace of each app")
      ],
      notes: { instant in
        query.apps.filter { $0.name == instant.app }.map { "horizon \(ReportQuery.days(horizons[$0.id] ?? 0)) d" }
      },
      columns: query.keyColumns + [ReportColumn("gate", .key)] + columns,
      rows: rows.map { $0.labels.map(ReportValue.text) + $0.values })
  }

  private static let columns: [ReportColumn] =
    ["persons", "hits"].map { ReportColumn($0, .count) }
    + ["paywall", "trial", "purchase"].flatMap {
      [ReportColumn("\($0)_persons", .count), ReportColumn("hits_before_\($0)", .number)]
    }
    + ["met", "met_paid"].map { ReportColumn($0, .count) } + ReportColumn.rate("met_paid_rate")
    + ["others", "others_paid"].map { ReportColumn($0, .count) } + ReportColumn.rate("others_paid_rate")
    + ReportColumn.rate("lift")

  private static func values(_ cell: Cell, others: Cell.Tally) -> [ReportValue] {
    func step(_ step: Cell.Step) -> [ReportValue] {
      [.count(step.persons), .number(step.persons == 0 ? nil : Double(step.hits) / Double(step.persons))]
    }
    let met = Proportion(successes: Double(cell.met.paid), trials: Double(cell.met.persons))
    let other = Proportion(successes: Double(others.paid), trials: Double(others.persons))
    var lift: Double?
    if let own = met.estimate, let rate = other.estimate, rate > 0 { lift = own / rate - 1 }
    let ratio = lift == nil ? nil : scoreRatio(met, other)
    return [.count(cell.persons), .count(cell.hits)] + step(cell.paywall) + step(cell.trial) + step(cell.purchase)
      + [.count(cell.met.persons), .count(cell.met.paid)] + ReportValue.share(cell.met.paid, of: cell.met.persons)
      + [.count(others.persons), .count(others.paid)] + ReportValue.share(others.paid, of: others.persons)
      + [.rate(lift), .rate(ratio.map { $0.low - 1 }), .rate(ratio.map { $0.high - 1 })]
  }

  struct Key: Hashable {
    var row: CellKey
    var gate: String
  }

  /// A person's hits of one gate.
  private struct Hits {
    var times: [Int64] = []
    var row: CellKey
    var first: Int64
    var isAsked: Bool
  }

  private struct PersonGate: Hashable {
    var person: Int32
    var gate: String
  }

  private static func cells(
    _ query: ReportQuery, _ app: StoreSnapshot.App, horizon: Int64
  ) throws -> (cells: [Key: Cell], others: [String: Cell.Tally]) {
    var firstEvents: [Int32: Int64] = [:]
    var hits: [PersonGate: Hits] = [:]
    let names = try GateNames(query)
    let dimensions = try ScannedDimensions(query)
    let from = query.options.from.map { Int64($0.daysSince1970) } ?? .min
    let days = from..<(query.options.to.map { Int64($0.daysSince1970) } ?? .max)
    try query.facts.forEachEvent(of: app.id) { event in
      firstEvents[event.person] = min(event.ts, firstEvents[event.person] ?? .max)
      guard event.kind == .gateHit else { return }
      let key = PersonGate(person: event.person, gate: names.name(of: event))
      let row = CellKey(app: app.id, codes: query.by.map { dimensions.code($0, event) })
      let isAsked = dimensions.passes(event) && days.contains(floorDays(query.localTime.local(event.ts)))
      var known = hits[key] ?? Hits(row: row, first: event.ts, isAsked: isAsked)
      // Of two at one instant the row that reads first, and one that is asked for before one that is not: their order in
      // the store means nothing.
      if event.ts < known.first
        || (event.ts == known.first && precedes(query, (isAsked, row), (known.isAsked, known.row)))
      {
        (known.row, known.first, known.isAsked) = (row, event.ts, isAsked)
      }
      known.times.append(event.ts)
      hits[key] = known
    }
    let entries = try firsts(
      query, app, "SELECT person, ts FROM \(query.facts.table(.entry)) AS e WHERE app = \(app.id)")
    let trials = try firsts(
      query, app,
      "SELECT person, MIN(start) FROM \(query.facts.table(.trial)) AS t WHERE app = \(app.id) AND trial_kind = 1 GROUP BY person"
    )
    let purchases = try firsts(
      query, app,
      "SELECT person, MIN(start) FROM \(query.facts.table(.spell)) AS s WHERE app = \(app.id) AND is_purchase = 1 GROUP BY person"
    )
    let asOf = query.asOf(of: app)
    func isPaid(_ person: Int32, within horizon: Int64, of first: Int64) -> Bool {
      purchases[person].map { $0 < first + horizon } ?? false
    }
    var all = Cell.Tally()
    for (person, first) in firstEvents where first + horizon <= asOf {
      all.add(paid: isPaid(person, within: horizon, of: first))
    }
    var cells: [Key: Cell] = [:]
    var met: [String: Cell.Tally] = [:]
    for (key, hits) in hits {
      guard let first = firstEvents[key.person] else { continue }
      let purchase = purchases[key.person]
      let isMet = first + horizon <= asOf && hits.first < first + horizon && purchase.map { hits.first <= $0 } ?? true
      let paid = isPaid(key.person, within: horizon, of: first)
      if isMet { met[key.gate, default: Cell.Tally()].add(paid: paid) }
      guard hits.isAsked else { continue }
      let times = hits.times.sorted()
      var cell = cells[Key(row: hits.row, gate: key.gate)] ?? Cell()
      cell.persons += 1
      cell.hits += times.count
      // Of one instant, an impression comes before a hit, a trial and a payment after it (definitions 1.2).
      cell.paywall.add(times, before: entries[key.person], orAt: false)
      cell.trial.add(times, before: trials[key.person], orAt: true)
      cell.purchase.add(times, before: purchase, orAt: true)
      if isMet { cell.met.add(paid: paid) }
      cells[Key(row: hits.row, gate: key.gate)] = cell
    }
    let gates = Set(cells.keys.map(\.gate))
    return (
      cells,
      Dictionary(
        uniqueKeysWithValues: gates.map { gate in
          let met = met[gate] ?? Cell.Tally()
          return (gate, Cell.Tally(persons: all.persons - met.persons, paid: all.paid - met.paid))
        })
    )
  }

  private static func precedes(
    _ query: ReportQuery, _ left: (isAsked: Bool, row: CellKey), _ right: (isAsked: Bool, row: CellKey)
  ) -> Bool {
    if left.isAsked != right.isAsked { return left.isAsked }
    for (a, b) in zip(query.labels(left.row), query.labels(right.row)) where !a.utf8.elementsEqual(b.utf8) {
      return precedesInBytes(a, b)
    }
    return false
  }

  private static func firsts(
    _ query: ReportQuery, _ app: StoreSnapshot.App, _ sql: String
  ) throws -> [Int32: Int64] {
    var firsts: [Int32: Int64] = [:]
    try query.facts.forEachRow(sql) { firsts[Int32($0[0])] = $0[1] }
    return firsts
  }
}

/// What gates are called: the limit, else the place where it is met.
private struct GateNames {
  private var limits: [Int32: String] = [:]
  private var places: [Int32: String] = [:]

  init(_ query: ReportQuery) throws {
    var (limits, places): ([Int32: String], [Int32: String]) = ([:], [:])
    try query.facts.forEachRow("SELECT id, limit_name FROM terms WHERE limit_name <> 0") { row in
      limits[Int32(row[0])] = query.facts.name(row.int(1))
    }
    try query.facts.forEachRow("SELECT id, entry_point FROM context") { row in
      places[Int32(row[0])] = query.facts.name(row.int(1))
    }
    (self.limits, self.places) = (limits, places)
  }

  func name(of event: ScannedEvent) -> String { limits[event.terms] ?? places[event.context] ?? "(none)" }
}
