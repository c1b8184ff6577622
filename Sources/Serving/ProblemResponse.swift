internal import Foundation
public import Hummingbird

extension Response {
  /// Creates a response with a body, its content type and its length.
  public init(
    _ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
  ) {
    var headers = headers
    headers[.contentType] = type
    self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// Returns an error response in the common format `{"error":"..."}`.
  public static func problem(
    _ status: HTTPResponse.Status, _ message: String, headers: HTTPFields = [:]
  ) -> Response {
    Response(problemBody(message), type: "application/json", status: status, headers: headers)
  }
}

/// Returns the JSON body of an error response.
public func problemBody(_ message: String) -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .withoutEscapingSlashes
  return Array((try? encoder.encode(["error": message])) ?? Data()) + [0x0A]
}

/// Gives errors that a router throws, such as an unknown path, the common format.
public struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
  private let overview: String

  /// - Parameter overview: Where an address that does not exist sends its reader, as the end of a sentence.
  public init(overview: String) { self.overview = overview }

  public func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPError {
      let nowhere = "there is no \(request.method.rawValue) \(request.uri.path.prefix(100)); \(overview)"
      let reason = error.status == .notFound ? nowhere : error.status.reasonPhrase.lowercased()
      return .problem(error.status, error.body ?? reason, headers: error.headers)
    }
  }
}
