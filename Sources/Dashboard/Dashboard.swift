internal import Basics
internal import Foundation
internal import Hummingbird
public import Logging
internal import Reports
public import Serving
internal import Store

/// Serves every report of one store as pages that work without script, and as CSV and JSON for programs.
///
/// | request | answer |
/// |---|---|
/// | `GET /` | how all apps, or one, are doing |
/// | `GET /reports/NAME?PARAMETERS` | a page of a report |
/// | `GET /reports/experiment/memo?PARAMETERS` | a readout as one page to print, or as `format=markdown` or `slack` |
/// | `GET /reports/NAME/chart?chart=TITLE&PARAMETERS` | a chart of a report's page as SVG, to save |
/// | `GET /reports/person?user=ID` | all events of a user |
/// | `GET /reports/NAME/explain?PARAMETERS` | where one number of it comes from; also below `/api/v1` |
/// | `GET /api/v1/NAME?PARAMETERS&format=csv` | the bytes that the command line prints; `json` without `format` |
/// | `GET /api/v1/openapi.json` | what there is, by OpenAPI 3.1 |
/// | `GET /healthz` | 200 when the store can be read |
/// | `GET /metrics` | for Prometheus |
public struct Dashboard: Sendable {
  let settings: DashboardSettings
  private let logger: Logger
  let workers: ReportWorkers
  let pages: Pages
  private let statistics = RequestStatistics()
  let source: StoreReports
  let known = KnownFacts()
  let cache: AnswerCache<StoreVersion>

  public init(_ source: StoreReports, settings: DashboardSettings, logger: Logger) {
    self.settings = settings
    self.logger = logger
    self.source = source
    workers = ReportWorkers(source, limit: settings.timeLimit)
    cache = AnswerCache(mostStale: settings.mostStale)
    pages = Pages(
      version: settings.version, rowLimit: settings.pageRowLimit, views: settings.views, notes: settings.notes)
  }

  /// Serves until the process gets a signal to end.
  public func run(
    on address: ListenAddress, onListening: @escaping @Sendable (ListenAddress) -> Void
  ) throws {
    let ready = Task.detached(priority: .background) { await keepReady() }
    defer { ready.cancel() }
    var server = Server(address: address, logger: logger)
    server.requestSeconds += Int(settings.timeLimit.components.seconds)
    try server.run(router, onListening: onListening)
  }

  /// The most apps whose overviews are computed before the first request for them.
  private static let mostAppsReady = 12

  /// Computes the pages of the menu, and the overview of each range and app, before the first request for them: at the
  /// start, and one second after the store has changed.
  private func keepReady() async {
    var previous = try? source.version()
    var done: StoreVersion?
    while !Task.isCancelled {
      let now = try? source.version()
      if let now { await cache.see(now) }
      // While files land one after the other there is no use in it.
      if let now, now == previous, now != done {
        // The overview at once, and again with the data-quality checks.
        let apps = (try? await facts())?.apps.prefix(Self.mostAppsReady) ?? []
        let queries =
          PageDays.presets.map { ViewQuery([.init(name: "range", value: $0.word)]) }
          + apps.map { ViewQuery([.init(name: "app", value: $0.name)]) }
        let all =
          [("/", ""), ("/", "")] + ReportView.all.map { ($0.path, "") } + queries.map { ("/", $0.text) }
        for (place, (path, query)) in all.enumerated() {
          if place == 1 { _ = await known.checks(of: now, from: source).value }
          if Task.isCancelled || (try? source.version()) != now { break }
          _ = await page(path, query: query, isCurrent: true, urgency: .refresh)
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
    router.add(middleware: RequestRules())
    router.add(middleware: RequestGuard(tokens: settings.tokens))
    router.add(middleware: ProblemMiddleware(overview: "/api/v1/openapi.json lists all addresses"))
    router.add(middleware: PageProblems(page: { await notFound($0) }))
    router.get("/") { request, _ in await page("/", request).response }
    router.get("reports/person") { request, _ in await page(Pages.personPath, request).response }
    router.get("reports/experiment") { request, _ in await page("/reports/experiment", request).response }
    router.get("reports/experiment/memo") { request, _ in await memo(request.uri.query ?? "").response }
    router.get("reports/experiment/chart") { request, _ in
      await chart("experiment", request.uri.query ?? "").response
    }
    router.get("reports/:name/chart") { request, context in
      await chart(context.parameters.get("name") ?? "", request.uri.query ?? "").response
    }
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
    router.get("api/v1/:name/why") { request, context in
      guard let drivers = try Self.view(context).drivers else {
        throw HTTPError(.notFound, message: "the report has no share of counts whose change could be split")
      }
      return await table(drivers, query: request.uri.query ?? "").response
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
      do {
        _ = try source.version()
        return Response(Array("ok\n".utf8), type: "text/plain; charset=utf-8")
      } catch {
        return Response.problem(.serviceUnavailable, ReportMarkup.shown("\(error)"))
      }
    }
    return router
  }

  private static func view(_ context: BasicRequestContext) throws -> ReportView {
    let name = context.parameters.get("name") ?? ""
    guard let view = ReportView.named(name) else {
      let hint = NearName.hint(name, in: ReportView.all.map(\.name))
      throw HTTPError(.notFound, message: "there is no report \(name)\(hint)")
    }
    return view
  }

  private static func explanation(_ context: BasicRequestContext) throws -> ReportView {
    let view = try view(context)
    guard let explanation = view.explanation else {
      throw HTTPError(
        .notFound, message: "the numbers of \(view.name) are not sums over users, so they cannot be explained")
    }
    return explanation
  }

  // MARK: Pages

  struct Page {
    var text: String
    var fault: ReportFault?
    /// Whether it is the same until the store changes.
    var isLasting = true
  }

  private func page(_ path: String, _ request: Request) async -> StoredAnswer {
    await page(path, query: request.uri.query ?? "", isCurrent: request.isReload)
  }

  /// - Parameter isCurrent: Whether a page of before the last commit will not do.
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
        isLasting: page.isLasting && page.fault.map { [.wrongArguments, .notFound].contains($0.kind) } ?? true)
    }
  }

  func log(_ fault: ReportFault, _ path: String) {
    if ![.wrongArguments, .notFound].contains(fault.kind) { logger.error("\(path): \(fault.message)") }
  }
}

extension Request {
  /// Whether the browser's user reloaded the page (RFC 9111 section 5.2.1).
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
