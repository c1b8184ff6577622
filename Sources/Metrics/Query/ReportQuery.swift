internal import EventModel
internal import Lifecycle
internal import Store

/// The common part of every report's queries: the facts to read, the as-of of each app, filters and dimensions.
/// Dimensions also come as SQL, for data that is read row by row.
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
    let factsOfAll = try snapshot.facts(asOf: asOf, grace: options.grace, attribution: options.attribution)
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
    facts = try snapshot.facts(asOf: asOf, grace: options.grace, attribution: options.attribution, of: users)
  }

  /// The as-ofs in ms, by app.
  var asOfs: [NameID: Int64] { facts.asOf }

  /// Returns a number that differs by app, as SQL over the app's column.
  func byApp(_ column: String = "app", _ value: (StoreSnapshot.App) -> Int64) -> String {
    guard let first = apps.first else { return "0" }
    let values = apps.map { (id: $0.id, value: value($0)) }
    if values.allSatisfy({ $0.value == values[0].value }) { return String(value(first)) }
    let cases = values.map { "WHEN \($0.id) THEN \($0.value)" }.joined(separator: " ")
    return "CASE \(column) \(cases) END"
  }

  /// The as-of as SQL over the column `app`.
  var asOf: String { byApp { asOf(of: $0) } }

  func asOf(of app: StoreSnapshot.App) -> Int64 { facts.asOf[app.id] ?? .min }

  /// Returns the number of UTC days from an app's oldest production event to the day before its as-of.
  func daysOfData(_ app: NameID) -> Int {
    guard let firstDay = firstDays[app], let asOf = asOfs[app], asOf > firstDay else { return 0 }
    return Int((asOf - firstDay + day - 1) / day)
  }

  /// Returns the query of units: one row for each unit, with `app`, the dimensions as `d0`, `d1`, ... and further
  /// columns.
  ///
  /// - Parameters:
  ///   - table: The `FROM` source, with `person`, `app` and the columns of the dimensions.
  ///   - instant: The column that days are taken from.
  ///   - columns: Further columns, as `expression AS name` over the alias `f`.
  ///   - condition: A condition on the alias `f`.
  ///   - unitKey: The columns that identify a unit. With `--attribution all` a unit has a row for each context, and is
  ///     counted once in each report row; `nil` if a unit always has one context.
  func units(
    from table: String, instant: String, columns: [String], where condition: String? = nil, by: [Dimension]? = nil,
    unitKey: [String]? = nil
  ) -> String {
    let dimensions = by ?? self.by
    let filters = options.filters
    var joins: [String] = []
    let used = dimensions + filters.map(\.dimension)
    if used.contains(where: \.isOfClient) { joins.append("JOIN client AS c ON c.id = f.client") }
    var propertyNames: [String] = []
    for case .property(let name) in used where !propertyNames.contains(name) {
      joins.append(
        "LEFT JOIN property AS p\(propertyNames.count) ON p\(propertyNames.count).set_id = f.properties "
          + "AND p\(propertyNames.count).name = \(Self.quoted(name))")
      propertyNames.append(name)
    }
    var conditions = ["f.app IN (\(apps.map { String($0.id) }.joined(separator: ", ")))"]
    if let condition { conditions.append(condition) }
    if let days = dayCondition("f.\(instant)") { conditions.append(days) }
    for filter in filters {
      let codes = codes(of: filter)
      if codes.isEmpty && filter.isExcluding { continue }
      let list = codes.isEmpty ? "NULL" : codes.map(String.init).joined(separator: ", ")
      let column = expression(filter.dimension, instant: instant, properties: propertyNames)
      conditions.append("\(column) \(filter.isExcluding ? "NOT IN" : "IN") (\(list))")
    }
    let isDistinct = unitKey != nil && options.attribution == .all
    let key = isDistinct ? (unitKey ?? []).map { "f.\($0) AS \($0)" } : []
    let select =
      ["f.app AS app"]
      + dimensions.enumerated().map {
        "\(expression($0.element, instant: instant, properties: propertyNames)) AS d\($0.offset)"
      } + key + columns
    return """
      SELECT \(isDistinct ? "DISTINCT " : "")\(select.joined(separator: ", "))
      FROM \(table) AS f
      \(joins.joined(separator: "\n"))
      WHERE \(conditions.joined(separator: " AND "))
      """
  }

  /// Returns the condition that an instant's local day is selected; `nil` if all days are.
  func dayCondition(_ instant: String) -> String? {
    var conditions: [String] = []
    if let from = options.from {
      conditions.append("\(localTime.local(instant)) >= \(Instant(startOf: from).millisecondsSince1970)")
    }
    if let to = options.to {
      conditions.append("\(localTime.local(instant)) < \(Instant(startOf: to).millisecondsSince1970)")
    }
    return conditions.isEmpty ? nil : conditions.joined(separator: " AND ")
  }

  /// Returns this query with other options.
  func with(_ options: ReportOptions) -> ReportQuery {
    var query = self
    query.options = options
    return query
  }

  /// Returns this query without a dimension.
  func without(_ dimension: Dimension) -> ReportQuery {
    var query = self
    query.by.removeAll { $0 == dimension }
    return query
  }

  /// Returns `d0, d1, ...`, each followed by a comma.
  func dimensionColumns(_ count: Int? = nil) -> String {
    (0..<(count ?? by.count)).map { "d\($0), " }.joined()
  }

  private static func contextColumn(_ dimension: Dimension) -> String {
    switch dimension {
    case .experiment: "experiment"
    case .variant: "variant"
    case .paywall: "paywall"
    default: "entry_point"
    }
  }

  private func expression(_ dimension: Dimension, instant: String, properties: [String]) -> String {
    switch dimension {
    case .experiment, .variant, .paywall, .entryPoint: name("f.\(Self.contextColumn(dimension))")
    case .plan: "COALESCE(f.plan, -1)"
    case .tier: "f.is_family_tier"
    case .trialKind: "f.trial_kind"
    case .product: name("f.own_product")
    case .offering: name("f.offering")
    case .offerType: name("f.offer_type")
    case .offerCode: name("f.offer_code")
    case .country: name("c.country")
    case .platform: name("c.platform")
    case .store: name("c.store")
    case .appVersion: name("c.app_version")
    case .day: localTime.day("f.\(instant)")
    case .week: localTime.week("f.\(instant)")
    case .month: localTime.months(1, "f.\(instant)")
    case .quarter: localTime.months(3, "f.\(instant)")
    case .year: localTime.months(12, "f.\(instant)")
    case .property(let property): name("COALESCE(p\(properties.firstIndex(of: property) ?? 0).value, 0)")
    case .person: "f.person"
    case .stage, .renewing: "0"
    }
  }

  /// Returns the number of a name as SQL; names that read alike share a number.
  private func name(_ column: String) -> String {
    guard let literal = facts.literalNone else { return column }
    return "CASE \(column) WHEN \(literal) THEN 0 ELSE \(column) END"
  }

  /// Returns the label of a dimension's code in a report.
  func label(_ dimension: Dimension, _ code: Int64) -> String {
    switch dimension {
    case .plan: Plan(rawValue: UInt8(truncatingIfNeeded: code))?.name ?? "(none)"
    case .tier: code == 0 ? "individual" : "family"
    case .trialKind: code == 1 ? "introductory" : code == 2 ? "app" : "(none)"
    case .day, .week, .month, .quarter, .year:
      dimension.label(ofPeriod: CivilDate(daysSince1970: Int(code / day)))
    case .person: String(code)
    case .stage: PaymentStage(rawValue: Int(code))?.name ?? ""
    case .renewing: code == 1 ? "yes" : "no"
    default: facts.name(Int(code))
    }
  }

  /// Returns the codes of a filter's values; values that the store does not have are skipped.
  private func codes(of filter: ReportOptions.Filter) -> [Int64] {
    filter.values.compactMap { value in
      switch filter.dimension {
      case .plan: value == "(none)" ? -1 : Plan(name: value).map { Int64($0.rawValue) }
      case .tier: value == "individual" ? 0 : value == "family" ? 1 : nil
      case .trialKind: value == "introductory" ? 1 : value == "app" ? 2 : value == "(none)" ? 0 : nil
      case .stage: PaymentStage(name: value).map { Int64($0.rawValue) }
      case .renewing: value == "yes" ? 1 : value == "no" ? 0 : nil
      case .day, .week, .month, .quarter, .year:
        filter.dimension.firstDay(ofPeriod: value).map { Instant(startOf: $0).millisecondsSince1970 }
      // Compares bytes, because Swift treats canonically equivalent strings, such as é composed and decomposed, as
      // equal.
      default: facts.number(ofName: value).map(Int64.init)
      }
    }
  }

  /// Returns a filter by codes.
  func codeFilter(_ filter: ReportOptions.Filter) -> CodeFilter {
    CodeFilter(dimension: filter.dimension, codes: Set(codes(of: filter)), isExcluding: filter.isExcluding)
  }

  static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
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

