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
/// | `GET /` | what the store has, and where everything is |
/// | `GET /reports/NAME?PARAMETERS` | a page of a report |
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
  private let source: any ReportSource
  private let cache: AnswerCache<StoreVersion>

  public init(_ source: any ReportSource, settings: DashboardSettings, logger: Logger) throws {
    self.settings = settings
    self.logger = logger
    self.source = source
    workers = ReportWorkers(source, limit: settings.timeLimit)
    cache = AnswerCache(mostStale: settings.mostStale)
    pages = try Pages(version: settings.version, rowLimit: settings.pageRowLimit)
  }

  /// Serves until the process is told to end.
  public func run(
    on address: ListenAddress, onListening: @escaping @Sendable (ListenAddress) -> Void
  ) throws {
    let ready = Task.detached(priority: .background) { await keepReady() }
    defer { ready.cancel() }
    var server = Server(address: address, logger: logger)
    server.requestSeconds += Int(settings.timeLimit.components.seconds)
    try server.run(router, onListening: onListening)
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
        for view in [nil] + ReportView.all {
          if Task.isCancelled || (try? source.version()) != now { break }
          _ = await page(view, query: "", isCurrent: true, urgency: .refresh)
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
    router.add(middleware: ProblemMiddleware())
    router.get("/") { request, _ in await page(nil, request).response }
    router.get("reports/:name") { request, context in await page(try Self.view(context), request).response }
    router.get("reports/:name/explain") { request, context in
      await page(try Self.explanation(context), request).response
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
    router.get("style.css") { _, _ in
      Response(
        Array(DashboardStyle.text.utf8), type: "text/css; charset=utf-8", headers: [.cacheControl: "max-age=600"])
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

  private func page(_ view: ReportView?, _ request: Request) async -> StoredAnswer {
    await page(view, query: request.uri.query ?? "", isCurrent: request.isReload)
  }

  /// - Parameters:
  ///   - view: `nil` for the overview.
  ///   - isCurrent: Whether no page of before the last commit will do.
  private func page(
    _ view: ReportView?, query: String, isCurrent: Bool, urgency: AnswerCache<StoreVersion>.Urgency = .awaited
  ) async -> StoredAnswer {
    let path = view?.path ?? "/"
    return await cache.answer(
      to: "\(path)?\(query)", of: try? source.version(), isCurrent: isCurrent, urgency: urgency
    ) {
      let page: Page
      do throws(ReportFault) {
        let query = try ViewQuery(query)
        if let view, let report = view.explained {
          page = try await explanation(view, of: report, query)
        } else if let view {
          page = try await report(view, query)
        } else {
          page = try await overview()
        }
      } catch {
        page = Page(text: pages.fault(error), fault: error)
      }
      if let fault = page.fault { log(fault, path) }
      return StoredAnswer(
        bytes: Array(page.text.utf8), type: "text/html; charset=utf-8", status: page.fault?.status ?? .ok,
        isLasting: page.fault.map { $0.kind == .wrongArguments } ?? true)
    }
  }

  private func overview() async throws(ReportFault) -> Page {
    let experiments = try await workers.answer(["experiments", "--format=table"])
    return Page(text: try pages.overview(experiments: experiments))
  }

  private func explanation(
    _ view: ReportView, of report: ReportView, _ query: ViewQuery
  ) async throws(ReportFault) -> Page {
    do throws(ReportFault) {
      let answer = try await workers.answer(query.arguments(for: view, format: "table"))
      return Page(text: try pages.explanation(view, of: report, query, answer))
    } catch {
      guard error.kind == .wrongArguments else { throw error }
      return Page(text: try pages.explanation(view, of: report, query, nil, fault: error), fault: error)
    }
  }

  private func report(_ view: ReportView, _ query: ViewQuery) async throws(ReportFault) -> Page {
    // Without a name there is nothing to read out yet, but a list to choose from.
    if view.parameters.contains(where: { $0.isPositional && query.first($0.name) == nil }) {
      let experiments = try await workers.answer(["experiments", "--format=table"])
      return Page(text: pages.choice(view, query, experiments: experiments))
    }
    do throws(ReportFault) {
      // A page has the picture of the effect over time unless it is asked to have none.
      let shown =
        view.has("over-time") && query.first("over-time") == nil ? query.setting("over-time", to: ["true"]) : query
      return Page(
        text: try pages.report(view, query, try await workers.answer(shown.arguments(for: view, format: "table"))))
    } catch {
      guard error.kind == .wrongArguments else { throw error }
      return Page(text: pages.report(view, query, fault: error), fault: error)
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
          bytes: problemBody(ReportMarkup.shown(error.message)), type: "application/json", status: error.status,
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
    if fault.kind != .wrongArguments { logger.error("\(path): \(fault.message)") }
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
    case .tooSlow, .storeUnavailable: .serviceUnavailable
    case .unexpected: .internalServerError
    }
  }
}
