internal import EventModel
internal import Lifecycle
public import Store

/// Reports active subscriptions and trials, and their starts and ends (definitions 2.8, 7.3, 7.4).
///
/// Active are those whose cover, by `PersonFold.endCovers`, holds the instant.
public enum Subscriptions {
  /// The time after the end of cover during which a store retries a failed charge: 60 d (definitions 2.8).
  private static let billingRetry = 60 * day

  struct Flow: StateFlow {
    var opening = 0
    var movements = SpellHistory.Amounts<Int>()
    var churnedOfOpening = 0
    var status = Status()
    var trialsActive = 0
    var trialsStarted = 0
    /// How many of the new ones began before the data (definitions 2.9).
    var newOlderThanData = 0
    private var changes = 0

    struct Status {
      var renewing = 0
      var setToCancel = 0
      var lifetime = 0
      var inGrace = 0
      var billingRetry = 0
    }

    subscript(movement: SpellHistory.Movement) -> Int { movements[movement] }

    var closing: Int {
      opening + self[.new] + self[.resubscribed] + self[.expansion] - self[.contraction] - self[.churned]
    }

    mutating func open(after previous: Flow) {
      opening = previous.closing
      trialsActive = previous.trialsActive
    }

    mutating func add(_ movement: SpellHistory.Movement) {
      movements[movement] += 1
      changes += 1
    }

    mutating func add(trials: Int) {
      trialsActive += trials
      if trials > 0 { trialsStarted += trials }
      changes += 1
    }

    mutating func add(_ other: Flow) {
      movements.add(other.movements)
      churnedOfOpening += other.churnedOfOpening
      status = other.status
      trialsActive += other.trialsActive
      trialsStarted += other.trialsStarted
      newOlderThanData += other.newOlderThanData
      changes += other.changes
    }

