internal import EventModel
internal import Lifecycle
internal import Store

/// The common part of every report's queries: the facts to read, the as-of of each app, filters and dimensions.
///
/// A cluster runs none of this: it builds a local store of the data that a report needs, and this code reads that
/// store.
struct ReportQuery {
  private(set) var options: ReportOptions
  private(set) var by: [Dimension]
  let facts: FactSource
  /// The cohorts that ``ReportOptions/cohorts`` names.
  let cohorts: [Cohort]
  /// The apps with a production event, in byte order of their names.
  let apps: [StoreSnapshot.App]
  /// The as-ofs in ms, by app.
  let asOfs: [NameID: Int64]
  /// Of each app, in ms.
  private let firstDays: [NameID: Int64]
  let localTime: LocalTime
  let snapshot: StoreSnapshot
  /// Noted by whatever converts amounts of this query.
  let rateUse = DerivedRateUse()

  /// - Parameter defaultBy: The report's own dimensions.
  init(_ snapshot: StoreSnapshot, _ options: ReportOptions, by kind: ReportKind) throws {
    let used = (options.by ?? []) + options.filters.map(\.dimension)
    if used.contains(.stage), !kind.countsPayments { throw ReportError.notOfPayments(kind.name) }
    if used.contains(.renewing), kind != .mrr { throw ReportError.notOfRenewals(kind.name) }
    try self.init(snapshot, options, defaultBy: kind.defaultBy)
  }

  init(_ snapshot: StoreSnapshot, _ options: ReportOptions, defaultBy: [Dimension]) throws {
    let all = try snapshot.apps()
    for name in options.apps + options.asOfs.keys.sorted(by: precedesInBytes)
    where !all.contains(where: { $0.name == name }) {
      throw ReportError.unknownApp(name, known: all.map(\.name))
    }
    self.snapshot = snapshot
    let wanted = Set(options.apps)
    var apps = wanted.isEmpty ? all : all.filter { wanted.contains($0.name) }
    if options.asOf == nil { apps.removeAll { $0.newestAsOf == nil } }
    self.apps = apps
    firstDays = Dictionary(uniqueKeysWithValues: apps.map { ($0.id, $0.firstDay) })
    self.options = options
    by = options.by ?? defaultBy
    var asOf: [NameID: Int64] = [:]
    for app in apps { asOf[app.id] = options.asOfs[app.name] ?? options.asOf ?? app.newestAsOf }
    asOfs = asOf
    var (ends, later) = (asOf, LaterEvents?.none)
    if let known = options.known {
      for app in apps { ends[app.id] = min(known.ends[app.name] ?? .max, asOf[app.id] ?? .max) }
      if !known.laterKinds.isEmpty { later = LaterEvents(known.laterKinds, before: asOf) }
    }
    let factsOfAll = try snapshot.facts(
      asOf: ends, later: later, grace: options.grace, attribution: options.attribution, of: options.needed)
    let oldest = min(apps.map(\.firstDay).min() ?? 0, asOf.values.min() ?? 0)
    let newest = max(asOf.values.max() ?? 0, oldest)
    localTime = try LocalTime(timeZone: options.timeZone, instants: max(0, oldest)...max(0, newest))
    if options.cohorts.isEmpty {
      (facts, cohorts) = (factsOfAll, [])
      return
    }
    cohorts = try CohortMembers.named(options.cohorts, snapshot)
    var plain = options
    (plain.cohorts, plain.filters, plain.from, plain.to, plain.by) = ([], [], nil, nil, [])
    let users = try CohortMembers(ReportQuery(snapshot, plain, defaultBy: [])).users(of: options.cohorts, cohorts)
    facts = try snapshot.facts(
      asOf: ends, later: later, grace: options.grace, attribution: options.attribution, of: users)
  }

  func asOf(of app: StoreSnapshot.App) -> Int64 { asOfs[app.id] ?? .min }

  /// Returns the number of UTC days from an app's oldest production event to the day before its as-of.
  func daysOfData(_ app: NameID) -> Int {
    guard let firstDay = firstDays[app], let asOf = asOfs[app], asOf > firstDay else { return 0 }
    return Int((asOf - firstDay + day - 1) / day)
  }

