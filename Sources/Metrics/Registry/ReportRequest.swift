public import Store

/// A requested report with its options, already checked.
public struct ReportRequest: Sendable {
  public var kind: ReportKind
  public var options = ReportOptions()
  /// The experiment of ``ReportKind/experiment``.
  public var experiment = ExperimentOptions(experiment: "")
  /// The other side that the report is compared with; `nil` for the report alone.
  public var comparison: ComparedWith?
  /// Whether the earlier side of a comparison is observed no longer than the later one (definitions 9.3).
  public var hasEqualAges = true
  /// The column whose change between the two sides is to be explained; `nil` for the comparison itself.
  public var drivers: DriverQuestion?
  /// The vendor's number that `reconcile` explains.
  public var bridge = BridgeRequest()
  /// The vendor whose definition the report's number follows (definitions 13.1); `nil` for ours.
  var definedBy: String?
  /// Whether rows are pairs of variants instead of variants.
  public var showsPairs = false
  /// Whether to test earlier forecasts instead of making one (`ltv --backtest`).
  var isBacktest = false
  /// The spacing of their days, where it is given.
  var backtestStep: OriginStep?
  /// Whether to show their errors with and without each part of the forecast.
  var showsModel = false
  /// The reason of the lines of ``ReportKind/quarantine``; `nil` for every reason.
  public var reason: String?
  /// The column that rows are sorted by; `nil` for the report's own order.
  public var sort: String?
  /// The most rows that are shown.
  public var limit: Int?
  /// Whether the answer is for people, who get more than the table in CSV.
  public var isForPeople = false
  /// Days that depend on the data.
  public var relative = RelativeDays()
  /// The number to explain; `nil` for the report itself.
  public var explained: ExplainedNumber?
  /// The options that were given, as texts.
  public internal(set) var given: [Given] = []
  /// The question that the given options belong to.
  public internal(set) var aspect = Aspect.report

  public init(_ kind: ReportKind) {
    self.kind = kind
    if kind == .value { options.mode = .proceeds }
  }

  /// The filter of the other side of a comparison; `nil` where the sides are periods.
  public var comparedFilter: ReportOptions.Filter? {
    if case .values(let filter)? = comparison?.side { filter } else { nil }
  }

  /// Makes the report, or the explanation of one of its numbers.
  public func run(_ snapshot: StoreSnapshot) throws -> FinishedReport {
    let request = try resolved(snapshot)
    let made = try request.made(snapshot)
    guard case .tables(var tables) = made else { return made }
    tables = tables.map { $0.withMainCurrency(snapshot, request.options) }
    if !tables.isEmpty, let note = try request.emptyGroupNote(snapshot) {
      (tables[0].rows, tables[0].emptyNote, tables[0].isTooRecent) = ([], note, false)
      return .tables(tables)
    }
    if !tables.isEmpty, tables.allSatisfy(\.rows.isEmpty) {
      let note = try request.emptyNote(snapshot)
      // A condition that matches nothing explains the empty table better than recent days do.
      if note != nil { tables[0].isTooRecent = false }
      tables[0].emptyNote = try note ?? tables[0].emptyNote ?? request.missingNote(snapshot)
    } else if !tables.isEmpty {
      tables[0] = try request.noting(tables[0], snapshot)
    }
    return .tables(tables)
  }

  private func made(_ snapshot: StoreSnapshot) throws -> FinishedReport {
    if let explained { return .explanation(try explanation(explained, snapshot)) }
    if let drivers {
      try checkCuts(drivers.cuts, snapshot)
      return .tables([try DriverReport.report(snapshot, self, drivers)])
    }
    if let comparison { return .tables([try ComparedReport.report(snapshot, self, comparison)]) }
    if let definedBy { return .tables([try bridge(to: definedBy, snapshot)]) }
    if showsPairs { return .tables([try pairs(snapshot)]) }
    if let step = options.backtest, isForPeople, sort == nil {
      return .tables(try BacktestReport.forPeople(snapshot, options, step, showsModel: showsModel))
    }
    if kind == .cadence, isForPeople, sort == nil {
      return .tables(Cadence.forPeople(try kind.report(snapshot, options)))
    }
    if kind == .value, isForPeople, sort == nil { return .tables(try withPairs(snapshot)) }
    return try kind.make?(snapshot, self) ?? .tables([kind.report(snapshot, options)])
  }

  /// - Throws: ``OptionError`` for a property that no event has.
  private func checkCuts(_ cuts: [Dimension], _ snapshot: StoreSnapshot) throws {
    for case .property(let name) in cuts where try !snapshot.hasProperty(name) {
      throw OptionError("--cut is property:\(name), but no event has the property \(name)")
    }
  }

  /// Leads from the report's number to that of a vendor.
  private func bridge(to vendor: String, _ snapshot: StoreSnapshot) throws -> Report {
    guard let metric = VendorMetric.of(kind) else { preconditionFailure("\(kind.name) has no --define") }
    return try Bridge.report(
      snapshot, options,
      BridgeQuestion(vendor: vendor, metric: metric.rawValue, number: nil, days: 30, by: .none, step: nil))
  }

  public func table(_ snapshot: StoreSnapshot) throws -> Report? { try run(snapshot).firstTable }
}
