internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Serving

/// Lets in who may ask, and has browsers take answers for nothing but what they are.
struct RequestGuard: RouterMiddleware {
  typealias Context = BasicRequestContext

  /// The tokens that admit a request; `nil` admits all users of this machine.
  var tokens: AccessTokens?
  private let wrongTokens = WrongTokens()

  init(tokens: AccessTokens?) { self.tokens = tokens }

  /// No script and no style but the one file of each, nothing from elsewhere, in no frame of another page.
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response: Response
    if let refusal = refusal(request) {
      // A browser asks once without a token, to be told of it.
      let isGuess = refusal.status == .unauthorized && request.headers[.authorization] != nil
      response = isGuess ? try await wrongTokens.answer(refusal) : refusal
    } else {
      response = try await next(request, context)
    }
    response.headers[.contentSecurityPolicy] = Self.policy
    response.headers[.xContentTypeOptions] = "nosniff"
    for (name, value) in [
      ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"), ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
    ] { if let name = HTTPField.Name(name) { response.headers[name] = value } }
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "private, no-cache" }
    return response
  }

  private func refusal(_ request: Request) -> Response? {
    // It is no secret that the server runs.
    if request.uri.path == "/healthz" { return nil }
    if Self.isOfAnotherSite(request) {
      return .problem(.forbidden, "another site asks for this page; open it by a link or type its address")
    }
    guard let tokens else {
      // A page elsewhere may have its name lead here (DNS rebinding); its requests come under that name.
      guard let host = request.head.authority, Self.address(host)?.isLoopback == true else {
        return .problem(
          .misdirectedRequest, "this server answers only to the names of this machine, such as localhost")
      }
      return nil
    }
    let authorization = request.headers[.authorization]
    if tokens.allow(authorization: authorization) || Self.password(authorization).map(tokens.allow) ?? false {
      return nil
    }
    return .problem(
      .unauthorized, "the token is missing or wrong: send it as a bearer token, or as the password with any user name",
      headers: [.wwwAuthenticate: #"Basic realm="tollgate", charset="UTF-8""#])
  }

  /// A host with or without a port.
  private static func address(_ authority: String) -> ListenAddress? {
    let authority = authority.lowercased()
    return ListenAddress(authority) ?? ListenAddress("\(authority):0")
  }

  /// Whether a browser sends it for a page of another site, and not because its user follows a link there (Fetch Metadata
  /// Request Headers, section 2).
  private static func isOfAnotherSite(_ request: Request) -> Bool {
    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headers[$0] } }
    guard header("Sec-Fetch-Site")?.lowercased().contains("cross-site") == true else { return false }
    return request.method != .get || header("Sec-Fetch-Mode") != "navigate" || header("Sec-Fetch-Dest") != "document"
  }

  /// The password of basic authentication (RFC 7617), which browsers ask their user for.
  private static func password(_ authorization: String?) -> String? {
    guard let authorization, authorization.lowercased().hasPrefix("basic "),
      let bytes = Data(base64Encoded: authorization.dropFirst(6).trimmingCharacters(in: .whitespaces))
    else { return nil }
    let pair = String(decoding: bytes, as: UTF8.self)
    return pair.firstIndex(of: ":").map { String(pair[pair.index(after: $0)...]) }
  }
}