/// The key of a report's cell: the app and the codes of the dimensions.
struct CellKey: Hashable {
  var app: NameID
  var codes: [Int64]

  init(app: NameID, codes: [Int64]) {
    self.app = app
    self.codes = codes
  }

  /// Reads the key from the first columns of a row: `app, d0, d1, ...`.
  init(_ row: FactRow, dimensions: Int) {
    app = row.int32(0)
    codes = (0..<dimensions).map { row[$0 + 1] }
  }
}

extension ReportQuery {
  /// The key columns: the app, then the dimensions.
  var keyColumns: [ReportColumn] {
    [ReportColumn("app", .key)] + by.map { ReportColumn($0.name, .key) }
  }

  /// Returns the labels of a key.
  func labels(_ key: CellKey) -> [String] {
    [facts.name(Int(key.app))] + zip(by, key.codes).map { label($0, $1) }
  }

  /// Returns cells as report rows, in byte order of their keys.
  ///
  /// - Parameters:
  ///   - further: Returns the labels of the codes after those of the dimensions.
  ///   - values: Returns the values after the key columns.
  func rows<Cell>(
    _ cells: [CellKey: Cell], further: (CellKey) -> [String] = { _ in [] }, _ values: (CellKey, Cell) -> [ReportValue]
  ) -> [[ReportValue]] {
    let labelled = cells.map { (labels: labels($0.key) + further($0.key), key: $0.key, cell: $0.value) }
    return labelled.sorted { precedesInBytes($0.labels, $1.labels) }.map {
      $0.labels.map(ReportValue.text) + values($0.key, $0.cell)
    }
  }

  /// The cells of each app as one, with the app's name and empty further keys, unless an app has a single cell; then those
  /// of all apps, if there are several, with an empty name.
  func totals<Cell>(_ cells: [CellKey: Cell], _ add: (inout Cell, Cell) -> Void) -> [([ReportValue], Cell)] {
    let sorted = cells.sorted { precedesInBytes(labels($0.key), labels($1.key)) }
    let byApp = Dictionary(grouping: sorted, by: \.key.app)
    func total(_ name: String, _ own: [(key: CellKey, value: Cell)]) -> ([ReportValue], Cell)? {
      guard own.count > 1, var total = own.first?.value else { return nil }
      for cell in own.dropFirst() { add(&total, cell.value) }
      return ([.text(name)] + by.map { _ in .text("") }, total)
    }
    return apps.compactMap { app in byApp[app.id].flatMap { total(app.name, $0) } }
      + (byApp.count > 1 ? [total("", sorted)].compactMap(\.self) : [])
  }
}
