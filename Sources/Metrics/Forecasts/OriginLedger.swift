internal import EventModel
internal import Lifecycle
internal import Store

/// The purchases of each row as known at one instant, those active at it, and the money of all spells.
struct OriginLedger {
  /// The purchases of a row.
  struct Cohort {
    /// By the plan of the last payment; those active at the origin, without lifetime plans, which have no renewals.
    var active: [Plan: Active] = [:]
    /// Those sums by age.
    var ages: [AgeBand: [Plan: Active]] = [:]
    /// All purchases before the origin by plan, from which survival and amounts are estimated.
    var bought: [Plan: PlanRuns] = [:]
    var members: [OriginMember] = []
    /// Those that became 30 days old since the origin before, whatever became of them.
    var new = New()
    /// All purchases, from which `ltv` predicts the value of one (definitions 7.6).
    var all: [Plan: PlanPurchases] = [:]
  }

  struct New {
    var members: [OriginMember] = []
    /// The sum of the first payments, in ``ReportCurrency/parts``.
    var firstPayments: Int128 = 0
    var plans: [Plan: Int] = [:]
  }

  struct Active {
    var purchases = 0
    /// Purchases by state and the renewals that they come to.
    var counts: [RenewalState: DueTable] = [:]
    /// Last payments by the same renewals, in ``ReportCurrency/parts``.
    var amounts = DueTable()
    /// The sum of the last payments, in ``ReportCurrency/parts``.
    var lastPayments: Int128 = 0
  }

  /// By row and currency.
  private(set) var cohorts: [RowKey: Cohort] = [:]
  /// All purchases of an app, whatever their row and currency, by plan.
  private(set) var bought: [NameID: [Plan: PlanRuns]] = [:]
  private(set) var later: LaterMoney
  private(set) var trials = OriginTrials()

  /// Purchases of which none is known to be active.
  init(cohorts: [RowKey: Cohort], later: LaterMoney) { (self.cohorts, self.later) = (cohorts, later) }

  /// - Parameters:
  ///   - origin: The instant at which purchases are active, in ms.
  ///   - before: The origin before.
  init(_ query: ReportQuery, at origin: Int64, after before: Int64) throws {
    let reader = try PurchaseReader(query)
    let scan = try PaymentHistoryReader(query.facts)
    var rows = try UnitRows(query)
    var byRow = CurrencySums(Cohort())
    var bought: [NameID: [Plan: PlanRuns]] = [:]
    var later = try LaterMoney(query, reader)
    var currencies = try CurrenciesSold(query.facts)
    try scan.forEachPerson { money in
      later.add(money)
      for spell in money.spells where spell.isPurchase {
        let payments = money.payments[spell.payments]
        guard let start = payments.first, let last = payments.last else { continue }
        let code = reader.currency.code(start.currency)
        let purchase = try reader.purchase(spell, of: money, asOf: origin)
        let isNew = ForecastTarget.isNew(start.ts, at: origin, after: before)
        let new = isNew ? OriginMember(spell, of: money, after: origin) : nil
        let runs = start.plan == .lifetime ? [] : try reader.runs(spell, of: money, code: code, asOf: origin)
        if let credit = money.credits[spell.credits].first {
          let app = scan.cellKey(credit.cellKey).app
          currencies.add(app, client: credit.client, start.currency)
          for (plan, run) in runs { bought[app, default: [:]][plan, default: PlanRuns()].add(run) }
        }
        let isActive = start.plan != .lifetime && spell.coverEnd > origin
        let member = isActive ? OriginMember(spell, of: money, after: origin) : nil
        let dues = member == nil ? [] : DueTable.dues(spell, of: money, after: origin)
        let isInCurrency = reader.currency.code(last.currency) == code
        let lastPayment = member != nil && isInCurrency ? try reader.left(of: last, money, code: code) : 0
        rows.forEachRow(money.credits[spell.credits], at: spell.start, scan.cellKey) { row in
          byRow[row, code].all[start.plan, default: PlanPurchases()].add(purchase)
          if let new { byRow[row, code].new.add(new, start.plan, purchase.first) }
          for (plan, run) in runs { byRow[row, code].bought[plan, default: PlanRuns()].add(run) }
          guard let member else { return }
          byRow[row, code].active[member.plan, default: Active()].add(member, dues, lastPayment)
          byRow[row, code].ages[member.age(at: origin), default: [:]][member.plan, default: Active()]
            .add(member, dues, lastPayment)
          byRow[row, code].members.append(member)
        }
      }
    }
    try reader.currency.check()
    cohorts = byRow.byKey(rows.keys)
    self.bought = bought
    trials = try OriginTrials(query, currencies, reader.currency, &later, at: origin)
    self.later = later
  }
}

extension OriginLedger.Active {
  /// - Parameters:
  ///   - dues: The renewals due within each horizon.
  ///   - lastPayment: ``ReportCurrency/parts``.
  fileprivate mutating func add(_ member: OriginMember, _ dues: [Int], _ lastPayment: Int128) {
    purchases += 1
    counts[member.state, default: DueTable()].add(payments: member.payments, dues: dues, weight: 1)
    amounts.add(payments: member.payments, dues: dues, weight: lastPayment)
    lastPayments += lastPayment
  }
}

extension OriginLedger.New {
  mutating func add(_ member: OriginMember, _ plan: Plan, _ firstPayment: Int128) {
    members.append(member)
    plans[plan, default: 0] += 1
    firstPayments += firstPayment
  }
}

extension PurchaseReader {
  /// Returns the runs of a purchase by plan.
  ///
  /// - Parameters:
  ///   - code: ``ReportCurrency/code(_:)`` of its first payment.
  ///   - asOf: Milliseconds.
  fileprivate func runs(
    _ spell: PersonMoney.Spell, of money: borrowing PersonMoney, code: Int64, asOf: Int64
  ) throws -> [(plan: Plan, run: PlanRuns)] {
    func left(_ place: Int) throws -> Int128? {
      let payment = money.payments[place]
      return currency.code(payment.currency) == code ? try self.left(of: payment, money, code: code) : nil
    }
    let runs = money.runs(of: spell)
    return try runs.enumerated().map { number, run in
      let next = number + 1 < runs.count ? runs[number + 1].lowerBound : nil
      let dates = DueDates(
        money.payments[run], graceEnd: next.map { money.payments[$0].ts } ?? spell.graceEnd, grace: grace, asOf: asOf)
      var own = PlanRuns()
      own.add(dates, payments: try run.map(left), change: try next.map(left))
      return (money.payments[run.lowerBound].plan, own)
    }
  }
}

extension OriginLedger.Cohort {
  var purchases: Int { members.count }
}

extension [Plan: OriginLedger.Active] {
  /// The sum of the last payments, in ``ReportCurrency/parts``.
  var lastPayments: Int128 { values.reduce(0) { $0 + $1.lastPayments } }
}
