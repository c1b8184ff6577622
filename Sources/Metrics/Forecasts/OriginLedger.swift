internal import EventModel
internal import Lifecycle
internal import Store

/// The purchases of each row as known at one instant, those active at it, and the money of all spells.
struct OriginLedger {
  /// The purchases of a row.
  struct Cohort {
    /// By the plan of the first payment; those active at the origin, without lifetime plans, which have no renewals.
    var active: [Plan: Active] = [:]
    /// All purchases before the origin by plan, from which survival and amounts are estimated.
    var bought: [Plan: PlanPurchases] = [:]
    var members: [OriginMember] = []
  }

  struct Active {
    var purchases = 0
    /// Purchases by the renewals that they come to.
    var counts = DueTable()
    /// Last payments by the same, in ``ReportCurrency/parts``.
    var amounts = DueTable()
    /// The sum of the last payments, in ``ReportCurrency/parts``.
    var lastPayments: Int128 = 0
  }

  /// By row and currency.
  private(set) var cohorts: [CellKey: Cohort] = [:]
  private(set) var later: LaterMoney

  /// - Parameter origin: The instant at which purchases are active, in ms; `nil` to read the money of spells alone.
  init(_ query: ReportQuery, at origin: Int64?) throws {
    let reader = try PurchaseReader(query)
    let scan = try PaymentHistoryReader(query.facts)
    var rows = try UnitRows(query)
    var cells = CurrencyCells(Cohort())
    var later = try LaterMoney(query, reader)
    try scan.forEachPerson { money in
      later.add(money)
      guard let origin else { return }
      for spell in money.spells where spell.isPurchase {
        let payments = money.payments[spell.payments]
        guard let start = payments.first, let last = payments.last, start.plan != .lifetime else { continue }
        let code = reader.currency.code(start.currency)
        let purchase = try reader.purchase(spell, of: money, asOf: origin)
        let isActive = spell.coverEnd > origin
        let dues = isActive ? DueTable.dues(spell, of: money, after: origin) : []
        let isInCurrency = reader.currency.code(last.currency) == code
        let lastPayment = isActive && isInCurrency ? try reader.left(of: last, money, code: code) : 0
        rows.forEachRow(money.credits[spell.credits], of: scan, at: spell.start) { row in
          cells[row, code].bought[start.plan, default: PlanPurchases()].add(purchase)
          guard isActive else { return }
          cells[row, code].active[start.plan, default: Active()].add(payments.count, dues, lastPayment)
          cells[row, code].members.append(
            OriginMember(person: money.person, terms: start.terms, start: start.ts))
        }
      }
    }
    try reader.currency.check()
    cohorts = cells.byKey(rows.keys)
    self.later = later
  }
}

extension OriginLedger.Active {
  /// - Parameters:
  ///   - payments: Payments made so far.
  ///   - lastPayment: ``ReportCurrency/parts``.
  fileprivate mutating func add(_ payments: Int, _ dues: [Int], _ lastPayment: Int128) {
    purchases += 1
    counts.add(payments: payments, dues: dues, weight: 1)
    amounts.add(payments: payments, dues: dues, weight: lastPayment)
    lastPayments += lastPayment
  }
}

extension OriginLedger.Cohort {
  /// Purchases that are active at the origin.
  var purchases: Int { members.count }
  /// The sum of the last payments of active purchases, in ``ReportCurrency/parts``.
  var lastPayments: Int128 { active.values.reduce(0) { $0 + $1.lastPayments } }
}
