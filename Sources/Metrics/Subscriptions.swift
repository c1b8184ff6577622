internal import EventModel
internal import Lifecycle
public import Store

/// Active subscriptions and trials, and how they come and go (definitions 2.7, 2.8, 7.3, 7.4).
public enum Subscriptions {
  private static let defaultBy: [Dimension] = [.variant, .entryPoint]

  /// How long after the end of cover a store tries to collect a failed charge: the 60 d of definitions 2.8.
  private static let billingRetry = 60 * day

  struct Flow: StateFlow {
    var opening = 0
    /// By ``SpellHistory/Movement``.
    var movements = [Int](repeating: 0, count: SpellHistory.Movement.allCases.count)
    var churnedOfOpening = 0
    var status = Status()
    var trialsActive = 0
    var trialsStarted = 0
    private var changes = 0

    struct Status {
      var renewing = 0
      var setToCancel = 0
      var lifetime = 0
      var inGrace = 0
      var billingRetry = 0
    }

    subscript(movement: SpellHistory.Movement) -> Int { movements[movement.rawValue] }

    var closing: Int {
      opening + self[.new] + self[.resubscribed] + self[.expansion] - self[.contraction] - self[.churned]
    }

    mutating func open(after previous: Flow) {
      opening = previous.closing
      trialsActive = previous.trialsActive
    }

    mutating func add(_ movement: SpellHistory.Movement) {
      movements[movement.rawValue] += 1
      changes += 1
    }

    mutating func add(trials: Int) {
      trialsActive += trials
      if trials > 0 { trialsStarted += trials }
      changes += 1
    }

    mutating func add(_ other: Flow) {
      for place in movements.indices { movements[place] += other.movements[place] }
      churnedOfOpening += other.churnedOfOpening
      status = other.status
      trialsActive += other.trialsActive
      trialsStarted += other.trialsStarted
      changes += other.changes
    }

