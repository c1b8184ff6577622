/// The head of a page: where it is, what it is called, and the choices that every page has.
public struct PageHead: Sendable {
  /// The way here, from the home page on; the last has no address.
  public var crumbs: [(title: String, address: String?)] = []
  public var title: String
  public var subtitle: String
  /// Menus and buttons at the right.
  public var controls: [Markup] = []

  public init(_ title: String, subtitle: String = "") { (self.title, self.subtitle) = (title, subtitle) }

  public var markup: Markup {
    let way = crumbs.map { crumb -> Markup in
      crumb.address.map { "<a href=\"\($0)\"><bdi>\(crumb.title)</bdi></a>" } ?? "<bdi>\(crumb.title)</bdi>"
    }
    let crumb: Markup =
      way.isEmpty ? "" : #"<p class="crumb">\#(Markup(trusted: way.map(\.text).joined(separator: " / ")))</p>"#
    let sub: Markup = subtitle.isEmpty ? "" : #"<p class="sub">\#(subtitle)</p>"#
    let bar: Markup = controls.isEmpty ? "" : #"<div class="bar">\#(controls)</div>"#
    return #"<header class="head"><div>\#(crumb)<h1><bdi>\#(title)</bdi></h1>\#(sub)</div>\#(bar)</header>"#
  }
}

/// A choice of links in a menu that opens without script.
public struct PageMenu: Sendable {
  public struct Choice: Sendable {
    public var title: String
    /// Shown next to the title, such as a count.
    public var note: String
    /// `nil` for what cannot be chosen; the note says why.
    public var address: String?
    public var isCurrent: Bool

    public init(_ title: String, _ address: String?, note: String = "", isCurrent: Bool = false) {
      (self.title, self.address, self.note, self.isCurrent) = (title, address, note, isCurrent)
    }
  }

  /// The label of the choice, such as `App`.
  public var name: String
  public var value: String
  public var choices: [Choice]
  /// Below the choices, such as a form.
  public var more: Markup = ""
  /// `true` if the menu opens to the right.
  public var isAtLeft = false

  public init(_ name: String, value: String, _ choices: [Choice]) {
    (self.name, self.value, self.choices) = (name, value, choices)
  }

  /// From so many choices on they can be searched.
  static let searchedFrom = 8

  public var markup: Markup {
    let list = choices.map { choice -> Markup in
      let text: Markup =
        "<span><bdi>\(choice.title)</bdi></span><span class=\"muted\">\(choice.note)</span>"
      guard let address = choice.address else { return #"<p class="off">\#(text)</p>"# }
      return #"<a href="\#(address)"\#(choice.isCurrent ? #" aria-current="true""# : "" as Markup)>\#(text)</a>"#
    }
    let search: Markup =
      choices.count >= Self.searchedFrom
      ? #"<input type="search" class="narrow" aria-label="Search" placeholder="Search" hidden>"# : ""
    let key: Markup = name.isEmpty ? "" : #"<span class="k">\#(name)</span> "#
    return """
      <details class="menu"><summary>\(key)<bdi>\(value)</bdi></summary><div class="pop\(isAtLeft ? " left" : "")">\
      \(search)\(list)\(more)</div></details>
      """
  }
}

/// A few choices side by side.
public func pageSegments(_ label: String, _ choices: [PageMenu.Choice]) -> Markup {
  let links = choices.map { choice -> Markup in
    let current: Markup = choice.isCurrent ? #" aria-current="true""# : ""
    return "<a href=\"\(choice.address ?? "")\"\(current) title=\"\(choice.note)\">\(choice.title)</a>"
  }
  return #"<nav class="seg" aria-label="\#(label)">\#(links)</nav>"#
}

/// A part of a page with a heading of its own.
///
/// - Parameters:
///   - aside: At the right of the heading: a legend, a link or menus.
///   - tag: `section` or `aside`.
public func pageCard(
  _ title: String, subtitle: String = "", aside: Markup = "", tag: Markup = "section", id: String? = nil, _ body: Markup
) -> Markup {
  let sub: Markup = subtitle.isEmpty ? "" : #"<p class="sub">\#(subtitle)</p>"#
  let anchor: Markup = id.map { #" id="\#($0)""# } ?? ""
  return """
    <\(tag) class="card"\(anchor)><header><div><h2><bdi>\(title)</bdi></h2>\(sub)</div>\(aside)</header>
    \(body)</\(tag)>

    """
}
