public import Store

/// Caches finished reports without options in the store until its next commit, so that every process that reads the
/// store finds them.
public enum ReportCache {
  /// A report that can be cached.
  public enum Entry: Sendable, Equatable {
    case ofCells(ExplainableReport)
    case valuePairs
    case health
    case experiments

    static let all = ExplainableReport.allCases.map(Entry.ofCells) + [.valuePairs, .health, .experiments]

    /// The key in the cache.
    var name: String {
      switch self {
      case .ofCells(let report): report.rawValue
      case .valuePairs: "value_pairs"
      case .health: "health"
      case .experiments: "experiments"
      }
    }

    /// The options of the command when none is given.
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

  /// The reports to cache.
  public enum Extent: Sendable {
    /// Reports that take milliseconds: worth it after every commit.
    case quick
    /// All reports. Some take a pass over facts or events, so only a command that prepares a store for its readers,
    /// such as `nightly`, waits for them.
    case all

    fileprivate var entries: [Entry] {
      switch self {
      case .quick: [.ofCells(.funnel), .ofCells(.trials), .ofCells(.savings), .ofCells(.cancellations)]
      case .all: Entry.all
      }
    }
  }

  /// Returns the cached report if no option is given and there is one; computes it otherwise.
  public static func report(
    _ entry: Entry, _ snapshot: StoreSnapshot, _ options: ReportOptions
  ) throws -> Report {
    try kept(entry, snapshot, options) ?? entry.made(snapshot, options)
  }

  /// Returns the cached report if no option is given.
  public static func kept(_ entry: Entry, _ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report? {
    guard options == entry.options else { return nil }
    return try snapshot.cachedReport(entry.name).flatMap(Report.init(bytes:))
  }

  /// Caches the reports of a store in its current state, except those already cached.
  ///
  /// The reports are computed without blocking a writer. If the store changes meanwhile, nothing is cached.
  public static func fill(_ store: Store, with extent: Extent = .quick) throws {
    let watch = StoreWatch(path: store.path)
    let version = try watch.version()
    let reports = try Store.open(readOnly: store.path).read { snapshot in
      try made(extent.entries.filter { try kept($0, snapshot, $0.options) == nil }, snapshot)
    }
    if !reports.isEmpty { try store.cacheReports(reports) { try watch.version() == version } }
  }

  /// Returns the names of cached reports that differ from the store's; empty if all agree. Reports cached by another
  /// version of the program are never read, and not compared.
  public static func differences(_ snapshot: StoreSnapshot) throws -> [String] {
    let stored = try Entry.all.filter { try snapshot.cachedReport($0.name).map(Report.areOfThisVersion) ?? false }
    return try made(stored, snapshot).filter { try snapshot.cachedReport($0.name) != $0.bytes }.map(\.name)
  }

  /// Returns newly computed reports in cached form.
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
