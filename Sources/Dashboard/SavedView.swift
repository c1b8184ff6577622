public import Basics
internal import Metrics

/// A named page from the file of `serve --views`.
public struct SavedView: Sendable, Equatable {
  public var name: String
  /// Of this server, such as `/reports/funnel?app=steps`.
  public var address: String
  /// Whether the home page has it, too.
  public var isPinned: Bool

  /// Reads a list of names and addresses, or the reports that ``NamedReport`` reads, which are all pinned.
  ///
  /// - Throws: ``ConfigurationError`` for what is not a list of names and addresses.
  public static func views(_ text: String, file: String) throws(ConfigurationError) -> [SavedView] {
    let root = try YAMLValue.root(of: text, file: file)
    if root.hasMembers {
      return try NamedReport.all(yaml: text, file: file).map { report in
        var items = report.given.flatMap { given in given.texts.map { ViewQuery.Item(name: given.option, value: $0) } }
        if let columns = report.columns { items.append(.init(name: "columns", value: columns)) }
        return SavedView(
          name: report.name, address: ViewQuery(items).link("/reports/\(report.kind.name)"), isPinned: true)
      }
    }
    var views: [SavedView] = []
    for item in try root.elements() {
      let members = try item.members(["name", "address", "pinned"])
      guard let name = members["name"], let address = members["address"] else {
        throw item.failure("must have a name and an address")
      }
      let view = SavedView(
        name: try name.text(), address: try address.text(), isPinned: try members["pinned"]?.boolean() ?? false)
      guard view.address.hasPrefix("/"), !view.address.hasPrefix("//") else {
        throw address.failure("must be a path on this server, such as /reports/funnel?app=steps")
      }
      views.append(view)
    }
    return views
  }
}