    var isEmpty: Bool {
      opening == 0 && closing == 0 && trialsActive == 0 && changes == 0 && status.inGrace == 0
        && status.billingRetry == 0
    }
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, defaultBy: defaultBy)
    let state = try StateQuery(query)
    // What a subscription's state was before the as-of, a report as of then says.
    let showsStatus = state.period == nil && options.to == nil
    let cells = try options.showsMovement ? spellCells(state) : self.cells(state, withStatus: showsStatus)
    let columns = options.showsMovement ? movementColumns : self.columns + (showsStatus ? statusColumns : [])
    return query.report(
      "subscriptions", title: options.showsMovement ? "Movement of subscriptions" : "Subscriptions",
      definition: [
        "active: covered at the as-of, or before --to; by day, week or month at the end of each (2.7)",
        "new, resubscribed: spells that began in the period, first ones and later ones; churned: spells that ended in it "
          + "and were not paid again within grace (2.8); churn_rate: churned of those active at its start (7.4)",
        "opening + new + resubscribed + recovered − churned − lapsed = closing; lapsed: a gap in cover before a late "
          + "payment, and an end whose grace is not over; recovered: the late payment (2.8, 7.3)",
        "renewing, set_to_cancel, lifetime: the active ones, by whether auto-renew is off; in_grace: not active, but grace "
          + "is not over; billing_retry: churned for billing less than 60 d ago (2.8)",
        "trials: of both kinds, active before their end and conversion (2.2); they have their own dimensions, "
          + "subscriptions those of the first payment of the spell (2.10, 2.11)",
      ],
      own: [Report.Parameter(name: "movement", value: options.showsMovement ? "true" : "false")],
      columns: query.keyColumns + columns,
      rows: query.rows(cells) { _, flow in
        options.showsMovement ? movement(flow) : values(flow, showsStatus: showsStatus)
      })
  }

  private static let columns =
    ["active", "new", "resubscribed", "churned"].map { ReportColumn($0, .count) } + ReportColumn.rate("churn_rate")
    + ["trials_active", "trials_started"].map { ReportColumn($0, .count) }

  private static let statusColumns = ["renewing", "set_to_cancel", "lifetime", "in_grace", "billing_retry"].map {
    ReportColumn($0, .count)
  }

  private static let movementColumns = [
    "opening", "new", "resubscribed", "recovered", "lapsed", "churned", "closing",
  ].map { ReportColumn($0, .count) }

  private static func values(_ flow: Flow, showsStatus: Bool) -> [ReportValue] {
    let status = [
      flow.status.renewing, flow.status.setToCancel, flow.status.lifetime, flow.status.inGrace,
      flow.status.billingRetry,
    ]
    return [flow.closing, flow[.new], flow[.resubscribed], flow[.churned]].map { .count($0) }
      + ReportValue.share(flow.churnedOfOpening, of: flow.opening)
      + [.count(flow.trialsActive), .count(flow.trialsStarted)] + (showsStatus ? status.map { .count($0) } : [])
  }

  private static func movement(_ flow: Flow) -> [ReportValue] {
    ([flow.opening] + flow.movements + [flow.closing]).map { .count($0) }
  }

  static func cells(_ state: StateQuery, withStatus: Bool) throws -> [CellKey: Flow] {
    var table = StateTable<Flow>()
    try addSpells(state, withStatus: withStatus, to: &table)
    try addTrials(state, to: &table)
    return table.rows(state)
  }

  /// Without trials: their rows have no movement.
  private static func spellCells(_ state: StateQuery) throws -> [CellKey: Flow] {
    var table = StateTable<Flow>()
    try addSpells(state, withStatus: false, to: &table)
    return table.rows(state).filter { $0.value.opening != 0 || $0.value.movements.contains { $0 != 0 } }
  }

  private static func addSpells(_ state: StateQuery, withStatus: Bool, to table: inout StateTable<Flow>) throws {
    let asOf = state.query.asOfs
    let one = SpellHistory.Level(currency: 0, amount: 1)
    try state.forEachSpell { key, spell in
      guard let periods = state.periods(of: spell.app) else { return }
      let asOf = asOf[spell.app] ?? .min
      let payments = spell.payments.map { SpellHistory.Payment(ts: $0.ts, coverEnd: $0.coverEnd, level: one) }
      let changes = SpellHistory.changes(payments, ordinal: spell.ordinal, isChurned: spell.graceEnd <= asOf)
      for change in changes {
        table.change(key, at: change.ts, in: periods) { flow in
          flow.add(change.movement)
          guard change.movement == .churned, let period = periods.place(of: change.ts), period >= 0 else { return }
          // Changes make a spell active and inactive in turn.
          let before = changes.count { $0.ts < periods.bounds[period] }
          if before % 2 == 1 { flow.churnedOfOpening += 1 }
        }
      }
      if withStatus { addStatus(of: spell, key, asOf: asOf, periods, to: &table) }
    }
  }

  private static func addStatus(
    of spell: SpellRow, _ key: CellKey, asOf: Int64, _ periods: Periods, to table: inout StateTable<Flow>
  ) {
    let place: WritableKeyPath<Flow.Status, Int>
    if asOf < spell.coverEnd {
      place =
        spell.payments.last?.plan == .lifetime ? \.lifetime : spell.isOff ? \.setToCancel : \.renewing
    } else if asOf < spell.graceEnd {
      place = \.inGrace
    } else if spell.reason == .billing, spell.isLast, asOf < spell.coverEnd + billingRetry {
      place = \.billingRetry
    } else {
      return
    }
    table.changeLast(key, in: periods) { $0.status[keyPath: place] += 1 }
  }

  private static func addTrials(_ state: StateQuery, to table: inout StateTable<Flow>) throws {
    let units = state.unitQuery.units(
      from: state.query.facts.table(.trial), instant: "start",
      columns: ["start", "trial_end", "converted_at"].map { "f.\($0) AS \($0)" }, by: state.unitBy,
      unitKey: ["person", "number"])
    let dimensions = state.unitBy.count
    try state.query.facts.forEachRow(
      "SELECT app, \(state.query.dimensionColumns(dimensions))start, trial_end, converted_at FROM (\(units)) AS u"
    ) { row in
      let key = CellKey(row, dimensions: dimensions)
      guard let periods = state.periods(of: key.app) else { return }
      let end = min(row[dimensions + 2], row.optional(dimensions + 3) ?? .max)
      table.change(key, at: row[dimensions + 1], in: periods) { $0.add(trials: 1) }
      table.change(key, at: end, in: periods) { $0.add(trials: -1) }
    }
  }
}
