internal import Crypto
internal import Foundation

/// The stylesheet and the script of the dashboard, the report folder and the memo.
public enum Design {
  /// Without comments and spaces, which are for its authors.
  public static let stylesheet = String(decoding: PackageResources.tollgate_css, as: UTF8.self)
    .replacing(/\/\*[^*]*\*+(?:[^\/*][^*]*\*+)*\//, with: "").replacing(/\s*([{};])\s*/) { $0.1 }
    .replacing(/([:,])\s+/) { $0.1 }.replacing(";}", with: "}")
  public static let script = String(decoding: PackageResources.tollgate_js, as: UTF8.self)
    .replacing(/\n\s*(?:\/\/.*)?/, with: "\n")

  /// A name that changes with the content, so that a browser can cache the file forever.
  public static let stylesheetName = "tollgate-\(digest(stylesheet)).css"
  public static let scriptName = "tollgate-\(digest(script)).js"

  private static func digest(_ text: String) -> String {
    String(SHA256.hash(data: Data(text.utf8)).hexadecimal.prefix(12))
  }

  /// As a policy names a style that stands in the page itself (CSP 3, section 2.3.1).
  static let stylesheetHash = "sha256-\(Data(SHA256.hash(data: Data(stylesheet.utf8))).base64EncodedString())"
}
