public import Basics

/// A named page from the file of `serve --views`.
public struct SavedView: Sendable, Equatable {
  public var name: String
  /// Of this server, such as `/reports/funnel?app=steps`.
  public var address: String
  /// Whether the home page has it, too.
  public var isPinned: Bool

  /// Reads a list of views.
  ///
  /// - Throws: ``ConfigurationError`` for what is no list of names and addresses.
  public static func views(_ text: String, file: String) throws(ConfigurationError) -> [SavedView] {
    let root = try YAMLValue.root(of: text, file: file)
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
