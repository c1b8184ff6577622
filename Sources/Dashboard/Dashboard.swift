internal import EventModel
internal import Foundation
internal import Hummingbird
public import Logging
internal import Metrics
internal import Reports
public import Serving
internal import Store
internal import Synchronization

/// Serves every report of one store as pages that work without script, and as CSV and JSON for programs.
///
/// | request | answer |
/// |---|---|
/// | `GET /` | how all apps, or one, are doing |
/// | `GET /reports/NAME?PARAMETERS` | a page of a report |
/// | `GET /reports/experiment/memo?PARAMETERS` | a readout as one page to print, or as `format=markdown` or `slack` |
/// | `GET /reports/person?user=ID` | all events of a user |
/// | `GET /reports/NAME/explain?PARAMETERS` | where one number of it comes from; also below `/api/v1` |
/// | `GET /api/v1/NAME?PARAMETERS&format=csv` | the bytes that the command line prints; `json` without `format` |
/// | `GET /api/v1/openapi.json` | what there is, by OpenAPI 3.1 |
/// | `GET /healthz` | 200 when the store can be read |
/// | `GET /metrics` | for Prometheus |
public struct Dashboard: Sendable {
  private let settings: DashboardSettings
  private let logger: Logger
  private let workers: ReportWorkers
  private let pages: Pages
  private let statistics = RequestStatistics()
  private let source: any PageSource
  private let known = Known()
  private let cache: AnswerCache<StoreVersion>

  public init(_ source: any PageSource, settings: DashboardSettings, logger: Logger) {
    self.settings = settings
    self.logger = logger
    self.source = source
    workers = ReportWorkers(source, limit: settings.timeLimit)
    cache = AnswerCache(mostStale: settings.mostStale)
    pages = Pages(version: settings.version, rowLimit: settings.pageRowLimit, views: settings.views)
  }

  /// Serves until the process is told to end.
  public func run(
    on address: ListenAddress, onListening: @escaping @Sendable (ListenAddress) -> Void
  ) throws {
    let ready = Task.detached(priority: .background) { await keepReady() }
    defer { ready.cancel() }
    try Server(address: address, logger: logger).run(router, onListening: onListening)
  }

  /// Makes the pages that the menu leads to before somebody asks for them: at the start, and when the store has been
  /// another one for a second.
  private func keepReady() async {
    var previous = try? source.version()
    var done: StoreVersion?
    while !Task.isCancelled {
      let now = try? source.version()
      if let now { await cache.see(now) }
      // While files land one after the other there is no use in it.
      if let now, now == previous, now != done {
        for path in ["/"] + ReportView.all.map(\.path) {
          if Task.isCancelled || (try? source.version()) != now { break }
          _ = await page(path, query: "", isCurrent: true, urgency: .refresh)
        }
        done = now
      }
      previous = now
      try? await Task.sleep(for: .seconds(1))
    }
  }

  private var router: Router<BasicRequestContext> {
    let router = Router(options: .autoGenerateHeadEndpoints)
    router.add(middleware: StatisticsMiddleware(statistics: statistics))
    router.add(middleware: RequestGuard(tokens: settings.tokens))
    router.add(middleware: ProblemMiddleware())
    router.add(middleware: PageProblems(page: { await notFound($0) }))
    router.get("/") { request, _ in await page("/", request).response }
    router.get("reports/person") { request, _ in await page(Pages.personPath, request).response }
    router.get("reports/experiment") { request, _ in await page("/reports/experiment", request).response }
    router.get("reports/experiment/memo") { request, _ in await memo(request.uri.query ?? "").response }
    router.get("reports/:name") { request, context in await page(try Self.view(context).path, request).response }
    router.get("reports/:name/explain") { request, context in
      await page(try Self.explanation(context).path, request).response
    }
    router.get("api/v1/openapi.json") { _, _ in
      Response(Array(OpenAPI.document(version: settings.version).utf8), type: "application/json")
    }
    router.get("api/v1/:name") { request, context in
      await table(try Self.view(context), query: request.uri.query ?? "").response
    }
    router.get("api/v1/:name/explain") { request, context in
      await table(try Self.explanation(context), query: request.uri.query ?? "").response
    }
    for (name, text, type) in [
      (Design.stylesheetName, Design.stylesheet, "text/css"), (Design.scriptName, Design.script, "text/javascript"),
    ] {
      router.get(RouterPath(name)) { _, _ in
        Response(
          Array(text.utf8), type: "\(type); charset=utf-8",
          headers: [.cacheControl: "private, max-age=31536000, immutable"])
      }
    }
    router.get("metrics") { _, _ in
      Response(Array(statistics.text.utf8), type: "text/plain; version=0.0.4; charset=utf-8")
    }
    router.get("healthz") { _, _ in
      do throws(ReportFault) {
        _ = try await workers.answer(["rates", "list", "--limit=0"])
        return Response(Array("ok\n".utf8), type: "text/plain; charset=utf-8")
      } catch {
        return Response.problem(.serviceUnavailable, error.message)
      }
    }
    return router
  }

