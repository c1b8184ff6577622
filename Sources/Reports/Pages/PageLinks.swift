/// Where the pages of one place are: those of the dashboard, or the files of a report folder.
///
/// Each gives `nil` where there is no such page.
public struct PageLinks: Sendable {
  /// Of a report by its name, with further parameters of an address.
  public var report: @Sendable (_ name: String, _ parameters: [(name: String, value: String)]) -> String?
  public var experiment: @Sendable (_ app: String, _ name: String) -> String?
  public var memo: @Sendable (_ app: String, _ name: String) -> String?
  public var app: @Sendable (_ app: String) -> String?

  public init(
    report: @escaping @Sendable (String, [(name: String, value: String)]) -> String?,
    experiment: @escaping @Sendable (String, String) -> String?,
    memo: @escaping @Sendable (String, String) -> String?, app: @escaping @Sendable (String) -> String?
  ) {
    (self.report, self.experiment, self.memo, self.app) = (report, experiment, memo, app)
  }

  /// A single page without neighbours.
  static let none = PageLinks(
    report: { _, _ in nil }, experiment: { _, _ in nil }, memo: { _, _ in nil }, app: { _ in nil })
}

/// A link, or the text alone where there is no page.
func linked(_ text: Markup, to address: String?, class name: String = "") -> Markup {
  guard let address else { return text }
  let look: Markup = name.isEmpty ? "" : " class=\"\(name)\""
  return "<a\(look) href=\"\(address)\">\(text)</a>"
}
