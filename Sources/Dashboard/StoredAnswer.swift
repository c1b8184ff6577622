internal import HTTPTypes
internal import Hummingbird
internal import Serving

/// A finished answer as bytes.
struct StoredAnswer: Sendable {
  /// A page's beginning up to which everything is the same whatever its age.
  private static let head = Array("<main class=\"page\" id=\"main\">\n".utf8)

  var bytes: [UInt8]
  var type: String
  var status = HTTPResponse.Status.ok
  /// Whether the same request has the same answer until the store changes.
  var isLasting = true
  /// The name of the file that a browser saves it as; `nil` for what it shows.
  var fileName: String?
  /// How long ago the store got the content that this is not made of yet.
  var age: Duration?

  /// A former page says so, in a line for its reader and by RFC 9111 (section 5.1) and RFC 9211 for programs.
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
      <p class="former" role="status">The store changed \(seconds) s ago, and these numbers are of before. Reload the page for \
      the new ones.</p>

      """
    return Array(page[..<range.upperBound]) + Array(note.utf8) + Array(page[range.upperBound...])
  }
}

extension HTTPField.Name {
  fileprivate static let cacheStatus = Self("Cache-Status")!
}
