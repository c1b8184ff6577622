internal import EventModel
public import Store

/// The reports beside ``StandardReports`` with no option given: they take a pass over facts or events each, so that only who
/// prepares a store for its readers, such as a night, has them kept in it. The next commit forgets them.
public enum PreparedReport: String, CaseIterable, Sendable {
  case revenue
  case mrr
  case subscriptions
  case retention
  case ltv
  case refunds
  case value
  case valuePairs = "value_pairs"
  case cadence
  case gates
  case nudges
  case activity
  case health
  case experiments

  /// The options of the command with none given.
  var options: ReportOptions {
    var options = ReportOptions()
    if self == .value || self == .valuePairs { options.mode = .proceeds }
    return options
  }

  /// What was kept of the report, if no option is given.
  public func kept(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report? {
    guard options == self.options, let bytes = try snapshot.keptReport(rawValue) else { return nil }
    return KeptReport.decode(bytes)
  }

  private static func all(_ snapshot: StoreSnapshot) throws -> [(PreparedReport, Report)] {
    try allCases.flatMap { prepared -> [(PreparedReport, Report)] in
      let options = prepared.options
      switch prepared {
      case .value: return Array(zip([.value, .valuePairs], try Value.withPairs(snapshot, options)))
      // With the values that they are pairs of.
      case .valuePairs: return []
      case .health: return [(prepared, try Health.report(snapshot, options))]
      case .experiments: return [(prepared, try ExperimentList.report(snapshot, options))]
      default:
        guard let report = ExplainableReport(rawValue: prepared.rawValue) else { return [] }
        return [(prepared, try report.made(snapshot, options))]
      }
    }
  }

  /// Keeps all of them in a store as it is now, unless they are there.
  ///
  /// They are made beside whoever writes; of a store that has changed meanwhile nothing is kept.
  public static func keep(in store: Store) throws {
    let watch = StoreWatch(path: store.path)
    let version = try watch.version()
    let reader = try Store.open(readOnly: store.path)
    let names = try reader.read { snapshot in try allCases.filter { try snapshot.keptReport($0.rawValue) != nil } }
    if names.contains(.experiments) { return }
    let reports = try reader.read { snapshot in
      try all(snapshot).map { (name: $0.rawValue, rows: KeptReport.encode($1)) }
    }
    try store.keepReports(if: { try watch.version() == version }) { _ in reports }
  }

  /// The names of those that are kept and are not what the store gives; empty when all agree.
  public static func differences(_ snapshot: StoreSnapshot) throws -> [String] {
    guard try snapshot.keptReport(experiments.rawValue) != nil else { return [] }
    return try all(snapshot).compactMap { prepared, report in
      guard let kept = try snapshot.keptReport(prepared.rawValue) else { return nil }
      return kept == KeptReport.encode(report) ? nil : prepared.rawValue
    }
  }
}

/// A whole report as bytes.
enum KeptReport {
  static func encode(_ report: Report) -> [UInt8] {
    var bytes = ByteWriter()
    bytes.append(programVersion)
    bytes.append(report.name)
    bytes.append(report.title)
    bytes.append(report.definition)
    bytes.append(report.parameters.flatMap { [$0.name, $0.value] })
    bytes.append(Int128(report.asOf.count))
    for instant in report.asOf {
      bytes.append(instant.app)
      bytes.append(Int128(instant.asOf))
      bytes.append(instant.notes)
    }
    bytes.append(report.columns.flatMap { [$0.name, $0.kind.rawValue] })
    KeptRows.append(report.rows, of: report.columns, to: &bytes)
    return bytes.bytes
  }

  /// - Returns: `nil` for what another version of the program wrote.
  static func decode(_ bytes: [UInt8]) -> Report? {
    var reader = ByteReader(bytes)
    guard reader.text() == programVersion, let name = reader.text(), let title = reader.text(),
      let definition = reader.texts(), let parameters = reader.texts(), let apps = reader.number()
    else { return nil }
    var asOf: [Report.AppInstant] = []
    for _ in 0..<apps {
      guard let app = reader.text(), let instant = reader.number(), let notes = reader.texts() else { return nil }
      asOf.append(Report.AppInstant(app: app, asOf: Int64(truncatingIfNeeded: instant), notes: notes))
    }
    guard let columns = reader.texts().flatMap(Self.columns), let rows = KeptRows.rows(of: columns, &reader) else {
      return nil
    }
    return Report(
      name: name, title: title, definition: definition,
      parameters: pairs(parameters).map { Report.Parameter(name: $0, value: $1) }, asOf: asOf, columns: columns,
      rows: rows)
  }

  private static func columns(_ texts: [String]) -> [ReportColumn]? {
    let columns = pairs(texts).map { name, kind in ReportColumn.Kind(rawValue: kind).map { ReportColumn(name, $0) } }
    return columns.contains { $0 == nil } ? nil : columns.compactMap(\.self)
  }

  private static func pairs(_ texts: [String]) -> [(String, String)] {
    stride(from: 0, to: texts.count - 1, by: 2).map { (texts[$0], texts[$0 + 1]) }
  }
}