  func with(_ options: ReportOptions, by: [Dimension]? = nil) -> ReportQuery {
    var query = self
    query.options = options
    query.by = by ?? query.by
    return query
  }

  func without(_ dimension: Dimension) -> ReportQuery {
    var query = self
    query.by.removeAll { $0 == dimension }
    return query
  }

  func label(_ dimension: Dimension, _ code: Int64) -> String {
    switch dimension {
    case .day, .week, .month, .quarter, .year:
      dimension.label(ofPeriod: CivilDate(daysSince1970: Int(code / day)))
    case .person: String(code)
    default:
      dimension.words.map { words in words.first { $0.code == code }?.word ?? Dimension.absent }
        ?? facts.name(Int(code))
    }
  }

  /// Returns the codes of a filter's values; values that the store does not have are skipped.
  private func codes(of filter: ReportOptions.Filter) -> [Int64] {
    filter.values.compactMap { value in
      switch filter.dimension {
      case .day, .week, .month, .quarter, .year:
        filter.dimension.firstDay(ofPeriod: value).map { Instant(startOf: $0).millisecondsSince1970 }
      // Compares bytes, because Swift treats canonically equivalent strings, such as é composed and decomposed, as
      // equal.
      default:
        filter.dimension.words.map { words in words.first { $0.word == value }?.code }
          ?? facts.number(ofName: value).map(Int64.init)
      }
    }
  }

  func codeFilter(_ filter: ReportOptions.Filter) -> CodeFilter {
    CodeFilter(dimension: filter.dimension, codes: Set(codes(of: filter)), isExcluding: filter.isExcluding)
  }
}

/// A filter by the codes of a dimension.
struct CodeFilter {
  var dimension: Dimension
  var codes: Set<Int64>
  var isExcluding: Bool

  @inline(__always)
  func accepts(_ code: Int64) -> Bool { codes.contains(code) != isExcluding }
}

/// The key of a report's row: the app and the codes of the dimensions.
struct RowKey: Hashable {
  var app: NameID
  var codes: [Int64]
}

extension ReportQuery {
  /// The key columns: the app, then the dimensions.
  var keyColumns: [ReportColumn] { [ReportColumn("app", .key)] + by.map { ReportColumn($0.name, .key) } }

  func labels(_ key: RowKey) -> [String] {
    [facts.name(Int(key.app))] + zip(by, key.codes).map { label($0, $1) }
  }

  /// Returns sums as rows, in byte order of their keys.
  ///
  /// - Parameters:
  ///   - names: The names of the key columns after those of the dimensions.
  ///   - labels: Returns their labels.
  func rows<Sums>(
    _ sumsOfRows: [RowKey: Sums], keys names: [String] = [], _ labels: (RowKey) -> [String] = { _ in [] }
  ) -> SumsRows<Sums> {
    var elements = sumsOfRows.map { (key: $0.key, labels: labels($0.key), sums: $0.value) }
    if !names.isEmpty { elements.sort { precedesInBytes($0.labels, $1.labels) } }
    return rows(elements, keys: names)
  }

  /// Returns sums as rows, in byte order of their dimensions' keys.
  ///
  /// - Parameter elements: Sums with their further labels; those with equal keys keep their order.
  func rows<Sums>(_ elements: [(key: RowKey, labels: [String], sums: Sums)], keys names: [String]) -> SumsRows<Sums> {
    SumsRows(
      keys: ["app"] + by.map(\.name) + names, rows: sorted(elements, \.key).map { ($0 + $1.labels, $1.sums) })
  }

  /// Returns elements in byte order of their keys' labels, with the labels; those with equal labels keep their order.
  func sorted<Element>(_ elements: [Element], _ key: (Element) -> RowKey) -> [(labels: [String], element: Element)] {
    let keys = elements.map(key)
    // Labels are compared only to rank codes: with a dimension of users there are as many labels as rows.
    let places =
      [ranked(keys.map { Int64($0.app) }, nil)]
      + by.enumerated().map { place, dimension in ranked(keys.map { $0.codes[place] }, dimension) }
    let ranks = places.enumerated().map { place, known in
      keys.map { known.rank[place == 0 ? Int64($0.app) : $0.codes[place - 1]] ?? 0 }
    }
    // The last place comes first, as each sort keeps the order of equal ones.
    let order = ranks.reversed().reduce(Array(keys.indices)) { order, ranks in sortedByKey(order) { Int64(ranks[$0]) } }
    return order.map { index in
      (places.indices.map { places[$0].labels[ranks[$0][index]] }, elements[index])
    }
  }

