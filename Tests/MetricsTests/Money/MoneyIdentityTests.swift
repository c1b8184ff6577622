import GRDB
import Testing

@testable import Metrics

/// Identities of definitions 7.1 to 7.4 that hold on every store, whatever its events.
@Suite struct MoneyIdentityTests {
  private static let seeds: [UInt64] = [1, 2, 3, 4, 5, 6]
  private static let dimensions: [[Dimension]] = [[], [.variant], [.plan, .entryPoint]]

  private static func store(_ seed: UInt64) throws -> TestStore {
    try TestStore(lines: RandomLives(seed: seed, persons: 60).lines.map(\.text))
  }

  private static func options(_ by: [Dimension], _ change: (inout ReportOptions) -> Void = { _ in }) -> ReportOptions {
    var options = ReportOptions()
    options.by = by
    change(&options)
    return options
  }

  /// Returns the rows of a period in order, by the rest of the key.
  private static func byRest<Sums>(_ sumsOfRows: [RowKey: Sums], _ place: Int) -> [RowKey: [(
    code: Int64, rowSums: Sums
  )]] {
    var rows: [RowKey: [(code: Int64, rowSums: Sums)]] = [:]
    for (key, rowSums) in sumsOfRows {
      var rest = key
      let code = rest.codes.remove(at: place)
      rows[rest, default: []].append((code, rowSums))
    }
    return rows.mapValues { $0.sorted { $0.code < $1.code } }
  }

  private static func flows(_ store: TestStore, _ options: ReportOptions) throws -> [RowKey: MRR.Flow] {
    try store.store.read { try MRR.sumsOfRows(StateQuery(ReportQuery($0, options, defaultBy: []))) }
  }

  /// Compares micro-units of days, weeks and all time, by app, rest of the key and currency.
  @Test(arguments: seeds) func revenueOfDaysSumsToThatOfMonths(seed: UInt64) throws {
    let store = try Self.store(seed)
    for by in Self.dimensions {
      func total(_ period: [Dimension], _ zone: String) throws -> [RowKey: [Int128]] {
        let options = Self.options(period + by) { $0.timeZone = zone }
        let sumsOfRows = try store.store.read { try Revenue.sumsOfRows(ReportQuery($0, options, defaultBy: [])) }
        var totals: [RowKey: [Int128]] = [:]
        for (key, rowSums) in sumsOfRows {
          let rest = RowKey(app: key.app, codes: Array(key.codes.dropFirst(period.count)))
          let sums = [rowSums.gross, rowSums.refunded, rowSums.net, Int128(rowSums.payments), Int128(rowSums.refunds)]
          totals[rest] = zip(totals[rest] ?? [0, 0, 0, 0, 0], sums).map { $0 + $1 }
        }
        return totals
      }
      let all = try total([], "UTC")
      #expect(!all.isEmpty)
      for period in [Dimension.day, .week, .month] {
        #expect(try total([period], "UTC") == all)
        #expect(try total([period], "America/New_York") == all)
      }
    }
  }

  /// In parts of a micro-unit: each period opens with the previous closing, and movements of days add up to those of
  /// months.
  @Test(arguments: seeds) func movementsLeadFromOpeningToClosing(seed: UInt64) throws {
    let store = try Self.store(seed)
    for by in Self.dimensions {
      var sums: [[RowKey: [Int128]]] = []
      for period in [Dimension.day, .week, .month] {
        let rows = Self.byRest(try Self.flows(store, Self.options([period] + by)), 0)
        var sum: [RowKey: [Int128]] = [:]
        for (key, flows) in rows {
          var closing: Int128 = 0
          for (_, flow) in flows {
            #expect(flow.opening == closing)
            closing = flow.closing
            sum[key] = zip(sum[key] ?? [0, 0, 0, 0, 0], flow.movements.all).map { $0 + $1 }
          }
        }
        sums.append(sum)
      }
      #expect(sums[0] == sums[1] && sums[1] == sums[2])
      let whole = try Self.flows(store, Self.options(by))
      #expect(whole.mapValues(\.movements.all) == sums[0])
    }
  }

  /// Rows of a dimension add up to the whole, at the end of every week.
  @Test(arguments: seeds) func rowsAddUpToTheWhole(seed: UInt64) throws {
    let store = try Self.store(seed)
    let whole = try Self.flows(store, Self.options([.week])).mapValues(\.closing).filter { $0.value != 0 }
    for by in Self.dimensions.dropFirst() {
      var total: [RowKey: Int128] = [:]
      for (key, flow) in try Self.flows(store, Self.options([.week] + by)) {
        total[RowKey(app: key.app, codes: [key.codes[0], key.codes[key.codes.count - 1]]), default: 0] += flow.closing
      }
      #expect(total.filter { $0.value != 0 } == whole)
    }
  }

  /// The oracle is one line of SQL over the payments: spells with a payment that covers the last ms of the day.
  @Test(arguments: seeds) func activeIsTheCountOfSpellsThatCoverTheInstant(seed: UInt64) throws {
    let store = try Self.store(seed)
    let sumsOfRows = try store.store.read {
      try Subscriptions.sumsOfRows(StateQuery(ReportQuery($0, Self.options([.day]), defaultBy: [])), withStatus: false)
    }
    let database = try DatabaseQueue(path: store.store.path)
    let dayLength: Int64 = 86_400_000
    for (app, days) in Dictionary(grouping: sumsOfRows, by: \.key.app) {
      // The last day ends at the as-of.
      for (key, flow) in days.sorted(by: { $0.key.codes[0] < $1.key.codes[0] }).dropLast() {
        let covered = try database.read { db in
          try Int.fetchOne(
            db,
            sql: """
              SELECT COUNT(*) FROM (
                SELECT DISTINCT person, spell FROM payment_fact WHERE app = ?1 AND ts <= ?2 AND ?2 < cover_end)
              """, arguments: [app, key.codes[0] + dayLength - 1])
        }
        #expect(flow.closing == covered)
      }
    }
  }

  /// Past states agree with a store that never saw the later events (definitions 1.1).
  @Test(arguments: seeds) func pastStatesAreThoseOfAStoreThatNeverSawTheRest(seed: UInt64) throws {
    let lives = RandomLives(seed: seed, persons: 40).lines
    let full = try TestStore(lines: lives.map(\.text))
    for days in [20, 75, 130, 300] {
      let asOf = lives[0].ts + Int64(days) * 86_400_000
      let past = try TestStore(lines: lives.filter { $0.ts < asOf }.map(\.text))
      for by in [[.plan], [.month, .variant]] as [[Dimension]] {
        for movement in [false, true] {
          let options = Self.options(by) {
            $0.asOf = asOf
            $0.showsMovement = movement
          }
          for make in [Revenue.report, MRR.report, Subscriptions.report] {
            let expected = try past.store.read { try make($0, options) }
            #expect(try full.store.read { try make($0, options) }.rows == expected.rows)
          }
        }
      }
    }
  }
}
