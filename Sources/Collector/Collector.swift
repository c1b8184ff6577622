internal import Foundation
internal import Hummingbird
internal import Ingest
public import Logging
public import Serving

/// Receives webhooks and answers 200 once a body is on the disk, in files that `ingest` reads.
///
/// The guide ReceiveWebhooks lists its answers. `GET /healthz` is 503 while journals cannot be written.
public struct Collector: Sendable {
  private let settings: CollectorSettings
  private let logger: Logger
  private let folder: JournalFolder
  private let rate: RequestRate
  private let wrongTokens = WrongTokens()

  /// Locks the folder and completes the journals that a crash left.
  public init(_ settings: CollectorSettings, logger: Logger) throws {
    self.settings = settings
    self.logger = logger
    folder = try JournalFolder(path: settings.output)
    rate = RequestRate(perSecond: settings.rate)
    for name in try folder.unfinished() {
      let repair = try JournalRepair(name, in: folder)
      logger.notice(
        "\(name): completed after a crash, \(repair.keptByteCount) bytes kept, \(repair.cutByteCount) unacknowledged")
    }
  }

  /// Counts of the bodies and journals received.
  public struct Summary: Sendable {
    public var bodies = 0
    public var journals = 0
  }

  /// Serves until the process is asked to stop; all journals are complete when this returns.
  public func run(
    on address: ListenAddress, onListening: @escaping @Sendable (ListenAddress) -> Void
  ) throws -> Summary {
    var writers: [JournalWriter] = []
    func writer(_ source: EventSource) -> JournalWriter {
      let limits = JournalWriter.Limits(
        journalBytes: settings.rotateBytes, journalSeconds: settings.rotateSeconds)
      let writer = JournalWriter(folder, source: source.rawValue, limits: limits, logger: logger)
      writers.append(writer)
      return writer
    }
    let router = Router()
    router.add(middleware: RequestRules())
    router.add(middleware: ProblemMiddleware(overview: "`tollgate receive --help` lists all addresses"))
    if let tokens = settings.revenueCat {
      serve(.revenuecat, by: writer(.revenuecat), on: router) { request in
        tokens.allow(authorization: request.headers[.authorization])
          ? nil : "the Authorization header does not have the token"
      }
    }
    if let verifier = settings.appStore {
      serve(.appstore, by: writer(.appstore), on: router, bodyFault: { verifier.fault(ofNotification: $0) })
    }
    let all = writers
    router.get("healthz") { _, _ in
      all.contains { $0.state.isFailing }
        ? Response.problem(.serviceUnavailable, "segments cannot be written to \(settings.output)")
        : Response(Array("ok\n".utf8), type: "text/plain; charset=utf-8")
    }
    let outcome = Result { try Server(address: address, logger: logger).run(router, onListening: onListening) }
    let counts = all.map { $0.close() }
    try outcome.get()
    return Summary(bodies: counts.map(\.lines).reduce(0, +), journals: counts.map(\.journals).reduce(0, +))
  }

  /// - Parameters:
  ///   - headFault: Returns the problem with a request's authorization, before its body is read; `nil` if there is
  ///     none.
  ///   - bodyFault: Returns the problem with a body's signature; `nil` if there is none.
  private func serve(
    _ source: EventSource, by writer: JournalWriter, on router: Router<BasicRequestContext>,
    headFault: @escaping @Sendable (Request) -> String? = { _ in nil },
    bodyFault: @escaping @Sendable ([UInt8]) -> String? = { _ in nil }
  ) {
    router.post(RouterPath(source.rawValue)) { request, _ -> Response in
      if let fault = headFault(request) { return try await wrongTokens.answer(.problem(.unauthorized, fault)) }
      guard rate.allows() else {
        return .problem(.tooManyRequests, "more than \(settings.rate) requests a second", headers: [.retryAfter: "1"])
      }
      guard let body = try await body(of: request) else {
        return .problem(
          .contentTooLarge, "the body is larger than \(settings.maximumBody) bytes", headers: [.connection: "close"])
      }
      guard let line = CollectedLine.bytes(of: body, receivedAt: JournalWriter.now) else {
        return .problem(.badRequest, "the body is not JSON")
      }
      if let fault = bodyFault(body) { return .problem(.unauthorized, fault) }
      do throws(JournalWriter.Refusal) {
        try await writer.append(line)
        return Response(status: .ok)
      } catch {
        return .problem(.serviceUnavailable, "the body could not be stored; send it again", headers: [.retryAfter: "5"])
      }
    }
  }

  /// - Returns: `nil` when it is too large.
  private func body(of request: Request) async throws -> [UInt8]? {
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > settings.maximumBody { return nil }
    var body: [UInt8] = []
    for try await part in request.body {
      body.append(contentsOf: part.readableBytesView)
      if body.count > settings.maximumBody { return nil }
    }
    return body
  }
}
