internal import EventModel
public import Store

/// The reports beside ``StandardReports`` with no option given: they take a pass over facts or events each, so that only who
/// prepares a store for its readers, such as a night, has them kept in it. The next commit forgets them.
public enum PreparedReport: Sendable {
  case ofCells(ExplainableReport)
  case valuePairs
  case health
  case experiments

  static let all =
    ExplainableReport.allCases.filter { !StandardReports.all.contains($0) }.map(PreparedReport.ofCells)
    + [.valuePairs, .health, .experiments]

  /// What it is kept under.
  private var name: String {
    switch self {
    case .ofCells(let report): report.rawValue
    case .valuePairs: "value_pairs"
    case .health: "health"
    case .experiments: "experiments"
    }
  }

  /// The options of the command with none given.
  private var options: ReportOptions {
    var options = ReportOptions()
    switch self {
    case .ofCells(.value), .valuePairs: options.mode = .proceeds
    default: break
    }
    return options
  }

  /// The report: as it was kept, if no option is given, or made anew.
  public func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    try kept(snapshot, options) ?? made(snapshot, options)
  }

  /// What was kept of the report, if no option is given.
  public func kept(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report? {
    guard options == self.options, let bytes = try snapshot.keptReport(name) else { return nil }
    return KeptReport.decode(bytes)
  }

  private func made(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    switch self {
    case .ofCells(let report): try report.made(snapshot, options)
    case .valuePairs: try ValuePairs.report(snapshot, options)
    case .health: try Health.report(snapshot, options)
    case .experiments: try ExperimentList.report(snapshot, options)
    }
  }

  /// All of them by name, made anew.
  private static func made(_ snapshot: StoreSnapshot) throws -> [(name: String, report: Report)] {
    try all.flatMap { prepared -> [(name: String, report: Report)] in
      switch prepared {
      case .ofCells(.value):
        let names = [PreparedReport.ofCells(.value), .valuePairs].map(\.name)
        return Array(zip(names, try Value.withPairs(snapshot, prepared.options)))
      // With the values that they are pairs of.
      case .valuePairs: return []
      default: return [(prepared.name, try prepared.made(snapshot, prepared.options))]
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
    let isKept = try reader.read { try $0.keptReport(experiments.name) } != nil
    if isKept { return }
    let reports = try reader.read { try made($0) }.map { (name: $0.name, rows: KeptReport.encode($0.report)) }
    try store.keepReports(if: { try watch.version() == version }) { _ in reports }
  }

  /// The names of those that are kept and are not what the store gives; empty when all agree.
  public static func differences(_ snapshot: StoreSnapshot) throws -> [String] {
    guard try snapshot.keptReport(experiments.name) != nil else { return [] }
    return try made(snapshot).compactMap { name, report in
      guard let kept = try snapshot.keptReport(name) else { return nil }
      return kept == KeptReport.encode(report) ? nil : name
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
