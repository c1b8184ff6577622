internal import Basics
internal import EventModel
internal import Lifecycle
internal import Statistics
public import Store

/// Reports subscription retention by cohorts of first payments; by period, payments are due by ``DueDates``.
public enum Retention {
  /// Ages in days: a billing date and its grace after 7, 30, 60, 90, 180 and 365 days, as in definitions 6.2.
  public static let defaultAges = [12, 35, 65, 95, 185, 370]
  /// Payment numbers: the first six renewals, and those after 12 and 24 periods.
  public static let defaultPayments = [2, 3, 4, 5, 6, 7, 13, 25]

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, by: .retention)
    return options.isByPeriod ? try byPeriod(query) : try byDays(query)
  }

  private static let units =
    "subscriptions: first purchases except lifetime ones, by the day, week or month of the first payment. A "
    + "subscription that started before the data is in no cohort (2.9, 6.2)"

  private static func byDays(_ query: ReportQuery) throws -> Report {
    let ages = query.options.points ?? defaultAges
    let sumsOfRows = try daySums(query)
    return query.report(
      "retention", title: "Retention of subscriptions by days",
      definition: [
        units,
        "survival_A: share that lasts longer than A days, by Kaplan–Meier. A subscription ends where its paid time "
          + "does (2.7), once it has churned (2.8, 6.4)",
        "Each is observed until one grace period before the data end, because later ends are not known yet. If a "
          + "billing issue extended its grace, it is observed to the end of its paid time (1.7)",
        "at_risk_A: subscriptions active and followed just before A days. survival_A is empty if there are none. "
          + "Its log–log bounds are empty if all or none have left; below 10 at risk they are too narrow",
        "churned: all that had churned by the end of the data. median_days: the least t at which survival is at "
          + "most 1/2",
      ],
      own: [Report.Parameter(name: "at_days", value: ages.map(String.init).joined(separator: " "))],
      columns: [
        .count("subscriptions", \.subscriptions), .count("churned", \.churned), survivals(ages),
      ], rows: query.rows(sumsOfRows), totals: query.totals(sumsOfRows) { $0.add($1) })
  }

  private static func byPeriod(_ query: ReportQuery) throws -> Report {
    let numbers = query.options.points ?? defaultPayments
    return query.report(
      "retention", title: "Retention of subscriptions by period",
      definition: [
        units,
        "retention_N: share that made payment N (paid_N), out of those whose due date and grace are past "
          + "(at_risk_N). A payment is due at the end of the period that the one before paid for; after the last "
          + "payment, at the lengths of its plan (6.4)",
        "survival_N: Kaplan–Meier over payments, the product of the shares for payments 2 to N. It also uses "
          + "cohorts that are too recent to count for payment N",
        "Cells are empty if no payment was due. retention_N has Wilson's bounds. The log–log bounds of survival_N "
          + "are empty if all or none have left",
      ],
      own: [Report.Parameter(name: "at_payments", value: numbers.map(String.init).joined(separator: " "))],
      columns: [
        .count("subscriptions", \.subscriptions), survivals(ofPayments: numbers),
        .each(numbers) { _, number in
          [
            .count("at_risk_\(number)") { $0.counts.chances(of: number) },
            .count("paid_\(number)") { $0.counts.paid(of: number) },
            .share("retention_\(number)", { $0.counts.paid(of: number) }, of: { $0.counts.chances(of: number) }),
          ]
        },
      ], rows: query.rows(try periodSums(query, limit: numbers.max() ?? 1)))
  }

  /// The median, then those at risk and the survival at ages in days.
  private static func survivals(_ ages: [Int]) -> SumsColumn<DaySums> {
    let columns = ages.flatMap {
      [ReportColumn("at_risk_\($0)", .count)] + ReportColumn.estimate("survival_\($0)", of: .survival)
    }
    return SumsColumn([ReportColumn("median_days", .number)] + columns) { sums, _ in
      let (times, ended, censored) = mergedTimes(sums.ended, sums.censored)
      let curve = KaplanMeier(times: times, events: ended, censored: censored)
      return [.number(curve.median.map { Double($0) / Double(day) })]
        + ages.flatMap { age -> [ReportValue] in
          let time = Int64(age) * day
          // Times ascend: those at risk just before an age are at risk at the first step at or after it.
          let next = curve.steps.firstPlace { $0.time >= time }
          let atRisk = next < curve.steps.count ? curve.steps[next].atRisk : 0
          return [.count(atRisk)] + ReportValue.survival(curve.step(at: time), isKnown: atRisk > 0)
        }
    }
  }

  private static func survivals(ofPayments numbers: [Int]) -> SumsColumn<PeriodSums> {
    SumsColumn(numbers.flatMap { ReportColumn.estimate("survival_\($0)", of: .survival) }) { sums, _ in
      let curve = sums.counts.survival
      return numbers.flatMap {
        ReportValue.survival(curve.step(at: $0), isKnown: sums.counts.atRisk(of: $0) > 0)
      }
    }
  }

  /// Times from the first payment, in ms.
  struct DaySums {
    var subscriptions = 0
    var churned = 0
    var ended: [Int64] = []
    var censored: [Int64] = []

    mutating func add(_ other: DaySums) {
      subscriptions += other.subscriptions
      churned += other.churned
      ended += other.ended
      censored += other.censored
    }
  }

  struct PeriodSums {
    var subscriptions = 0
    var counts = PeriodCounts()
  }

  /// Follows each spell to its end, or to T − grace; with ``DueDates`` by period, implements definitions 6.4.
  static func daySums(_ query: ReportQuery) throws -> [RowKey: DaySums] {
    try sumsOfRows(query, of: DaySums()) { sums, spell, _, asOf in
      let known = asOf - query.options.grace
      sums.subscriptions += 1
      if spell.graceEnd <= asOf {
        sums.churned += 1
        sums.ended.append(spell.coverEnd - spell.start)
      } else if known >= spell.start {
        sums.censored.append(min(known, spell.coverEnd) - spell.start)
      }
    }
  }

  static func periodSums(_ query: ReportQuery, limit: Int) throws -> [RowKey: PeriodSums] {
    try sumsOfRows(query, of: PeriodSums()) { sums, spell, money, asOf in
      let dates = DueDates(spell, of: money, grace: query.options.grace, asOf: asOf)
      sums.subscriptions += 1
      sums.counts.add(chancesUpTo: dates.lastChance(limit: limit), payments: spell.payments.count)
    }
  }

  /// Adds each first purchase, except lifetimes, to each row that it is credited to.
  private static func sumsOfRows<Sums>(
    _ query: ReportQuery, of none: Sums,
    _ add: (inout Sums, PersonMoney.Spell, borrowing PersonMoney, _ asOf: Int64) -> Void
  ) throws -> [RowKey: Sums] {
    let scan = try PaymentHistoryReader(query.facts)
    var rows = try UnitRows(query)
    var sumsOfRows = RowSums(none)
    let asOfs = query.asOfs
    try scan.forEachPerson { money in
      rows.person = money.person
      for spell in money.spells where spell.isPurchase {
        let credits = money.credits[spell.credits]
        guard let cellKey = credits.first.map({ scan.cellKey($0.cellKey) }),
          cellKey.plan != Int8(Plan.lifetime.rawValue)
        else { continue }
        let asOf = asOfs[cellKey.app] ?? .min
        rows.forEachRow(credits, at: spell.start, scan.cellKey) { row in
          add(&sumsOfRows[row], spell, money, asOf)
        }
      }
    }
    return sumsOfRows.byKey(rows.keys)
  }
}

extension ReportValue {
  /// Returns survival with its log–log bounds, then its variance.
  ///
  /// - Parameters:
  ///   - step: The last step up to the requested time; `nil` before the first.
  ///   - isKnown: Whether any subscription was followed that long.
  static func survival(_ step: KaplanMeier<some Comparable & Sendable>.Step?, isKnown: Bool) -> [ReportValue] {
    guard isKnown || step?.survival == 0 else { return noEstimate }
    let bounds = step?.logLogInterval()
    let error = step.map { $0.standardError ?? 0 } ?? 0
    return [.rate(step?.survival ?? 1), .rate(bounds?.low), .rate(bounds?.high), .number(error * error)]
  }
}