    var isEmpty: Bool {
      opening == 0 && closing == 0 && trialsActive == 0 && changes == 0 && status.inGrace == 0
        && status.billingRetry == 0
    }
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, by: .subscriptions)
    let state = try StateQuery(query)
    // The state before the as-of is in a report as of then.
    let showsStatus = state.period == nil && options.to == nil
    let sumsOfRows = try options.showsMovement ? spellSums(state) : self.sumsOfRows(state, withStatus: showsStatus)
    var report = query.report(
      "subscriptions", title: options.showsMovement ? "Movement of subscriptions" : "Subscriptions",
      definition: [
        "active: subscriptions covered at the end of the data, or before --to. By day, week or month: at the end of "
          + "each (2.7)",
        "new: subscriptions whose first paid time in the data is in the period, even if they started before the data. "
          + "resubscribed: those that started again in it. churned: those that ended in it and were not paid again "
          + "within grace (2.8, 2.9). churn_rate: share of those active at its start that churned (7.4)",
        "opening + new + resubscribed + recovered − churned − lapsed = closing. lapsed: a gap before a late "
          + "payment, or an end whose grace is not over. recovered: that late payment (2.8, 7.3)",
        "renewing, set_to_cancel, lifetime: active ones, by whether auto-renew is off. in_grace: not active, but "
          + "grace is not over. billing_retry: churned because of billing less than 60 d ago (2.8)",
        "trials: trials of both kinds, active until they end or convert (2.2). They have their own dimensions; "
          + "subscriptions have those of their first payment (2.10, 2.11)",
      ],
      own: [Report.Parameter(name: "movement", value: options.showsMovement ? "true" : "false")],
      columns: options.showsMovement ? movementColumns : columns(withStatus: showsStatus), rows: query.rows(sumsOfRows))
    report.newOlderThanData = sumsOfRows.values.reduce(0) { $0 + $1.newOlderThanData }
    return report
  }

  /// Returns the columns of states; implements definitions 7.4.
  private static func columns(withStatus: Bool) -> [SumsColumn<Flow>] {
    let status: [SumsColumn<Flow>] = [
      .count("renewing", \.status.renewing), .count("set_to_cancel", \.status.setToCancel),
      .count("lifetime", \.status.lifetime), .count("in_grace", \.status.inGrace),
      .count("billing_retry", \.status.billingRetry),
    ]
    return [
      .count("active", \.closing), .count("new", \.[.new]), .count("resubscribed", \.[.resubscribed]),
      .count("churned", \.[.churned]), .share("churn_rate", \.churnedOfOpening, of: \.opening),
      .count("trials_active", \.trialsActive), .count("trials_started", \.trialsStarted),
    ] + (withStatus ? status : [])
      + [.count("churned_of_opening", \.churnedOfOpening).basis, .count("opening", \.opening).basis]
  }

  private static let movementColumns: [SumsColumn<Flow>] = [
    .count("opening", \.opening), .count("new", \.[.new]), .count("resubscribed", \.[.resubscribed]),
    .count("recovered", \.[.expansion]), .count("lapsed", \.[.contraction]), .count("churned", \.[.churned]),
    .count("closing", \.closing),
  ]

  static func sumsOfRows(_ state: StateQuery, withStatus: Bool) throws -> [RowKey: Flow] {
    var table = StateTable<Flow>()
    try addSpells(state, withStatus: withStatus, to: &table)
    try addTrials(state, to: &table)
    return table.rows(state)
  }

  /// Returns the flows without trials, whose rows have no movement.
  private static func spellSums(_ state: StateQuery) throws -> [RowKey: Flow] {
    var table = StateTable<Flow>()
    try addSpells(state, withStatus: false, to: &table)
    return table.rows(state).filter { $0.value.opening != 0 || $0.value.movements.all.contains { $0 != 0 } }
  }

  private static func addSpells(_ state: StateQuery, withStatus: Bool, to table: inout StateTable<Flow>) throws {
    let asOfs = state.query.asOfs
    let one = SpellHistory.Level(currency: 0, amount: 1)
    let spells = try SpellRows(state, withUnits: true)
    var placesInTable: [Int] = []
    var payments: [SpellHistory.Payment] = []
    var changes: [SpellHistory.Change] = []
    try spells.forEach { row in
      guard let periods = state.periods(of: row.app) else { return }
      while placesInTable.count <= row.place { placesInTable.append(table.place(spells.keys[placesInTable.count])) }
      let place = placesInTable[row.place]
      let asOf = asOfs[row.app] ?? .min
      payments.removeAll(keepingCapacity: true)
      for payment in row.payments {
        payments.append(SpellHistory.Payment(ts: payment.ts, coverEnd: payment.coverEnd, level: one))
      }
      SpellHistory.set(&changes, payments, ordinal: row.spell.ordinal, isChurned: row.spell.graceEnd <= asOf)
      for change in changes {
        table.change(place, at: change.ts, in: periods) { flow in
          flow.add(change.movement)
          if change.movement == .new, !row.spell.isPurchase { flow.newOlderThanData += 1 }
          guard change.movement == .churned, let period = periods.place(of: change.ts), period >= 0 else { return }
          // Changes make a spell active and inactive in turn.
          let before = changes.count { $0.ts < periods.bounds[period] }
          if before % 2 == 1 { flow.churnedOfOpening += 1 }
        }
      }
      if withStatus, let status = status(of: row, asOf: asOf) {
        table.changeLast(place, in: periods) { $0.status[keyPath: status] += 1 }
      }
    }
  }

  private static func status(of row: SpellRows.Row, asOf: Int64) -> WritableKeyPath<Flow.Status, Int>? {
    if asOf < row.spell.coverEnd {
      return row.payments.last?.plan == .lifetime ? \.lifetime : row.spell.isOff ? \.setToCancel : \.renewing
    }
    if asOf < row.spell.graceEnd { return \.inGrace }
    let isRetried = row.spell.reason == .billing && row.isLast && asOf < row.spell.coverEnd + billingRetry
    return isRetried ? \.billingRetry : nil
  }

  private static func addTrials(_ state: StateQuery, to table: inout StateTable<Flow>) throws {
    try CellQuery(state.unitQuery, [.trial]).forEachRow(.trial) { key, _, scan in
      guard let periods = state.periods(of: key.app) else { return }
      let place = table.place(key)
      try scan { trials in
        trials.forEachTrial { trial in
          table.add(place, trial.start, until: min(trial.end, trial.convertedAt ?? .max), periods)
        }
      }
    }
  }
}

extension StateTable<Subscriptions.Flow> {
  fileprivate mutating func add(_ place: Int, _ start: Int64, until end: Int64, _ periods: Periods) {
    change(place, at: start, in: periods) { $0.add(trials: 1) }
    change(place, at: end, in: periods) { $0.add(trials: -1) }
  }
}
