internal import Lifecycle
public import Store

/// Finds the numbers of a report that differ between two states of the data, with the causes. The report is computed
/// again after each cause, so that the effects add up to the whole change.
public struct Differences: Sendable {
  /// A changed number.
  public struct Row: Sendable {
    /// The values of the key columns.
    public var keys: [String]
    public var column: ReportColumn
    /// The values before, then after each cause of ``Differences/causes``; the last is the final value.
    public var states: [ReportValue]
  }

  /// The earlier or the later side of a comparison.
  public struct Side {
    public var snapshot: StoreSnapshot
    public var options: ReportOptions

    public init(_ snapshot: StoreSnapshot, _ options: ReportOptions) {
      self.snapshot = snapshot
      self.options = options
    }

    /// This side with each amount in its own currency.
    fileprivate var native: Side {
      var side = self
      side.options.currency = nil
      side.options.isNative = true
      return side
    }

    fileprivate func asOf() throws -> [String: Int64] {
      var instants: [String: Int64] = [:]
      for app in try snapshot.apps() where options.apps.isEmpty || options.apps.contains(app.name) {
        if let instant = options.asOf ?? app.newestAsOf { instants[app.name] = instant }
      }
      return instants
    }
  }

  public var report: String
  public var title: String
  public var parameters: [Report.Parameter]
  public var keyColumns: [String]
  /// The causes with an effect, in their order.
  public var causes: [ChangeCause]
  public var events: [ChangeCause: Int]
  /// The instants before and after, in ms, by app in byte order; `nil` if the app is absent.
  public var asOf: [(app: String, before: Int64?, after: Int64?)]
  public var rows: [Row]
  /// Why amounts are in their own currencies; `nil` if they are in one, or one was not requested.
  public private(set) var currencyNote: String?

  /// - Parameters:
  ///   - columns: The columns to compare; empty for all numbers except bounds of intervals.
  /// - Throws: ``ReportError`` as the report does, ``ExplanationError`` for unknown columns.
  public init(
    _ kind: ReportKind, from before: Side, to after: Side, columns: [String] = []
  ) throws {
    for side in [before, after] where !side.options.apps.isEmpty {
      let known = try Set(before.snapshot.apps().map(\.name)).union(after.snapshot.apps().map(\.name))
      for app in side.options.apps where !known.contains(app) {
        throw ReportError.unknownApp(app, known: known.sorted(by: precedesInBytes))
      }
    }
    let sides = try Self.inOneCurrency(kind, before, after)
    let isAsked = before.options.currency != nil || before.options.isNative
    do {
      self = try Differences(kind, settled: sides.before, sides.after, columns: columns)
    } catch ReportError.missingRates(_, let missing) where !isAsked {
      // Rates recorded by payments come and go with the payments.
      let native = (before: sides.before.native, after: sides.after.native)
      self = try Differences(kind, settled: native.before, native.after, columns: columns)
      currencyNote = Self.note("between the two states", missing.map(\.description))
      return
    }
    if !isAsked, sides.after.options.isNative {
      let currencies = try before.snapshot.paymentCurrencies().union(after.snapshot.paymentCurrencies())
      let others = currencies.subtracting(["USD"]).sorted(by: precedesInBytes)
      if !others.isEmpty { currencyNote = Self.note("in one of the two states", others) }
    }
  }

  private static func note(_ when: String, _ missing: [String]) -> String {
    "Amounts are in their own currencies, because exchange rates of these payments are missing \(when): "
      + "\(missing.joined(separator: "; ")). Import them with `tollgate rates import FILE`; the file has the columns "
      + "date,currency,usd_per_unit (1.4)"
  }

