internal import HTTPTypes
public import Hummingbird
internal import Synchronization

/// Refuses requests that no honest client sends: addresses of more than 8 kB, and more than one host.
public struct RequestRules<Context: RequestContext>: RouterMiddleware {
  private static var mostAddressBytes: Int { 8 << 10 }

  public init() {}

  public func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    if (request.head.path ?? "").utf8.count > Self.mostAddressBytes {
      return .problem(.uriTooLong, "the address has more than \(Self.mostAddressBytes) bytes")
    }
    // The first one is the authority (RFC 9112, section 3.2: two are an error).
    if let host = HTTPField.Name("host"), request.headers.contains(host) {
      return .problem(.badRequest, "the request has more than one Host header")
    }
    return try await next(request, context)
  }
}

/// Answers to wrong tokens, which come late, so that guessing takes long.
public final class WrongTokens: Sendable {
  private static let mostWaiting = 64

  private let waiting = Mutex(0)

  public init() {}

  /// Returns the answer after a second; while many others wait for theirs, another one at once, and the connection ends.
  ///
  /// A right token never waits, however many wrong ones there are.
  public func answer(_ refusal: Response) async throws -> Response {
    let isDelayed = waiting.withLock { waiting in
      if waiting >= Self.mostWaiting { return false }
      waiting += 1
      return true
    }
    guard isDelayed else {
      return .problem(.tooManyRequests, "too many wrong tokens", headers: [.retryAfter: "1", .connection: "close"])
    }
    defer { waiting.withLock { $0 -= 1 } }
    try await Task.sleep(for: .seconds(1))
    return refusal
  }
}