  /// Returns the places of codes by their labels in byte order, and the labels; equal labels share a place.
  ///
  /// - Parameter dimension: `nil` for the app.
  private func ranked(_ codes: [Int64], _ dimension: Dimension?) -> (rank: [Int64: Int], labels: [String]) {
    var rank: [Int64: Int] = [:]
    var labels: [String] = []
    let labelled = Set(codes).map { code in (code, dimension.map { label($0, code) } ?? facts.name(Int(code))) }
    for (code, text) in labelled.sorted(by: { precedesInBytes($0.1, $1.1) }) {
      if !(labels.last?.utf8.elementsEqual(text.utf8) ?? false) { labels.append(text) }
      rank[code] = labels.count - 1
    }
    return (rank, labels)
  }

  /// The sums of each app as one, with the app's name and empty further keys, unless an app has a single row; then those
  /// of all apps, if there are several, with an empty name.
  func totals<Sums>(_ sumsOfRows: [RowKey: Sums], _ add: (inout Sums, Sums) -> Void) -> [SumsRows<Sums>.Row] {
    let sorted = sorted(sumsOfRows.map { (key: $0.key, value: $0.value) }, \.key).map(\.element)
    let byApp = Dictionary(grouping: sorted, by: \.key.app)
    func total(_ name: String, _ own: [(key: RowKey, value: Sums)]) -> SumsRows<Sums>.Row? {
      guard own.count > 1, var total = own.first?.value else { return nil }
      for sums in own.dropFirst() { add(&total, sums.value) }
      return ([name] + by.map { _ in "" }, total)
    }
    return apps.compactMap { app in byApp[app.id].flatMap { total(app.name, $0) } }
      + (byApp.count > 1 ? [total("", sorted)].compactMap(\.self) : [])
  }

  /// The currency as it appears in JSON and headers.
  var currencyParameter: Report.Parameter {
    Report.Parameter(name: "currency", value: options.currency ?? "native")
  }

  /// The parameters of amounts by `--mode`.
  var moneyParameters: [Report.Parameter] {
    [
      currencyParameter, Report.Parameter(name: "mode", value: options.mode.rawValue),
      Report.Parameter(name: "store_fee", value: options.storeFee.description),
    ]
  }

  /// Returns sums as rows, in byte order of their keys. Each key has ``ReportCurrency/code(_:)`` after the codes of the
  /// dimensions.
  func rowsByCurrency<Sums>(_ sumsOfRows: [RowKey: Sums]) -> SumsRows<Sums> {
    rows(sumsOfRows, keys: ["currency"]) { [options.currency ?? facts.name(Int($0.codes[by.count]))] }
  }

  /// Returns a function for the part of a payment's amount that is left after tax and commission, by the number of the
  /// payment's terms; implements definitions 7.1. The result is in the same parts, rounded half to even if a part is
  /// divided.
  func proceedsShares() throws -> (_ amount: Int128, _ terms: Int64) -> Int128 {
    var taken: [Int64: Int128] = [:]
    // In units of 10⁻¹², a share of up to 12 decimals is a whole number; rounding the product restores it.
    func parts(_ column: String) -> String { "CAST(ROUND(\(column) * 1e12) AS INTEGER)" }
    try facts.forEachRow(
      """
      SELECT id, \(parts("COALESCE(tax_percentage, 0)")), \(parts("commission_percentage"))
      FROM terms
      WHERE tax_percentage IS NOT NULL OR commission_percentage IS NOT NULL
      """
    ) { row in
      taken[row[0]] = Int128(row[1]) + (row.optional(2).map { Int128($0) } ?? options.storeFee.parts)
    }
    let storeFee = options.storeFee.parts
    return { amount, terms in
      let kept = ExactShare.whole - (taken[terms] ?? storeFee)
      // Tax and commission may add up to more than the amount.
      let part = wideQuotient(amount, times: Int128(kept.magnitude), over: ExactShare.whole) ?? 0
      return kept < 0 ? -part : part
    }
  }
}