  private static func view(_ context: BasicRequestContext) throws -> ReportView {
    let name = context.parameters.get("name") ?? ""
    guard let view = ReportView.named(name) else { throw HTTPError(.notFound, message: "no report \(name)") }
    return view
  }

  private static func explanation(_ context: BasicRequestContext) throws -> ReportView {
    let view = try view(context)
    guard let explanation = view.explanation else {
      throw HTTPError(.notFound, message: "the numbers of \(view.name) are no sums over persons")
    }
    return explanation
  }

  // MARK: Pages

  private struct Page {
    var text: String
    var fault: ReportFault?
  }

  private func page(_ path: String, _ request: Request) async -> StoredAnswer {
    await page(path, query: request.uri.query ?? "", isCurrent: request.isReload)
  }

  /// - Parameter isCurrent: Whether no page of before the last commit will do.
  private func page(
    _ path: String, query: String, isCurrent: Bool, urgency: AnswerCache<StoreVersion>.Urgency = .awaited
  ) async -> StoredAnswer {
    await cache.answer(
      to: "\(path)?\(query)", of: try? source.version(), isCurrent: isCurrent, urgency: urgency
    ) {
      let page: Page
      do throws(ReportFault) {
        let query = try ViewQuery(query)
        let facts = try await facts()
        let name = path.hasPrefix("/reports/") ? String(path.dropFirst("/reports/".count)) : ""
        if path == "/" {
          page = try await home(query, facts)
        } else if path == Pages.personPath {
          page = try await person(query, facts)
        } else if let view = ReportView.named(name) {
          page = try await report(view, query, facts)
        } else if name.hasSuffix("/explain"), let report = ReportView.named(String(name.dropLast("/explain".count))),
          let view = report.explanation
        {
          page = try await explanation(view, of: report, query, facts)
        } else {
          throw ReportFault(.notFound, "There is no page \(path).")
        }
      } catch {
        page = Page(text: pages.fault(error, (try? await facts()) ?? StoreFacts()), fault: error)
      }
      if let fault = page.fault { log(fault, path) }
      return StoredAnswer(
        bytes: Array(page.text.utf8), type: "text/html; charset=utf-8", status: page.fault?.status ?? .ok,
        isLasting: page.fault.map { [.wrongArguments, .notFound].contains($0.kind) } ?? true)
    }
  }

  /// The page of an address that is none.
  private func notFound(_ error: HTTPError) async -> Response {
    let facts = (try? await facts()) ?? StoreFacts()
    let asked = error.body ?? ""
    let near = ReportView.all.filter { view in
      let name = asked.split(separator: " ").last.map(String.init) ?? ""
      return !name.isEmpty && (view.name.hasPrefix(name.prefix(4)) || name.hasPrefix(view.name.prefix(4)))
    }.map { (title: $0.title, address: $0.path) }
    let message =
      asked.isEmpty ? "There is no such page: not found." : "\(asked.prefix(1).uppercased() + asked.dropFirst())."
    let text = pages.fault(ReportFault(.notFound, message), facts, near: near)
    return Response(Array(text.utf8), type: "text/html; charset=utf-8", status: error.status)
  }

