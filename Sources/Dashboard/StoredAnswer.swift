internal import HTTPTypes
internal import Hummingbird
internal import Serving

/// A finished answer as bytes.
struct StoredAnswer: Sendable {
  /// The end of a page's head, which is the same at any age.
  private static let head = Array("<main class=\"page\" id=\"main\">\n".utf8)

  var bytes: [UInt8]
  var type: String
  var status = HTTPResponse.Status.ok
  /// Whether the same request has the same answer until the store changes.
  var isLasting = true
  /// The name under which a browser saves it; `nil` to show it.
  var fileName: String?
  /// How long ago the store changed, if the answer is of before that.
  var age: Duration?

  /// A page of before the last change says so: in a line for readers, in headers for programs (RFC 9111 section 5.1, RFC
  /// 9211).
  var response: Response {
    guard let age else {
      let saved: HTTPFields = fileName.map { [.contentDisposition: "attachment; filename=\"\($0)\""] } ?? [:]
      return Response(bytes, type: type, status: status, headers: saved)
    }
    let seconds = max(1, Int(age.components.seconds))
    let headers: HTTPFields = [
      .age: "\(seconds)", .cacheStatus: "tollgate; hit; ttl=-\(seconds)",
    ]
    return Response(Self.noted(bytes, seconds: seconds), type: type, status: status, headers: headers)
  }

  private static func noted(_ page: [UInt8], seconds: Int) -> [UInt8] {
    guard let range = page.firstRange(of: head) else { return page }
    let note = """
      <p class="former" role="status">The store changed \(seconds) s ago, after these numbers were computed. Reload \
      the page to update them.</p>

      """
    return Array(page[..<range.upperBound]) + Array(note.utf8) + Array(page[range.upperBound...])
  }
}

extension HTTPField.Name {
  fileprivate static let cacheStatus = Self("Cache-Status")!
}
