internal import EventModel
internal import Lifecycle
public import Store

/// Reports monthly recurring revenue and its movement (definitions 7.2, 7.3).
public enum MRR {
  /// The parts of a micro-unit of MRR: the least common denominator of the plans' months⁻¹, so that sums are exact.
  static let parts = Int128(Plan.weeksPerMonth.denominator)

  /// Returns the MRR of a plan's price, in ``parts`` of its unit: price × months⁻¹; `nil` for a lifetime.
  static func amount(_ plan: Plan, price: Int128) -> Int128? {
    switch plan {
    case .weekly: Int128(Plan.weeksPerMonth.numerator) * price
    case .lifetime: nil
    default: plan.months.map { parts / Int128($0) * price }
    }
  }

  /// Amounts in ``parts`` of ``ReportCurrency/parts`` of a micro-unit; movements that reduce MRR are negative.
  struct Flow: StateFlow {
    var opening: Int128 = 0
    var movements = SpellHistory.Amounts<Int128>()
    var active = 0
    /// Active subscriptions at the opening.
    private(set) var activeBefore = 0
    private var changes = 0

    var closing: Int128 { movements.all.reduce(opening, +) }

    mutating func open(after previous: Flow) {
      opening = previous.closing
      active = previous.active
      activeBefore = previous.active
    }

    mutating func add(_ change: SpellHistory.Change) {
      movements[change.movement] += change.amount
      active += change.active
      changes += 1
    }

    mutating func add(_ other: Flow) {
      opening += other.opening
      activeBefore += other.activeBefore
      movements.add(other.movements)
      active += other.active
      changes += other.changes
    }

    var isEmpty: Bool { active == 0 && changes == 0 }
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    try options.inOneCurrency(snapshot) { options in
      let query = try ReportQuery(snapshot, options, by: .mrr)
      let sumsOfRows = try sumsOfRows(StateQuery(query), showsMovement: options.showsMovement)
      return query.report(
        "mrr", title: options.showsMovement ? "Movement of monthly recurring revenue" : "Monthly recurring revenue",
        definition: [
          "mrr: sum over active subscriptions, except lifetime ones, of the last price ÷ the months that it covers: 1 for "
            + "monthly, 2 two-month, 3 quarterly, 6 semiannual, 12 yearly; weekly prices × 365.2425 ÷ 7 ÷ 12. arr = 12 × "
            + "mrr (2.7, 7.2)",
          "Rows are states at the end of the data, or before --to. By day, week or month: at the end of each (7.2)",
          "opening + new + resubscribed + expansion + contraction + churned = closing. new: a subscription's first "
            + "paid time, even if it started before the data. A gap before a late payment, and an end that is not "
            + "churn yet, are contraction (2.8, 2.9, 7.3)",
          "Dimensions are those of the first payment of the subscription's spell (2.10, 2.11)",
          ReportCurrency.definition + ". The same price at another rate is expansion or contraction",
        ],
        own: [
          query.currencyParameter, Report.Parameter(name: "movement", value: options.showsMovement ? "true" : "false"),
        ],
        columns: options.showsMovement ? movementColumns : columns, rows: query.rowsByCurrency(sumsOfRows))
    }
  }

  /// The parts of a micro-unit of a flow's amounts.
  static let amountParts = parts * ReportCurrency.parts

  private static let columns: [SumsColumn<Flow>] = [
    .count("active_subscriptions", \.active), .money("mrr", \.closing, parts: amountParts),
    .money("arr", { 12 * $0.closing }, parts: amountParts),
  ]

  /// The columns of a table with movements.
  static let movements = ["opening", "new", "resubscribed", "expansion", "contraction", "churned", "closing"]

  private static let movementColumns: [SumsColumn<Flow>] = [
    SumsColumn(movements.map { ReportColumn($0, .money) }) { flow, currency in
      ([flow.opening] + flow.movements.all + [flow.closing]).map {
        .money(roundedToOdd($0, dividedBy: amountParts), currency: currency)
      }
    }
  ]

  /// Returns flows by row, whose key ends with the currency.
  ///
  /// - Parameter showsMovement: Whether every change counts, or only the states at the ends of periods. With states
  ///   only, payments that are not the last one at any of them need no rate.
  static func sumsOfRows(_ state: StateQuery, showsMovement: Bool = true) throws -> [RowKey: Flow] {
    var table = StateTable<Flow>()
    var places = CurrencyPlaces()
    var placesInTable: [Int] = []
    let money = ReportCurrency(state.query)
    let asOfs = state.query.asOfs
    let spells = try SpellRows(state)
    var payments: [SpellHistory.Payment] = []
    var changes: [SpellHistory.Change] = []
    try spells.forEach { row in
      guard let periods = state.periods(of: row.app) else { return }
      payments.removeAll(keepingCapacity: true)
      for place in row.payments.indices {
        let payment = row.payments[place]
        let next = place + 1 < row.payments.endIndex ? row.payments[place + 1].ts : .max
        let isUsed =
          money.target == nil
          || periods.isUsed(payment.ts, until: min(next, row.spell.coverEnd), showsMovement: showsMovement)
        let price = isUsed ? try money.parts(of: payment) : 0
        payments.append(
          SpellHistory.Payment(
            ts: payment.ts, coverEnd: payment.coverEnd,
            level: amount(payment.plan, price: price)
              .map { SpellHistory.Level(currency: NameID(money.code(payment.currency)), amount: $0) }))
      }
      SpellHistory.set(
        &changes, payments, ordinal: row.spell.ordinal, isChurned: row.spell.graceEnd <= asOfs[row.app] ?? .min)
      for change in changes {
        let place = places.place(row.place, Int64(change.currency))
        if place == placesInTable.count { placesInTable.append(table.place(places.key(place, spells.keys))) }
        table.change(placesInTable[place], at: change.ts, in: periods) { $0.add(change) }
      }
    }
    try money.check()
    return table.rows(state)
  }
}
