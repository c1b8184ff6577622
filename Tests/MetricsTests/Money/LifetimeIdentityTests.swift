import GRDB
import Testing

@testable import Metrics

/// Identities of definitions 6.4 and 7.5 that hold on every store, whatever its events.
@Suite struct LifetimeIdentityTests {
  private static let seeds: [UInt64] = [1, 2, 3, 4]

  private static func store(_ seed: UInt64) throws -> TestStore {
    try TestStore(lines: RandomLives(seed: seed, persons: 60).lines.map(\.text))
  }

  private static func options(_ by: [Dimension], _ change: (inout ReportOptions) -> Void = { _ in }) -> ReportOptions {
    var options = ReportOptions()
    options.by = by
    change(&options)
    return options
  }

  private static func read<Result>(
    _ store: TestStore, _ options: ReportOptions, _ body: (ReportQuery) throws -> Result
  ) throws -> Result {
    try store.store.read { try body(ReportQuery($0, options, defaultBy: [])) }
  }

  /// Once all subscriptions have been followed longer than an age, Kaplan–Meier agrees with the counts of definitions
  /// 6.2.
  @Test(arguments: seeds) func whereAllAreFollowedNobodyIsCensoredEarly(seed: UInt64) throws {
    let store = try Self.store(seed)
    let late = Self.options([.plan]) { $0.asOf = 2_000_000_000_000 }
    let sumsOfRows = try Self.read(store, late, Retention.daySums)
    let table = try store.table(
      "cancellations", "--by", "plan", "--as-of", "2033-05-18T03:33:20Z")
    #expect(!sumsOfRows.isEmpty)
    let plans = try Self.read(store, late) { query in
      Dictionary(uniqueKeysWithValues: sumsOfRows.map { (query.labels($0.key), $0.value) })
    }
    var compared = 0
    for row in table.rows {
      guard let rowSums = plans[Array(row.prefix(2))] else { continue }
      compared += 1
      #expect(table.number("subscriptions", in: row) == Double(rowSums.subscriptions))
      #expect(
        rowSums.ended.count + rowSums.censored.count == rowSums.subscriptions && rowSums.ended.count == rowSums.churned)
      for age in [35, 95, 370] {
        let length = Int64(age) * 86_400_000
        let ended = rowSums.ended.count { $0 < length }
        #expect(table.number("ended_\(age)", in: row) == Double(ended))
      }
    }
    #expect(compared == plans.count)
  }

  /// Cohorts by month add up to the whole: subscriptions, chances and payments, for any payment number.
  @Test(arguments: seeds) func cohortsAddUp(seed: UInt64) throws {
    let store = try Self.store(seed)
    func total(_ by: [Dimension]) throws -> [Int32: (Int, PeriodCounts)] {
      var totals: [Int32: (Int, PeriodCounts)] = [:]
      for (key, rowSums) in try Self.read(store, Self.options(by), { try Retention.periodSums($0, limit: 13) }) {
        totals[key.app, default: (0, PeriodCounts())].0 += rowSums.subscriptions
        totals[key.app, default: (0, PeriodCounts())].1.add(rowSums.counts)
      }
      return totals
    }
    let (whole, months) = (try total([]), try total([.month, .plan, .variant]))
    #expect(!whole.isEmpty && whole.keys == months.keys)
    for (app, (subscriptions, counts)) in whole {
      #expect(months[app]?.0 == subscriptions)
      for number in 2...13 {
        #expect(months[app]?.1.chances(of: number) == counts.chances(of: number))
        #expect(months[app]?.1.paid(of: number) == counts.paid(of: number))
        #expect(
          counts.paid(of: number) <= counts.atRisk(of: number)
            && counts.atRisk(of: number) <= counts.chances(of: number))
      }
    }
  }

  /// The revenue of users by month and variant within a year adds up to that of all users. Once all users have been
  /// followed for a year, it equals the gross revenue of the year after the first event by plain SQL over the payments.
  @Test(arguments: seeds) func cohortRevenueSumsToTheTotal(seed: UInt64) throws {
    let store = try Self.store(seed)
    func total(_ by: [Dimension], _ mode: ReportOptions.Mode) throws -> [RowKey: Int128] {
      let options = Self.options(by) {
        $0.asOf = 2_000_000_000_000
        $0.mode = mode
      }
      var totals: [RowKey: Int128] = [:]
      for (key, rowSums) in try Self.read(store, options, LTV.sumsOfRows) {
        totals[RowKey(app: key.app, codes: [key.codes[key.codes.count - 1]]), default: 0] += rowSums.realised.sums[4]
      }
      return totals
    }
    for mode in ReportOptions.Mode.allCases {
      #expect(try total([.month, .variant], mode) == total([], mode))
      #expect(try total([.plan, .week], mode) == total([], mode))
    }
    let database = try DatabaseQueue(path: store.store.path)
    let rows = try database.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT p.app, p.currency, SUM(p.price)
          FROM payment_fact AS p
          JOIN (SELECT user.person AS person, MIN(e.ts) AS ts FROM event_row AS e JOIN user ON user.id = e.user GROUP BY 1) AS f
            ON f.person = p.person
          WHERE p.ts < f.ts + 365 * 86400000
          GROUP BY p.app, p.currency
          """)
    }
    let expected = Dictionary(
      uniqueKeysWithValues: rows.map { row in
        (RowKey(app: row[0], codes: [row[1]]), Int128(row[2] as Int64) * ReportCurrency.parts)
      })
    #expect(try total([], .gross) == expected)
  }

  /// The refunded amounts agree between payment day, refund day and `revenue`.
  @Test(arguments: seeds) func refundsAreTheSameByEitherDay(seed: UInt64) throws {
    let store = try Self.store(seed)
    func total(_ byRefundDay: Bool) throws -> [Int64: [Int128]] {
      let options = Self.options([.month, .plan]) { $0.isByRefundDay = byRefundDay }
      var totals: [Int64: [Int128]] = [:]
      for (key, rowSums) in try Self.read(store, options, Refunds.sumsOfRows) {
        let sums = [rowSums.amount, rowSums.gross, Int128(rowSums.payments), Int128(rowSums.full)]
        totals[key.codes[2]] = zip(totals[key.codes[2]] ?? [0, 0, 0, 0], sums).map { $0 + $1 }
      }
      return totals
    }
    let byPayment = try total(false)
    #expect(try total(true) == byPayment)
    let refunded = try Self.read(store, Self.options([]), Revenue.sumsOfRows).values.reduce(0) { $0 + $1.refunded }
    #expect(byPayment.values.reduce(0) { $0 + $1[0] } == refunded)
  }

  /// A past as-of agrees with a store that never saw the later events (definitions 1.1).
  @Test(arguments: seeds) func thePastIsThatOfAStoreThatNeverSawTheRest(seed: UInt64) throws {
    let lives = RandomLives(seed: seed, persons: 40).lines
    let full = try TestStore(lines: lives.map(\.text))
    for days in [20, 75, 300] {
      let asOf = lives[0].ts + Int64(days) * 86_400_000
      let past = try TestStore(lines: lives.filter { $0.ts < asOf }.map(\.text))
      for by in [[.plan], [.month, .variant], [.country]] as [[Dimension]] {
        for flag in [false, true] {
          let options = Self.options(by) {
            $0.asOf = asOf
            $0.isByPeriod = flag
            $0.isByRefundDay = flag
          }
          for make in [Retention.report, Refunds.report, LTV.report] {
            let expected = try past.store.read { try make($0, options) }
            #expect(try full.store.read { try make($0, options) }.rows == expected.rows)
          }
        }
      }
    }
  }
}