  /// - Parameters:
  ///   - before: In the currency that both sides use, as is `after`.
  private init(_ kind: ReportKind, settled before: Side, _ after: Side, columns: [String]) throws {
    let (old, new) = (try before.asOf(), try after.asOf())
    let apps = Set(old.keys).union(new.keys).sorted(by: precedesInBytes)
    let changes = try StoreChanges(
      from: before.snapshot, to: after.snapshot, asOf: old, apps: Set(apps))
    asOf = apps.map { ($0, old[$0], new[$0]) }
    events = changes.counts
    var causes = ChangeCause.allCases.filter { changes.counts[$0] ?? 0 > 0 }
    if apps.contains(where: { new[$0] != nil && old[$0] != new[$0] }) { causes.insert(.maturity, at: 0) }
    if causes.isEmpty { causes = [.maturity] }
    // Without the renewals of these days, subscriptions would churn by the time that passed.
    let isJoined = Self.renewing.contains(kind) && causes.contains(.newEvents)
    if isJoined { causes.removeAll { $0 == .maturity } }
    self.causes = causes

    // A removed app keeps its instant until its events are removed, so that their loss is not attributed to the as-of.
    let instants = old.merging(new) { $1 }
    var tables = [try Table(kind, before, old)]
    var last: (cause: ChangeCause, store: HistoricalStore)?
    let isOfFacts = try Self.isOfFacts(kind, before, after, old)
    let (earlier, later) = (old.merging(new) { earlier, _ in earlier }, instants)
    for cause in causes.dropLast() {
      let instants = isJoined && cause.rawValue < ChangeCause.newEvents.rawValue ? earlier : later
      if isOfFacts {
        var side = after
        side.options.known = KnownEvents(ends: old, laterKinds: StoreChanges.laterKinds(upTo: cause))
        tables.append(try Table(kind, side, instants))
        continue
      }
      let store = try changes.store(after: cause, from: last)
      try withExtendedLifetime(store) {
        try store.store.read { tables.append(try Table(kind, Side($0, after.options), instants)) }
      }
      last = (cause, store)
    }
    tables.append(try Table(kind, after, new))

    let empty = try kind.report(after.snapshot, after.options)
    report = empty.name
    title = empty.title
    parameters = empty.parameters
    let keys = empty.columns.filter { $0.kind == .key }
    keyColumns = keys.map(\.name)
    let compared = try Self.compared(empty.columns, columns)
    var cells: Set<[[UInt8]]> = []
    for table in tables { cells.formUnion(table.rows.keys) }
    rows = []
    for cell in cells.sorted(by: precedesInBytes) {
      let names = cell.map { String(decoding: $0, as: UTF8.self) }
      for column in compared {
        let states = Self.states(tables.map { $0.rows[cell]?[column.name] }, isSum: kind.isSum(column))
        if Set(states).count > 1 { rows.append(Row(keys: names, column: column, states: states)) }
      }
    }
  }

  /// Reports of subscriptions that renew.
  private static let renewing: [ReportKind] = [
    .retention, .subscriptions, .cancellations, .mrr, .ltv, .recovery, .saves, .winback,
  ]

  /// Returns whether facts tell what the report was with some of the events since the earlier instants. Others need a
  /// store of those events.
  private static func isOfFacts(
    _ kind: ReportKind, _ before: Side, _ after: Side, _ asOf: [String: Int64]
  ) throws -> Bool {
    guard before.snapshot === after.snapshot, after.options.cohorts.isEmpty, ReportKind.explained.contains(kind),
      kind == .savings || !kind.reads.contains(.events)
    else { return false }
    // An app whose first events came later did not exist.
    return try before.snapshot.apps().allSatisfy { app in asOf[app.name].map { app.firstDay + day <= $0 } ?? true }
  }

  /// Returns the sides in the same currency: in each amount's own if either of them is.
  private static func inOneCurrency(
    _ kind: ReportKind, _ before: Side, _ after: Side
  ) throws -> (before: Side, after: Side) {
    let sides = try [before, after].map { side in
      Side(side.snapshot, side.options.settled(by: try kind.report(side.snapshot, side.options)))
    }
    return sides.contains(where: \.options.isNative) ? (sides[0].native, sides[1].native) : (sides[0], sides[1])
  }

  private static func compared(_ all: [ReportColumn], _ names: [String]) throws -> [ReportColumn] {
    let numbers = all.filter { $0.kind != .key && $0.kind != .text }
    if names.isEmpty { return numbers.filter { $0.kind != .low && $0.kind != .high } }
    return try names.map { name in
      guard let column = numbers.first(where: { $0.name == name }) else {
        throw ExplanationError.unknownColumn(name, numbers.map(\.name))
      }
      return column
    }
  }

  /// A report's numbers by the keys of its rows.
  private struct Table {
    var rows: [[[UInt8]]: [String: ReportValue]] = [:]

    init(_ kind: ReportKind, _ side: Side, _ asOf: [String: Int64]) throws {
      let known = try side.snapshot.apps().map(\.name).filter { asOf[$0] != nil }
      // Rates of payments are of one app.
      let isOfEach = try kind.hasAmounts && side.snapshot.tellsPaymentRates()
      // Each app has its own instant, even if its newest event is not there yet.
      for apps in isOfEach ? known.map({ [$0] }) : [known] where !apps.isEmpty {
        var options = side.options
        (options.apps, options.asOfs) = (apps, asOf.filter { apps.contains($0.key) })
        options.asOf = options.asOfs.values.max()
        let report = try kind.report(side.snapshot, options)
        for row in report.rows {
          var values: [String: ReportValue] = [:]
          for (column, value) in zip(report.columns, row) where column.kind != .key { values[column.name] = value }
          rows[report.key(of: row)] = values
        }
      }
    }
  }

  /// A sum over a row that is not there is 0; a mean, price or rate is empty.
  private static func states(_ values: [ReportValue?], isSum: Bool) -> [ReportValue] {
    let known = values.compactMap(\.self).first ?? .count(0)
    return values.map { value in
      if let value { return value }
      switch known {
      case .count: return .count(0)
      case .money(_, let currency) where isSum: return .money(0, currency: currency)
      default: return known.empty
      }
    }
  }
}
