internal import EventModel
internal import Lifecycle
public import Store

/// Monthly recurring revenue and its movement (definitions 7.2, 7.3).
public enum MRR {
  private static let defaultBy: [Dimension] = [.variant, .entryPoint]

  /// Micro-units of MRR are counted in parts: the least common denominator of the plans' months⁻¹, so that sums are exact.
  static let parts: Int128 = 4800

  /// One price of a plan as MRR, in ``parts``: price × months⁻¹, a week being 7 ÷ (365.2425 ÷ 12) months; `nil` for a
  /// lifetime.
  ///
  /// Of a week that is 365.2425 ÷ 7 ÷ 12 = 4.348125 = 20 871 ÷ 4800.
  static func amount(_ plan: Plan, price: Int64) -> Int128? {
    switch plan {
    case .weekly: 20_871 * Int128(price)
    case .lifetime: nil
    default: plan.months.map { parts / Int128($0) * Int128(price) }
    }
  }

  /// In ``parts``; the movements that take away are negative.
  struct Flow: StateFlow {
    var opening: Int128 = 0
    /// By ``SpellHistory/Movement``.
    var movements = [Int128](repeating: 0, count: SpellHistory.Movement.allCases.count)
    var active = 0
    private var changes = 0

    var closing: Int128 { movements.reduce(opening, +) }

    mutating func open(after previous: Flow) {
      opening = previous.closing
      active = previous.active
    }

    mutating func add(_ change: SpellHistory.Change) {
      movements[change.movement.rawValue] += change.amount
      active += change.active
      changes += 1
    }

    mutating func add(_ other: Flow) {
      for place in movements.indices { movements[place] += other.movements[place] }
      active += other.active
      changes += other.changes
    }

    var isEmpty: Bool { active == 0 && changes == 0 }
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, defaultBy: defaultBy)
    let cells = try cells(StateQuery(query))
    return query.report(
      "mrr", title: options.showsMovement ? "Movement of monthly recurring revenue" : "Monthly recurring revenue",
      definition: [
        "mrr: Σ over active subscriptions, lifetime aside, of last price × months⁻¹: weekly 365.2425 ÷ 7 ÷ 12, monthly "
          + "1, two-month 1/2, quarterly 1/3, semiannual 1/6, yearly 1/12; arr = 12 × mrr (2.7, 7.2)",
        "rows are states at the as-of, or before --to; by day, week or month at the end of each (7.2)",
        "opening + new + resubscribed + expansion + contraction + churned = closing; new: first cover of a subscription, "
          + "also of one that began before the data; a gap in cover before a late payment, and an end that is not churn "
          + "yet, are contraction (2.8, 2.9, 7.3)",
        "dimensions are those of the first payment of a spell (2.10, 2.11)",
      ],
      own: [Report.Parameter(name: "movement", value: options.showsMovement ? "true" : "false")],
      columns: query.currencyKeyColumns + (options.showsMovement ? movementColumns : columns),
      rows: query.rowsByCurrency(cells) { _, flow, currency in
        func money(_ amount: Int128) -> ReportValue {
          .money(roundedToOdd(amount, dividedBy: parts), currency: currency)
        }
        return options.showsMovement
          ? [money(flow.opening)] + flow.movements.map(money) + [money(flow.closing)]
          : [.count(flow.active), money(flow.closing), money(12 * flow.closing)]
      })
  }

  private static let columns = [
    ReportColumn("active_subscriptions", .count), ReportColumn("mrr", .money), ReportColumn("arr", .money),
  ]

  private static let movementColumns = [
    "opening", "new", "resubscribed", "expansion", "contraction", "churned", "closing",
  ].map { ReportColumn($0, .money) }

  /// By row and, behind its dimensions, currency.
  static func cells(_ state: StateQuery) throws -> [CellKey: Flow] {
    var table = StateTable<Flow>()
    let asOf = state.query.asOfs
    try state.forEachSpell { key, spell in
      guard let periods = state.periods(of: spell.app) else { return }
      let payments = spell.payments.map { payment in
        SpellHistory.Payment(
          ts: payment.ts, coverEnd: payment.coverEnd,
          level: payment.plan.flatMap { amount($0, price: payment.price) }
            .map { SpellHistory.Level(currency: payment.currency, amount: $0) })
      }
      let isChurned = spell.graceEnd <= asOf[spell.app] ?? .min
      for change in SpellHistory.changes(payments, ordinal: spell.ordinal, isChurned: isChurned) {
        var key = key
        key.codes.append(Int64(change.currency))
        table.change(key, at: change.ts, in: periods) { $0.add(change) }
      }
    }
    return table.rows(state)
  }
}
