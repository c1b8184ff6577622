internal import EventModel
internal import Lifecycle
public import Store

/// Counts users who met the limits of the free tier, their outcomes afterwards, and the paid rate of all other users.
public enum Gates {
  struct Sums {
    var persons = 0
    var hits = 0
    /// Users who reached the step after their first hit, with their hits before it.
    var paywall = Step()
    var trial = Step()
    var purchase = Step()
    /// Matured users with a first hit within the horizon of their first event and before a purchase.
    var met = Tally()
    var others = Tally()

    struct Step {
      var persons = 0
      var hits = 0

      var mean: Double? { persons == 0 ? nil : Double(hits) / Double(persons) }

      /// - Parameter instant: The step's instant; the greatest value if the user never reached it.
      fileprivate mutating func add(_ hits: ArraySlice<Hit>, before instant: Int64, orAt: Bool) {
        guard instant < .max, let first = hits.first, orAt ? first.ts <= instant : first.ts < instant else { return }
        persons += 1
        self.hits += hits.count { orAt ? $0.ts <= instant : $0.ts < instant }
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

  private struct Gate: Hashable {
    var app: NameID
    var name: String
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, by: .gates)
    let horizons = try Funnel.horizons(query)
    let counts = try Counts(query, horizons)
    let elements = counts.sumsOfRows.map { key, sums in
      var sums = sums
      sums.others =
        counts.othersByPerson.map { $0[key] ?? Sums.Tally() } ?? counts.others[Gate(app: key.row.app, name: key.gate)]
        ?? Sums.Tally()
      return (key: key.row, labels: [key.gate], sums: sums)
    }.sorted { precedesInBytes($0.labels, $1.labels) }
    return query.report(
      "gates", title: "Limits of the free tier and what follows them",
      definition: [
        "The report prints no difference between met and others, because users who pay or leave early never hit a "
          + "limit. To measure what a limit does, split users at random between limits",
        "gate: the limit_name of gate_hit events, else their entry_point. persons: users who hit it, by the "
          + "dimensions and day of their first hit",
        "paywall, trial, purchase: users whose first paywall view, introductory trial or purchase came after their "
          + "first hit. hits_before: their mean number of hits of this limit up to then",
        "met: users whose first event is at least a horizon before the end of the data, and who hit the limit "
          + "within that horizon and before a purchase (3.3)",
        "others: all other users of the app with such a first event, whatever --by and --where say, without those "
          + "who hit the limit and are in other rows",
        "paid: users with a purchase within the horizon of their first event. Rates have Wilson's 95% interval",
      ],
      own: [query.horizonParameter(horizons)],
      readsEvents: true,
      notes: { query.horizonNotes($0, horizons) },
      columns: columns, rows: query.rows(elements, keys: ["gate"]))
  }

  private static let columns: [SumsColumn<Sums>] = [
    .count("persons", \.persons), .count("hits", \.hits),
    .count("paywall_persons", \.paywall.persons), .number("hits_before_paywall", \.paywall.mean),
    .count("trial_persons", \.trial.persons), .number("hits_before_trial", \.trial.mean),
    .count("purchase_persons", \.purchase.persons), .number("hits_before_purchase", \.purchase.mean),
    .count("met", \.met.persons), .count("met_paid", \.met.paid),
    .share("met_paid_rate", \.met.paid, of: \.met.persons), .count("others", \.others.persons),
    .count("others_paid", \.others.paid), .share("others_paid_rate", \.others.paid, of: \.others.persons),
  ]

  struct Key: Hashable {
    var row: RowKey
    var gate: String
  }

  fileprivate struct Hit {
    var person: Int32
    /// An index into ``GateNames/names``.
    var gate: Int32
    var ts: Int64
    /// An index into ``ScannedRows/keys``.
    var row: Int32
    var isAsked: Bool
  }