  /// The store's facts that the frame of each page shows, for one version of the store.
  private func facts() async throws(ReportFault) -> StoreFacts {
    let version = try? source.version()
    if let version, let facts = known.facts(of: version) { return facts }
    let facts = try await workers.made { source, _ throws(ReportFault) in
      do { return try source.facts() } catch { throw ReportFault(.storeUnavailable, "\(error)") }
    }
    if let version { known.set(facts, of: version) }
    return facts
  }

  private func home(_ query: ViewQuery, _ facts: StoreFacts) async throws(ReportFault) -> Page {
    let names = ["app", "range", "from", "to", "compare", "timezone"]
    for item in query.items where !names.contains(item.name) {
      throw ReportFault(
        .wrongArguments, "The overview has no parameter \(item.name); expected \(names.joined(separator: ", ")).")
    }
    let apps = query.values("app")
    let days = try PageDays(query, data: facts.apps.days(of: apps), standard: .last(28))
    guard let comparison = Overview.Comparison(rawValue: query.first("compare") ?? "before") else {
      throw ReportFault(.wrongArguments, "The comparison is \(query.first("compare") ?? ""). Use before, year or off.")
    }
    let (zone, asked) = (query.first("timezone"), days.days)
    let reports = try await workers.made { source, deadline throws(ReportFault) in
      try source.home(apps: apps, timeZone: zone, days: asked, comparison: comparison, deadline: deadline)
    }
    if apps.isEmpty, let version = try? source.version() {
      var counted = facts
      counted.experiments = reports.experiments.rows.count
      counted.warnings = HomePage(reports, links: pages.links).warningCount
      known.set(counted, of: version)
    }
    return Page(text: pages.home(reports, query, days, facts))
  }

  private func person(_ query: ViewQuery, _ facts: StoreFacts) async throws(ReportFault) -> Page {
    guard let user = query.first("user") else { return Page(text: pages.personForm(query, facts)) }
    let app = query.first("app")
    let timeline = try await workers.made { source, deadline throws(ReportFault) in
      try source.person(user: user, app: app, deadline: deadline)
    }
    guard let timeline else {
      let fault = ReportFault(.notFound, "No app knows a user \(ReportMarkup.shown(user)).")
      return Page(text: pages.personForm(query, fault: fault, facts), fault: fault)
    }
    return Page(text: pages.person(timeline, query, facts))
  }

  private func explanation(
    _ view: ReportView, of report: ReportView, _ query: ViewQuery, _ facts: StoreFacts
  ) async throws(ReportFault) -> Page {
    do throws(ReportFault) {
      let answer = try await workers.answer(query.arguments(for: view, format: "table"))
      return Page(text: try pages.explanation(view, of: report, query, answer, facts))
    } catch {
      guard error.kind == .wrongArguments else { throw error }
      return Page(text: try pages.explanation(view, of: report, query, nil, fault: error, facts), fault: error)
    }
  }

  private func report(_ view: ReportView, _ query: ViewQuery, _ facts: StoreFacts) async throws(ReportFault) -> Page {
    let days = try PageDays(query, data: facts.apps.days(of: query.values("app")), standard: .all)
    var request = Pages.ReportRequest(
      view: view, query: query, asked: view.has("from") ? days.query(query) : query.setting("columns", to: []),
      days: days, facts: facts)
    // Without a name there is nothing to read out yet, but a list to choose from.
    if view.parameters.contains(where: { $0.isPositional && query.first($0.name) == nil }) {
      let experiments = try await workers.answer(["experiments", "--format=table"])
      return Page(text: pages.choice(request, experiments: experiments))
    }
    do throws(ReportFault) {
      // A page has the effect over time and the movement of recurring revenue unless it is asked to have none.
      for name in ["over-time", "movement"]
      where view.has(name) && view.name != "subscriptions" && query.first(name) == nil {
        request.asked = request.asked.setting(name, to: ["true"])
      }
      let answer = try await answer(view, request.asked)
      if case .readout = answer.report { request.marks = await facets(query).1 }
      if view.has("where"), view.group != .experiments, case .tables(let tables) = answer.report {
        (request.facets, request.marks) = await facets(query)
        request.comparison = try days.comparison(query)
        // Of the same age: as the days before were known when they were as long ago.
        if let comparison = request.comparison, let asOf = tables.first?.asOf.map(\.asOf).max() {
          let earlier = request.asked.setting("from", to: [PageDays.text(comparison.before.lowerBound)])
            .setting("to", to: [PageDays.text(comparison.before.upperBound)]).setting("sort", to: [])
            .setting("limit", to: [])
            .setting("as-of", to: [PageDays.instant(asOf - Int64(comparison.shift) * 86_400_000)])
          if case .tables(let before) = try await self.answer(view, earlier).report {
            request.comparison?.tables = before
          }
        }
      }
      return Page(text: try pages.report(request, answer))
    } catch {
      guard error.kind == .wrongArguments else { throw error }
      return Page(text: pages.report(request, fault: error), fault: error)
    }
  }

