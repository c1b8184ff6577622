/// The frame of every page: side bar, menu on phones, head and dialogs.
public struct PageFrame: Sendable {
  public struct Link: Sendable {
    public var title: String
    public var address: String
    public var isCurrent: Bool
    /// Shown next to the title.
    public var count: Int?
    /// Whether the count needs attention.
    public var isWarning: Bool

    public init(_ title: String, _ address: String, isCurrent: Bool = false, count: Int? = nil, isWarning: Bool = false)
    {
      (self.title, self.address, self.isCurrent) = (title, address, isCurrent)
      (self.count, self.isWarning) = (count, isWarning)
    }
  }

  public struct Group: Sendable {
    /// Empty for the first one, which needs no heading.
    public var title: String
    public var links: [Link]

    public init(_ title: String, _ links: [Link]) { (self.title, self.links) = (title, links) }
  }

  /// How a page gets its style.
  public enum Style: Sendable {
    /// From the server that sends the page, whose header has the policy; with the script.
    case served
    /// From the folder that the page is in; without script.
    case beside
    /// From the page itself; without script.
    case inside
  }

  /// Of the browser's tab, without the program's name.
  public var title: String
  public var style: Style
  public var home: String
  public var groups: [Group] = []
  /// Pages that the window to go to a page offers besides those of the menu.
  public var destinations: [Link] = []
  /// At the foot of the side bar, a line each.
  public var foot: [String] = []

  public init(title: String, style: Style, home: String = "/") {
    (self.title, self.style, self.home) = (title, style, home)
  }

  /// - Parameter content: What `main` has, the head of the page first.
  public func document(_ content: Markup) -> String {
    let navigation: Markup = "\(groups.map(Self.list))"
    let keys: Markup = style == .served ? "<br>Press <kbd>?</kbd> for keys" : ""
    let lines = Markup(trusted: foot.map(htmlEscaped).joined(separator: "<br>"))
    let search: Markup =
      style == .served
      ? #"<button class="search" type="button" hidden>Go to … <kbd>Ctrl K</kbd></button>"# : ""
    return Self.document(
      title: title, style: style,
      body: """
        <a class="skip" href="#main">Skip to the content</a>
        \(Self.patterns)
        <header class="top">
        \(brand)
        <details class="menu"><summary>Menu</summary><div class="pop"><nav class="nav" aria-label="Menu">
        \(navigation)</nav></div></details>
        </header>
        <div class="frame">
        <header class="side">
        \(brand)
        \(search)
        <nav class="nav" aria-label="Reports">
        \(navigation)</nav>
        <p class="foot">\(lines)\(keys)</p>
        </header>
        <main class="page" id="main">
        \(content)
        </main>
        </div>
        \(style == .served ? dialogs : "")
        """)
  }

  /// A page of a head and a body alone, such as a memo.
  static func document(title: String, style: Style, body: Markup) -> String {
    let head: Markup
    switch style {
    case .served:
      head = """
        <link rel="stylesheet" href="/\(Design.stylesheetName)">
        <script defer src="/\(Design.scriptName)"></script>
        """
    case .beside:
      head = """
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self' file:; img-src data:">
        <meta name="referrer" content="no-referrer">
        <link rel="stylesheet" href="\(Design.stylesheetName)">
        """
    case .inside:
      head = """
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '\(Design.stylesheetHash)'; img-src data:">
        <meta name="referrer" content="no-referrer">
        <style>\(Markup(trusted: Design.stylesheet))</style>
        """
    }
    let page: Markup = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <link rel="icon" href="data:,">
      \(head)
      <title>\(title) · tollgate</title>
      </head>
      <body>
      \(body)
      </body>
      </html>

      """
    return page.text
  }

  private static func list(_ group: Group) -> Markup {
    let links = group.links.map { link -> Markup in
      let current: Markup = link.isCurrent ? #" aria-current="page""# : ""
      let count: Markup =
        link.count.map { #" <span class="count\#(link.isWarning ? " warn" : "")">\#(countText($0))</span>"# } ?? ""
      return "<li><a href=\"\(link.address)\"\(current)><bdi>\(link.title)</bdi>\(count)</a></li>\n"
    }
    let heading: Markup = group.title.isEmpty ? "" : "<h2>\(group.title)</h2>\n"
    return "\(heading)<ul>\n\(links)</ul>\n"
  }

  private var brand: Markup {
    """
    <a class="brand" href="\(home)"><svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">\
    <rect class="facc" x="2" y="5" width="4" height="14" rx="1.5"/>\
    <rect class="facc" x="4" y="6.5" width="16" height="3.4" rx="1.7" transform="rotate(-14 4 8)"/>\
    <circle class="facc" cx="18" cy="17" r="2.4"/></svg> tollgate</a>
    """
  }

  /// Hatches of what is not over, once a page: `k0` to `k6` of the series, `kn` of what is not settled, `ko` over a
  /// colour.
  static let patterns: Markup =
    #"<svg class="vh" width="1" height="1" aria-hidden="true" focusable="false">\#(patternDefinitions)</svg>"#

  static let patternDefinitions: Markup = {
    let names = (0...6).map { "\($0)" } + ["a", "n", "o"]
    let all = names.map { name -> Markup in
      """
      <pattern id="k\(name)" class="hatch h\(name)" width="6" height="6" patternUnits="userSpaceOnUse" \
      patternTransform="rotate(45)"><rect width="6" height="6"/><line x1="0" y1="0" x2="0" y2="6"/></pattern>
      """
    }
    return "<defs>\(all)</defs>"
  }()

  private var dialogs: Markup {
    let links = destinations.map { "<li><a href=\"\($0.address)\">\($0.title)</a></li>" as Markup }
    return """
      <dialog id="palette" aria-label="Go to"><input type="search" aria-label="Report, experiment, app or user" \
      placeholder="Report, experiment, app or user"><ul>\(links)</ul></dialog>
      <dialog id="keys" aria-label="Keys"><div class="card"><h2>Keys</h2><ul class="keylist">
      <li><kbd>/</kbd> search the table</li>
      <li><kbd>Ctrl K</kbd> or <kbd>⌘ K</kbd> go to a report, experiment, app or user</li>
      <li><kbd>←</kbd> <kbd>→</kbd> move along a chart</li>
      <li><kbd>Esc</kbd> close</li>
      </ul><form method="dialog"><button class="btn">Close</button></form></div></dialog>
      """
  }
}