  private struct Counts {
    private(set) var sumsOfRows: [Key: Sums] = [:]
    /// Matured users who have not met the gate.
    private(set) var others: [Gate: Sums.Tally] = [:]
    /// ``others`` for rows by user; each row has one user, who is among the others or not.
    private(set) var othersByPerson: [Key: Sums.Tally]?

    init(_ query: ReportQuery, _ horizons: [NameID: Int64]) throws {
      var rows = try ScannedRows(query)
      var names = try GateNames(query)
      let hits = try Gates.hits(query, &rows, &names)
      let seen = try query.facts.firstEvents(withDimensions: false)
      // The first of each user; the greatest value for none.
      var entries = [Int64](repeating: .max, count: seen.instants.count)
      var (trials, purchases) = (entries, entries)
      try query.facts.forEachPersonWithCredits(withEntries: true) { person, units, _ in
        entries[Int(person)] = units.entry?.unit.ts ?? .max
        trials[Int(person)] = units.trials.lazy.filter(\.isIntroductory).map(\.unit.start).min() ?? .max
        purchases[Int(person)] = units.purchases.lazy.map(\.unit.start).min() ?? .max
      }
      let asOfs = query.asOfs
      /// Returns whether a user paid within the horizon of the first event; `nil` for users who have not matured.
      func paid(_ person: Int) -> Bool? {
        let (first, app) = (seen.instants[person], seen.apps[person])
        guard first < .max, let asOf = asOfs[app], first + (horizons[app] ?? 0) <= asOf else { return nil }
        return purchases[person] < first + (horizons[app] ?? 0)
      }
      var all: [NameID: Sums.Tally] = [:]
      for person in seen.instants.indices {
        if let paid = paid(person) { all[seen.apps[person], default: Sums.Tally()].add(paid: paid) }
      }
      let appOfRow = rows.keys.map(\.app)
      var met: [Gate: Sums.Tally] = [:]
      var metByGate: [Int64: Sums.Tally] = [:]
      let isByPerson = query.by == [.person]
      var metPersons: [Gate: UserSet] = [:]
      /// Cells by row × gates + gate.
      var byPlace: [Int: Sums] = [:]
      var next = 0
      while next < hits.count {
        let (first, start) = (hits[next], next)
        while next < hits.count, hits[next].person == first.person, hits[next].gate == first.gate { next += 1 }
        let own = hits[start..<next]
        // Of two first hits at one instant, takes the row that sorts first, and a selected row before one that is not:
        // their order in the store has no meaning.
        var chosen = first
        for hit in own.dropFirst().prefix(while: { $0.ts == first.ts })
        where (hit.row != chosen.row || hit.isAsked != chosen.isAsked)
          && Gates.precedes(
            query, (hit.isAsked, rows.keys[Int(hit.row)]), (chosen.isAsked, rows.keys[Int(chosen.row)]))
        {
          chosen = hit
        }
        let (person, app) = (Int(first.person), appOfRow[Int(chosen.row)])
        let paid = paid(person)
        let isMet =
          paid != nil && first.ts < seen.instants[person] + (horizons[app] ?? 0) && first.ts <= purchases[person]
        if isMet { metByGate[Int64(app) << 32 | Int64(first.gate), default: Sums.Tally()].add(paid: paid ?? false) }
        if isMet && isByPerson {
          metPersons[Gate(app: app, name: names.names[Int(first.gate)]), default: UserSet()].insert(first.person)
        }
        guard chosen.isAsked else { continue }
        byPlace[Int(chosen.row) * names.names.count + Int(first.gate), default: Sums()].take { sums in
          sums.persons += 1
          sums.hits += own.count
          // At one instant, an impression comes before a hit; a trial and a payment come after it.
          sums.paywall.add(own, before: entries[person], orAt: false)
          sums.trial.add(own, before: trials[person], orAt: true)
          sums.purchase.add(own, before: purchases[person], orAt: true)
          if isMet { sums.met.add(paid: paid ?? false) }
        }
      }
      for (key, tally) in metByGate {
        met[Gate(app: NameID(key >> 32), name: names.names[Int(key & 0xFFFF_FFFF)])] = tally
      }
      for (place, sums) in byPlace {
        let (row, gate) = place.quotientAndRemainder(dividingBy: names.names.count)
        sumsOfRows[Key(row: rows.keys[row], gate: names.names[gate])] = sums
      }
      if isByPerson {
        var others: [Key: Sums.Tally] = [:]
        for gate in Set(sumsOfRows.keys.map { Gate(app: $0.row.app, name: $0.gate) }) {
          let met = metPersons[gate] ?? UserSet()
          for person in seen.instants.indices where seen.apps[person] == gate.app && !met.contains(Int32(person)) {
            guard let paid = paid(person) else { continue }
            let key = Key(row: RowKey(app: gate.app, codes: [Int64(person)]), gate: gate.name)
            others[key, default: Sums.Tally()].add(paid: paid)
            if sumsOfRows[key] == nil { sumsOfRows[key] = Sums() }
          }
        }
        othersByPerson = others
        return
      }
      for key in sumsOfRows.keys {
        let gate = Gate(app: key.row.app, name: key.gate)
        let (all, met) = (all[gate.app] ?? Sums.Tally(), met[gate] ?? Sums.Tally())
        others[gate] = Sums.Tally(persons: all.persons - met.persons, paid: all.paid - met.paid)
      }
    }
  }