  /// A report's tables: those asked for, and a second one where the page has it; experiments with their verdicts.
  private func answer(_ view: ReportView, _ asked: ViewQuery) async throws(ReportFault) -> ReportAnswer {
    var answer = try await workers.answer(asked.arguments(for: view, format: "table"))
    guard case .tables(let tables) = answer.report else { return answer }
    if let by = Self.second[view.name], asked.first("by") == nil {
      let more = asked.setting("by", to: [by]).setting("sort", to: [])
      if case .tables(let others) = try await workers.answer(more.arguments(for: view, format: "table")).report {
        answer.report = .tables(tables + others)
      }
    }
    if view.name == "experiments", let list = tables.first {
      let (apps, zone) = (asked.values("app"), asked.first("timezone"))
      let home = try await workers.made { source, deadline throws(ReportFault) in
        try source.home(apps: apps, timeZone: zone, days: .last(28), comparison: .off, deadline: deadline)
      }
      answer.report = .tables([experimentOverview(list, home.readouts)])
    }
    return answer
  }

  /// The default dimensions of the rows of a second table.
  private static let second = ["funnel": "entry_point", "retention": "month,plan"]

  /// The values that a report can be narrowed to; of the apps asked for, in all of their time.
  private func facets(_ query: ViewQuery) async -> ([Facet], [TimeMark]) {
    let apps = query.values("app")
    let version = try? source.version()
    if let version, let facets = known.facets(of: apps, version) { return facets }
    var facets: [Facet] = []
    var versions: Report?
    for dimension in Facet.dimensions {
      let by = dimension == "app_version" ? "app_version,day" : dimension
      guard let table = await table(["funnel", "--by=\(by)"], apps) else { return ([], []) }
      facets.append(Facet(dimension, table))
      if dimension == "app_version" { versions = table }
    }
    let marks = TimeMark.all(versions: versions, experiments: await table(["experiments"], apps))
    if let version { known.set((facets, marks), of: apps, version) }
    return (facets, marks)
  }

  private func table(_ words: [String], _ apps: [String]) async -> Report? {
    guard let answer = try? await workers.answer(words + ["--format=table"] + apps.map { "--app=\($0)" }),
      case .tables(let tables) = answer.report
    else { return nil }
    return tables.first
  }

  /// A readout to share.
  private func memo(_ query: String) async -> StoredAnswer {
    await cache.answer(to: "/reports/experiment/memo?\(query)", of: try? source.version(), isCurrent: true) {
      do throws(ReportFault) {
        guard let view = ReportView.named("experiment") else { throw ReportFault(.notFound, "There is no memo.") }
        let all = try ViewQuery(query)
        let asked = PageDays.parameters.reduce(all.setting("format", to: [])) { $0.setting($1, to: []) }
          .setting("over-time", to: ["true"])
        guard let format = Memo.Format(rawValue: all.first("format") ?? "html") else {
          throw ReportFault(.wrongArguments, "The format is \(all.first("format") ?? ""). Use html, markdown or slack.")
        }
        let answer = try await workers.answer(asked.arguments(for: view, format: "table"))
        guard case .readout(let report) = answer.report else { throw ReportFault(.notFound, "There is no memo.") }
        let command = "tollgate experiment \(Pages.quoted(report.experiment)) --memo \(format.rawValue)"
        let memo = Memo(format: format, version: settings.version, command: command)
        let text = memo.text(report, links: pages.links)
        return StoredAnswer(
          bytes: Array(text.utf8), type: format == .html ? "text/html; charset=utf-8" : "text/plain; charset=utf-8")
      } catch {
        log(error, "memo")
        return StoredAnswer(
          bytes: Array(pages.fault(error, (try? await facts()) ?? StoreFacts()).utf8),
          type: "text/html; charset=utf-8",
          status: error.status, isLasting: false)
      }
    }
  }

