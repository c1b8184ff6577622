internal import Foundation
internal import Hummingbird
public import Logging
public import Serving

/// Serves every report of one store as pages that work without script, and as CSV and JSON for programs.
///
/// | request | answer |
/// |---|---|
/// | `GET /` | what the store has, and where everything is |
/// | `GET /reports/NAME?PARAMETERS` | a page of a report |
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

  public init(_ source: any ReportSource, settings: DashboardSettings, logger: Logger) throws {
    self.settings = settings
    self.logger = logger
    workers = ReportWorkers(source, limit: settings.timeLimit)
    pages = try Pages(version: settings.version, rowLimit: settings.pageRowLimit)
  }

  /// Serves until the process is told to end.
  public func run(
    on address: ListenAddress, onListening: @escaping @Sendable (ListenAddress) -> Void
  ) throws { try Server(address: address, logger: logger).run(router, onListening: onListening) }

  private var router: Router<BasicRequestContext> {
    let router = Router(options: .autoGenerateHeadEndpoints)
    router.add(middleware: StatisticsMiddleware(statistics: statistics))
    router.add(middleware: RequestGuard(tokens: settings.tokens))
    router.add(middleware: ProblemMiddleware())
    router.get("/") { request, _ in
      await page { _ throws(ReportFault) in try await overview() }(request)
    }
    router.get("reports/:name") { request, context in
      let name = context.parameters.get("name") ?? ""
      guard let view = ReportView.named(name) else { throw HTTPError(.notFound, message: "no report \(name)") }
      return await page { query throws(ReportFault) in try await report(view, query) }(request)
    }
    router.get("api/v1/openapi.json") { _, _ in
      Response(Array(OpenAPI.document(version: settings.version).utf8), type: "application/json")
    }
    router.get("api/v1/:name") { request, context in
      let name = context.parameters.get("name") ?? ""
      guard let view = ReportView.named(name) else { throw HTTPError(.notFound, message: "no report \(name)") }
      return await table(view, request)
    }
    router.get("style.css") { _, _ in
      Response(
        Array(DashboardStyle.text.utf8), type: "text/css; charset=utf-8", headers: [.cacheControl: "max-age=600"])
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

  // MARK: Pages

  private struct Page {
    var text: String
    var fault: ReportFault?
  }

  private func page(
    _ make: @escaping @Sendable (ViewQuery) async throws(ReportFault) -> Page
  ) -> @Sendable (Request) async -> Response {
    { request in
      let page: Page
      do throws(ReportFault) {
        page = try await make(ViewQuery(request.uri.query ?? ""))
      } catch {
        page = Page(text: pages.fault(error), fault: error)
      }
      if let fault = page.fault { log(fault, request) }
      return Response(Array(page.text.utf8), type: "text/html; charset=utf-8", status: page.fault?.status ?? .ok)
    }
  }

  private func overview() async throws(ReportFault) -> Page {
    let experiments = try await workers.answer(["experiments", "--format=table"])
    return Page(text: try pages.overview(experiments: experiments))
  }

  private func report(_ view: ReportView, _ query: ViewQuery) async throws(ReportFault) -> Page {
    // Without a name there is nothing to read out yet, but a list to choose from.
    if view.parameters.contains(where: { $0.isPositional && query.first($0.name) == nil }) {
      let experiments = try await workers.answer(["experiments", "--format=table"])
      return Page(text: pages.choice(view, query, experiments: experiments))
    }
    do throws(ReportFault) {
      return Page(
        text: try pages.report(view, query, try await workers.answer(query.arguments(for: view, format: "table"))))
    } catch {
      guard error.kind == .wrongArguments else { throw error }
      return Page(text: pages.report(view, query, fault: error), fault: error)
    }
  }

  // MARK: Tables

  private func table(_ view: ReportView, _ request: Request) async -> Response {
    do throws(ReportFault) {
      var query = try ViewQuery(request.uri.query ?? "")
      let format = query.first("format") ?? "json"
      let isSpreadsheetSafe = query.first("spreadsheet") == "true"
      query = query.setting("format", to: []).setting("spreadsheet", to: [])
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
      return Response(Array(try answer.text().utf8), type: type)
    } catch {
      log(error, request)
      return .problem(error.status, error.message)
    }
  }

  private func log(_ fault: ReportFault, _ request: Request) {
    if fault.kind != .wrongArguments { logger.error("\(request.uri.path): \(fault.message)") }
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
