public import Store

/// Caches finished reports without options in the store until its next commit, so that every process that reads the
/// store finds them, and the funnels from which pages list values to narrow down to.
public enum ReportCache {
  fileprivate struct Entry: Sendable {
    var kind: ReportKind
    var name: String
    var make: @Sendable (StoreSnapshot, ReportOptions) throws -> Report
    /// The dimensions of the rows; `nil` for the report's own.
    var by: [Dimension]?

    var options: ReportOptions {
      var options = ReportRequest(kind).options
      options.by = by
      return options
    }

    init?(_ kind: ReportKind) {
      guard kind.isOfUsers || kind == .health || kind == .experiments, let make = kind.table else { return nil }
      (self.kind, name, self.make) = (kind, kind.name, make)
    }

    /// Rows by other dimensions than the report's own.
    init(_ kind: ReportKind, by: [Dimension], make: @escaping @Sendable (StoreSnapshot, ReportOptions) throws -> Report)
    {
      (self.kind, name, self.make, self.by) = (kind, ReportCache.name(kind.name, by: by), make, by)
    }

    /// The pairs of ``ReportKind/value``.
    init(pairs make: @escaping @Sendable (StoreSnapshot, ReportOptions) throws -> Report) {
      (kind, name, self.make) = (.value, pairsName, make)
    }
  }

  static let pairsName = "value_pairs"
  private static let all =
    ReportKind.all.compactMap { Entry($0) } + [Entry(pairs: ValuePairs.report)]
    + [[.appVersion, .day], [.country], [.platform]].map { Entry(.funnel, by: $0, make: Funnel.report) }

  private static func name(_ name: String, by dimensions: [Dimension]) -> String {
    "\(name) \(dimensions.map(\.name).joined(separator: ","))"
  }

  /// How many reports are made to be cached.
  public enum Extent {
    /// Those that take milliseconds to make: worth it after every commit. None of a store with very many cell keys.
    case quick
    /// All reports. Some take a pass over facts or events, so only a command that prepares a store for its readers,
    /// such as `nightly`, waits for them.
    case all

    fileprivate var entries: [Entry] {
      switch self {
      case .quick: ReportCache.all.filter { $0.kind.isOfCells($0.options) }
      case .all: ReportCache.all
      }
    }
  }

  /// The report as it is cached, if no option but dimensions is given.
  static func cached(
    _ name: String, for kind: ReportKind, _ snapshot: StoreSnapshot, _ options: ReportOptions
  ) throws -> Report? {
    var options = options
    if options.by == kind.defaultBy { options.by = nil }
    let by = options.by
    options.by = nil
    guard options == ReportRequest(kind).options else { return nil }
    return try snapshot.cachedReport(by.map { Self.name(name, by: $0) } ?? name).flatMap(Report.init(bytes:))
  }

  /// Caches reports of a store as it is now, those aside that are cached already.
  ///
  /// They are computed while others may write; if the store has changed meanwhile, nothing is cached.
  public static func fill(_ store: Store, with extent: Extent = .quick) throws {
    let watch = StoreWatch(path: store.path)
    let version = try watch.version()
    let reports = try Store.open(readOnly: store.path).read { snapshot -> [(name: String, bytes: [UInt8])] in
      // No report takes milliseconds where a client has made up a million variants.
      if extent == .quick, try snapshot.hasManySegments() { return [] }
      let missing = try extent.entries.filter { try snapshot.cachedReport($0.name).flatMap(Report.init(bytes:)) == nil }
      return try made(missing, snapshot)
    }
    if !reports.isEmpty { try store.cacheReports(reports) { try watch.version() == version } }
  }

  /// Returns the names of cached reports that differ from the store's; empty if all agree. Reports cached by another
  /// version of the program are never read, and not compared.
  public static func differences(_ snapshot: StoreSnapshot) throws -> [String] {
    let stored = try all.filter { try snapshot.cachedReport($0.name).map(Report.areOfThisVersion) ?? false }
    return try made(stored, snapshot).filter { try snapshot.cachedReport($0.name) != $0.bytes }.map(\.name)
  }

  /// Returns newly computed reports in cached form.
  private static func made(
    _ entries: [Entry], _ snapshot: StoreSnapshot
  ) throws -> [(name: String, bytes: [UInt8])] {
    let hasBoth = entries.count { $0.kind == .value } == 2
    return try entries.flatMap { entry -> [(name: String, bytes: [UInt8])] in
      guard hasBoth, entry.kind == .value else { return [(entry.name, try entry.make(snapshot, entry.options).bytes)] }
      // Values and their pairs come from the same rows.
      if entry.name == pairsName { return [] }
      return try zip([entry.name, pairsName], Value.withPairs(snapshot, entry.options)).map { ($0, try $1.bytes) }
    }
  }
}

extension ReportRequest {
  /// The values of variants and, where there are several, of their pairs.
  public func withPairs(_ snapshot: StoreSnapshot) throws -> [Report] {
    let cached = try [kind.name, ReportCache.pairsName].compactMap {
      try ReportCache.cached($0, for: kind, snapshot, options)
    }
    var reports = cached.count == 2 ? cached : try Value.withPairs(snapshot, options)
    for place in reports.indices.dropFirst() {
      try reports[place].leaveOutOtherTests(ExperimentList.variants(snapshot, apps: options.apps))
    }
    // A variant alone has no pair.
    return reports.prefix(1) + reports.dropFirst().filter { !$0.rows.isEmpty }
  }

  /// The pairs of variants alone.
  func pairs(_ snapshot: StoreSnapshot) throws -> Report {
    try ReportCache.cached(ReportCache.pairsName, for: kind, snapshot, options)
      ?? ValuePairs.report(snapshot, options)
  }
}

extension Report {
  /// Leaves out pairs of variants between which no user was split.
  ///
  /// - Parameter tests: The variants of each experiment, by app.
  fileprivate mutating func leaveOutOtherTests(_ tests: [String: [Set<String>]]) {
    let places = ["app", "variant_a", "variant_b"].compactMap { place($0) }
    guard places.count == 3 else { return }
    let all = rows.count
    rows.removeAll { row in
      let names = places.map { row[$0] }
      guard case .text(let app) = names[0], case .text(let first) = names[1], case .text(let second) = names[2],
        let own = tests[app]?.filter({ $0.contains(first) || $0.contains(second) }), !own.isEmpty
      else { return false }
      return !own.contains { $0.contains(first) && $0.contains(second) }
    }
    if rows.count < all {
      notes.append("Variants of different experiments are not compared: no user was split between them.")
    }
  }
}