  // MARK: Tables

  /// Always of the store as it is: a program that has just written into it cannot be told to reload.
  private func table(_ view: ReportView, query: String) async -> StoredAnswer {
    await cache.answer(to: "\(view.apiPath)?\(query)", of: try? source.version(), isCurrent: true) {
      do throws(ReportFault) {
        return try await makeTable(view, ViewQuery(query))
      } catch {
        log(error, view.apiPath)
        return StoredAnswer(
          bytes: problemBody(error.message), type: "application/json", status: error.status,
          isLasting: error.kind == .wrongArguments)
      }
    }
  }

  private func makeTable(_ view: ReportView, _ query: ViewQuery) async throws(ReportFault) -> StoredAnswer {
    let format = query.first("format") ?? "json"
    let isSpreadsheetSafe = try query.flag("spreadsheet")
    let query = query.setting("format", to: []).setting("spreadsheet", to: [])
    guard let type = ["csv": "text/csv; charset=utf-8; header=present", "json": "application/json"][format] else {
      throw ReportFault(.wrongArguments, "format is \(format), but must be csv or json")
    }
    var arguments = try query.arguments(for: view, format: format)
    if isSpreadsheetSafe { arguments.insert("--spreadsheet", at: view.command.count) }
    let answer = try await workers.answer(arguments)
    guard answer.rowCount <= settings.rowLimit else {
      throw ReportFault(
        .wrongArguments,
        "the table has \(answer.rowCount) rows, more than the \(settings.rowLimit) of an answer: ask for fewer with "
          + "limit, where, from and to, or fewer dimensions")
    }
    return StoredAnswer(bytes: Array(try answer.text().utf8), type: type)
  }

  private func log(_ fault: ReportFault, _ path: String) {
    if ![.wrongArguments, .notFound].contains(fault.kind) { logger.error("\(path): \(fault.message)") }
  }
}

extension Request {
  /// What a browser sends when its user reloads the page (RFC 9111 section 5.2.1).
  fileprivate var isReload: Bool {
    headers[.cacheControl].map { $0.contains("no-cache") || $0.contains("max-age=0") } ?? false
  }
}

extension ReportFault {
  var status: HTTPResponse.Status {
    switch kind {
    case .wrongArguments: .badRequest
    case .notFound: .notFound
    case .tooSlow, .storeUnavailable: .serviceUnavailable
    case .unexpected: .internalServerError
    }
  }
}

/// Values that many pages need, for one version of the store.
private final class Known: Sendable {
  private struct Content {
    var version: StoreVersion?
    var facts: StoreFacts?
    var facets: [[String]: ([Facet], [TimeMark])] = [:]
  }

  private let content = Mutex(Content())

  private func of<Value>(_ version: StoreVersion, _ read: (inout Content) -> Value) -> Value {
    content.withLock { content in
      if content.version != version { content = Content(version: version) }
      return read(&content)
    }
  }

  func facts(of version: StoreVersion) -> StoreFacts? { of(version) { $0.facts } }

  func set(_ facts: StoreFacts, of version: StoreVersion) { of(version) { $0.facts = facts } }

  func facets(of apps: [String], _ version: StoreVersion) -> ([Facet], [TimeMark])? { of(version) { $0.facets[apps] } }

  func set(_ facets: ([Facet], [TimeMark]), of apps: [String], _ version: StoreVersion) {
    of(version) { $0.facets[apps] = facets }
  }
}

/// Gives errors of addresses that people ask for a page; those of programs are left to ``ProblemMiddleware``.
private struct PageProblems: RouterMiddleware {
  typealias Context = BasicRequestContext

  var page: @Sendable (HTTPError) async -> Response

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let path = request.uri.path
    if path.hasPrefix("/api/") || request.method != .get { return try await next(request, context) }
    do {
      return try await next(request, context)
    } catch let error as HTTPError {
      return await page(error)
    }
  }
}
