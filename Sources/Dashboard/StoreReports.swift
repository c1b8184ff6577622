public import Metrics
internal import Reports
internal import Store

/// Makes the reports of one store that the dashboard shows.
public struct StoreReports: Sendable {
  /// With more variants, comparing each pair takes too long for a page.
  private static let mostVariants = 400

  private let path: String
  private let plans: [PlanFile]
  private let fault: @Sendable (any Error) -> ReportFault
  private let watch: StoreWatch

  /// - Parameters:
  ///   - plans: The plans of experiments.
  ///   - fault: Says what an error means to a reader.
  public init(path: String, plans: [PlanFile], fault: @escaping @Sendable (any Error) -> ReportFault) {
    (self.path, self.plans, self.fault) = (path, plans, fault)
    watch = StoreWatch(path: path)
  }

  /// Which content answers are of, at no cost to speak of.
  func version() throws -> StoreVersion { try watch.version() }

  /// - Parameters:
  ///   - format: The format that the answer is for; people's tables have more than CSV.
  ///   - deadline: When the request is given up.
  ///   - more: The requests whose reports share what the first one reads; it gets that one's report.
  /// - Returns: The answer to the first request, then those to the others.
  func answers(
    _ request: ReportRequest, as format: ReportFormat, deadline: ContinuousClock.Instant,
    and more: (FinishedReport) -> [ReportRequest]
  ) throws(ReportFault) -> [ReportAnswer] {
    try made(deadline) { snapshot in
      let first = try answer(request, as: format, snapshot)
      return [first] + (try more(first.report).map { try answer($0, as: format, snapshot) })
    }
  }

  private func answer(
    _ request: ReportRequest, as format: ReportFormat, _ snapshot: StoreSnapshot
  ) throws -> ReportAnswer {
    var request = request
    request.experiment.mostVariants = Self.mostVariants
    request.experiment.plans = plans
    request.isForPeople = format == .table
    if request.isForPeople, request.explained?.limit == nil { request.explained?.limit = ExplainedNumber.usersOfPage }
    var options = RenderOptions()
    (options.sort, options.limit) = (request.sort, request.limit)
    try request.checkExplained()
    return ReportAnswer(report: try request.run(snapshot), format: format, options: options)
  }

  /// Returns what is known of the store at no cost to speak of.
  func facts() throws -> StoreFacts {
    try Store.open(readOnly: path).read { snapshot in
      var facts = StoreFacts()
      facts.apps = try snapshot.apps().compactMap { app in
        guard let newest = app.newestAsOf else { return nil }
        let day = 86_400_000 as Int64
        return DataApp(name: app.name, days: Int(app.firstDay / day)..<Int((newest - 1) / day) + 1)
      }
      facts.experiments = try ReportKind.experiments.cached(snapshot).map(StoreFacts.Experiment.all)
      facts.warnings = try ReportKind.health.cached(snapshot)?.rows.filter { $0.contains(.text("warning")) }
        .compactMap { if case .text(let app)? = $0.first { app } else { nil } }
      return facts
    }
  }

  /// The key numbers of some days.
  ///
  /// - Parameter apps: Empty for all.
  func overview(
    apps: [String], timeZone: String?, days: Overview.Days, comparison: Overview.Comparison,
    deadline: ContinuousClock.Instant
  ) throws(ReportFault) -> Overview {
    try made(deadline) { try Overview($0, Self.options(apps, timeZone), days: days, comparison: comparison) }
  }

  /// The reports of the overview that are the same for all days.
  ///
  /// - Parameter apps: Empty for all.
  func standing(
    apps: [String], timeZone: String, deadline: ContinuousClock.Instant
  ) throws(ReportFault) -> HomeReports.Standing {
    try made(deadline) { try HomeReports.Standing($0, Self.options(apps, timeZone), plans: plans) }
  }

  private static func options(_ apps: [String], _ timeZone: String?) -> ReportOptions {
    var options = ReportOptions()
    options.apps = apps
    if let timeZone { options.timeZone = timeZone }
    return options
  }

  /// The data-quality checks of all apps. They may take longer than a request.
  func checks() throws(ReportFault) -> Report {
    try made(.now + .seconds(3_600)) { try ReportKind.health.report($0, ReportRequest(.health).options) }
  }

  /// A user by any of the ids; of the only app that knows it, or of the one named.
  func person(user: String, app: String?, deadline: ContinuousClock.Instant) throws(ReportFault) -> PersonTimeline? {
    try made(deadline) { snapshot in
      var options = ReportOptions()
      options.apps = app.map { [$0] } ?? []
      return try PersonTimeline.find(user, snapshot, options)
    }
  }

  private func made<Made>(
    _ deadline: ContinuousClock.Instant, _ make: (StoreSnapshot) throws -> Made
  ) throws(ReportFault) -> Made {
    do {
      return try Store.open(readOnly: path).read(until: deadline, make)
    } catch {
      throw fault(error)
    }
  }
}

/// A finished report and how it was asked to look.
struct ReportAnswer: Sendable {
  var report: FinishedReport
  var format: ReportFormat
  var options: RenderOptions

  /// The bytes that the command line prints.
  func text() throws(ReportFault) -> String {
    do {
      return try report.text(as: format, options: options)
    } catch {
      throw ReportFault(.wrongArguments, "\(error)")
    }
  }

  var rowCount: Int { min(report.rowCount, options.limit ?? .max) }
}

/// Why there is no report.
public struct ReportFault: Error {
  public enum Kind: Sendable {
    case wrongArguments
    /// There is no such page, user or experiment.
    case notFound
    /// It would have taken longer than a request may.
    case tooSlow
    /// The store cannot be read now.
    case storeUnavailable
    case unexpected
  }

  public var kind: Kind
  public var message: String

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