  /// Returns the hits by user, then gate, then time.
  private static func hits(
    _ query: ReportQuery, _ rows: inout ScannedRows, _ names: inout GateNames
  ) throws -> [Hit] {
    var hits: [Hit] = []
    try query.facts.forEachEvent([.gateHit]) { event in
      let row = rows.row(of: event)
      hits.append(
        Hit(
          person: event.person, gate: names.number(of: event), ts: event.ts, row: Int32(row.place),
          isAsked: row.isAsked))
    }
    // Runs are already in order of user and time, except for joined users.
    hits.sort { ($0.person, $0.gate, $0.ts) < ($1.person, $1.gate, $1.ts) }
    return hits
  }

  private static func precedes(
    _ query: ReportQuery, _ left: (isAsked: Bool, row: RowKey), _ right: (isAsked: Bool, row: RowKey)
  ) -> Bool {
    if left.isAsked != right.isAsked { return left.isAsked }
    return precedesInBytes(query.labels(left.row), query.labels(right.row))
  }
}

extension Gates.Sums {
  /// Changes the sums in place.
  fileprivate mutating func take(_ change: (inout Self) -> Void) { change(&self) }
}

/// The names of gates: the limit's name, or else the entry point.
private struct GateNames {
  private var limits: [Int32: String] = [:]
  private var places: [Int32: String] = [:]
  private var interned = RowInterner<String>()
  private var last: (terms: Int32, context: Int32, number: Int32)?

  var names: [String] { interned.rows }

  init(_ query: ReportQuery) throws {
    var (limits, places): ([Int32: String], [Int32: String]) = ([:], [:])
    try query.facts.forEachRow("SELECT id, limit_name FROM terms WHERE limit_name <> 0") { row in
      limits[row.int32(0)] = query.facts.name(row.int(1))
    }
    try query.facts.forEachRow("SELECT id, entry_point FROM context") { row in
      places[row.int32(0)] = query.facts.name(row.int(1))
    }
    (self.limits, self.places) = (limits, places)
  }

  /// Returns the index of an event's gate in ``names``. Different terms and contexts can share a name and so an index.
  mutating func number(of event: ScannedEvent) -> Int32 {
    if let last, last.terms == event.terms, last.context == event.context { return last.number }
    let name = limits[event.terms] ?? places[event.context] ?? "(none)"
    let number = Int32(interned.intern(name))
    last = (event.terms, event.context, number)
    return number
  }
}
