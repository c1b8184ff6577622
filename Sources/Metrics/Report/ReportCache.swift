public import Store

/// The cache of answers: finished reports with no option given, kept in the store until its next commit, so that every
/// process that reads the store finds them.
public enum ReportCache {
  /// A report that can be kept.
  public enum Entry: Sendable, Equatable {
    case ofCells(ExplainableReport)
    case valuePairs
    case health
    case experiments

    static let all = ExplainableReport.allCases.map(Entry.ofCells) + [.valuePairs, .health, .experiments]

    /// The name it is kept under.
    var name: String {
      switch self {
      case .ofCells(let report): report.rawValue
      case .valuePairs: "value_pairs"
      case .health: "health"
      case .experiments: "experiments"
      }
    }

    /// The options of the command with none given.
    fileprivate var options: ReportOptions {
      var options = ReportOptions()
      switch self {
      case .ofCells(.value), .valuePairs: options.mode = .proceeds
      default: break
      }
      return options
    }

    fileprivate func made(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
      switch self {
      case .ofCells(let report): try report.made(snapshot, options)
      case .valuePairs: try ValuePairs.report(snapshot, options)
      case .health: try Health.report(snapshot, options)
      case .experiments: try ExperimentList.report(snapshot, options)
      }
    }
  }

  /// How many reports are made to be kept.
  public enum Extent: Sendable {
    /// Those that take milliseconds to make: worth it after every commit.
    case quick
    /// All: some take a pass over facts or events, so that only who prepares a store for its readers, such as a night, waits
    /// for them.
    case all

    fileprivate var entries: [Entry] {
      switch self {
      case .quick: [.ofCells(.funnel), .ofCells(.trials), .ofCells(.savings), .ofCells(.cancellations)]
      case .all: Entry.all
      }
    }
  }

  /// The report: as it was kept, if no option is given, or made anew.
  public static func report(
    _ entry: Entry, _ snapshot: StoreSnapshot, _ options: ReportOptions
  ) throws -> Report {
    try kept(entry, snapshot, options) ?? entry.made(snapshot, options)
  }

  /// The report as it was kept, if no option is given.
  public static func kept(_ entry: Entry, _ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report? {
    guard options == entry.options else { return nil }
    return try snapshot.cachedReport(entry.name).flatMap(Report.init(bytes:))
  }

  /// Keeps reports of a store as it is now, those aside that are kept already.
  ///
  /// They are made beside whoever writes; of a store that has changed meanwhile nothing is kept.
  public static func fill(_ store: Store, with extent: Extent = .quick) throws {
    let watch = StoreWatch(path: store.path)
    let version = try watch.version()
    let reports = try Store.open(readOnly: store.path).read { snapshot in
      try made(extent.entries.filter { try kept($0, snapshot, $0.options) == nil }, snapshot)
    }
    if !reports.isEmpty { try store.cacheReports(reports) { try watch.version() == version } }
  }

  /// The names of kept reports that are not what the store gives; empty when all agree. Those that another version of the
  /// program kept are never read, and not compared.
  public static func differences(_ snapshot: StoreSnapshot) throws -> [String] {
    let stored = try Entry.all.filter { try snapshot.cachedReport($0.name).map(Report.areOfThisVersion) ?? false }
    return try made(stored, snapshot).filter { try snapshot.cachedReport($0.name) != $0.bytes }.map(\.name)
  }

  /// Reports made anew, as they are kept.
  private static func made(
    _ entries: [Entry], _ snapshot: StoreSnapshot
  ) throws -> [(name: String, bytes: [UInt8])] {
    let value = Entry.ofCells(.value)
    let hasBoth = entries.contains(value) && entries.contains(.valuePairs)
    return try entries.flatMap { entry in
      // Values and their pairs come from the same rows.
      if hasBoth, entry == .valuePairs { return [(name: String, bytes: [UInt8])]() }
      let names = hasBoth && entry == value ? [value.name, Entry.valuePairs.name] : [entry.name]
      let reports =
        names.count == 2
        ? try Value.withPairs(snapshot, entry.options) : [try entry.made(snapshot, entry.options)]
      return zip(names, reports).map { ($0, $1.bytes) }
    }
  }
}
