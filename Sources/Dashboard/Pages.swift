internal import Metrics
internal import Reports

/// The pages as text; the same for the same answer.
struct Pages: Sendable {
  let version: String
  let rowLimit: Int
  /// Names and addresses of saved views.
  let views: [SavedView]
  /// For axes of time.
  let notes: [DayNote]

  /// Parameters that stay when another report is chosen.
  static let kept: Set = ["app", "from", "to", "as-of", "timezone", "where", "range", "compare"]

  /// The most experiments that the window to go to pages knows.
  private static let mostDestinations = 200

  // MARK: Frame

  /// - Parameter current: The view of the page; `nil` for the home page and for what is in no menu.
  func document(
    _ title: String, head: PageHead, _ content: Markup, query: ViewQuery, current: String?, _ facts: StoreFacts
  ) -> String {
    var frame = PageFrame(title: title, style: .served)
    frame.groups = [
      PageFrame.Group(
        "", [PageFrame.Link("Overview", Self.home(keeping: query, facts), isCurrent: current == "home")])
    ]
    if !views.isEmpty {
      frame.groups.append(PageFrame.Group("Saved views", views.map { PageFrame.Link($0.name, $0.address) }))
    }
    let counts = facts.counts(of: query.values("app"))
    for group in ReportKind.Group.allCases {
      var links = ReportView.all.filter { view in
        view.group == group && view.kind != .paths && !view.parameters.contains(where: \.isPositional)
      }.map { view in
        PageFrame.Link(
          view.name == "experiments" ? "All experiments" : view.title, Self.address(of: view, keeping: query),
          isCurrent: view.name == current || (view.kind == .funnel && current == ReportKind.paths.name),
          count: view.name == "experiments" ? counts.experiments : view.name == "health" ? counts.warnings : nil,
          isWarning: view.name == "health" && counts.warnings ?? 0 > 0)
      }
      if group == .data {
        links.insert(PageFrame.Link("Users", Self.personPath, isCurrent: current == "person"), at: 0)
      }
      frame.groups.append(PageFrame.Group(group.rawValue, links))
    }
    let links = Self.links(of: ViewQuery())
    frame.destinations = (facts.experiments ?? []).prefix(Self.mostDestinations).compactMap { experiment in
      links.experiment(experiment.app, experiment.name).map { PageFrame.Link(experiment.name, $0) }
    }
    let days = facts.apps.days(of: [])
    frame.foot = ["tollgate \(version)"] + (days.last.map { ["data to \(shortDay($0, hasYear: true))"] } ?? [])
    return frame.document("\(head.markup)\n\(content)")
  }

  /// Returns the address of a report with the options that pages share, as far as it takes them.
  static func address(of view: ReportView, keeping query: ViewQuery) -> String {
    ViewQuery(query.items.filter { kept.contains($0.name) && view.accepts($0) }).link(view.path)
  }

  /// Returns the address of the overview for the apps and days of another page, as far as it has them.
  static func home(keeping query: ViewQuery, _ facts: StoreFacts) -> String {
    let names = ["app", "range", "from", "to", "compare", "timezone"]
    var home = ViewQuery(
      query.items.filter { item in
        names.contains(item.name) && (item.name != "compare" || Overview.Comparison(rawValue: item.value) != nil)
      })
    let data = facts.apps.days(of: home.values("app"))
    let days = try? PageDays(home, data: data, standard: .last(28)).range
    if days?.overlaps(data) != true { home = home.without("range", "from", "to") }
    return home.link("/")
  }

  static let personPath = "/reports/person"

  var links: PageLinks { Self.links(of: ViewQuery()) }

  /// - Parameter query: The parameters that links keep.
  static func links(of query: ViewQuery) -> PageLinks {
    let items = query.items.filter { ["range", "from", "to", "timezone", "app"].contains($0.name) }
    return PageLinks(
      report: { name, parameters in
        if name == "person" {
          return ViewQuery(parameters.map { .init(name: $0.name, value: $0.value) }).link(personPath)
        }
        guard let view = ReportView.named(name) else { return nil }
        let own = parameters.map { ViewQuery.Item(name: $0.name, value: $0.value) }
        let names = Set(view.parameters.map(\.name)).union(view.has("from") ? ["range"] : [])
        let isDated = own.contains { $0.name == "from" }
        let rest = items.filter { item in
          names.contains(item.name) && !own.contains { $0.name == item.name } && !(isDated && item.name == "range")
        }
        return ViewQuery(own + rest).link(view.path)
      },
      experiment: { experiment($0, $1, "") }, memo: { experiment($0, $1, "/memo") },
      app: { ViewQuery([.init(name: "app", value: $0)] + items.filter { $0.name != "app" }).link("/") })
  }

  private static func experiment(_ app: String, _ name: String, _ page: String) -> String? {
    ReportView.named("experiment").map {
      ViewQuery([.init(name: "name", value: name), .init(name: "app", value: app)]).link($0.path + page)
    }
  }

  // MARK: Home

  func home(_ reports: HomeReports, _ query: ViewQuery, _ days: PageDays, _ facts: StoreFacts) -> String {
    let isPart = query.values("app").isEmpty && reports.overview.apps.count < facts.apps.count
    let page = HomePage(
      reports, links: Self.links(of: query), notes: notes, appNames: facts.apps.map(\.name),
      storeApps: isPart ? facts.apps.count : nil)
    var facts = facts
    if !isPart {
      (facts.experiments, facts.warnings) = (StoreFacts.Experiment.all(reports.standing.experiments), page.warnedApps)
    }
    let app = query.first("app")
    var head = PageHead(app ?? "Overview", subtitle: page.subtitle)
    if let app {
      head.crumbs = [("Overview", query.without("app").link("/")), (app, nil)]
    }
    let menus = HeadMenus(query: query, path: "/", apps: facts.apps, days: days)
    head.controls = [menus.app, menus.presets, menus.dates, menus.compare(standard: .before)]
    let pins = views.filter(\.isPinned).prefix(3).map { view in
      "<a class=\"chip\" href=\"\(view.address)\"><bdi>\(view.name)</bdi></a>" as Markup
    }
    let pinned: Markup = pins.isEmpty ? "" : "<div class=\"chips\"><span class=\"muted\">Saved</span>\(pins)</div>\n"
    let search: Markup =
      isPart
      ? "<section class=\"card\" aria-label=\"Find an app\">\(menus.appForm(id: "named"))</section>\n"
      : ""
    return document(app ?? "Overview", head: head, pinned + search + page.markup, query: query, current: "home", facts)
  }

  // MARK: Users

  func person(_ timeline: PersonTimeline, _ query: ViewQuery, _ facts: StoreFacts) -> String {
    let page = PersonPage(timeline, links: links)
    var head = PageHead(timeline.users[0], subtitle: page.subtitle)
    head.crumbs = [("Users", Self.personPath), (timeline.app, nil)]
    return document(timeline.users[0], head: head, page.markup, query: query, current: "person", facts)
  }

  /// The form that asks for a user's id.
  func personForm(_ query: ViewQuery, fault: ReportFault? = nil, _ facts: StoreFacts) -> String {
    let alert: Markup = fault.map { "<p class=\"fault\" role=\"alert\">\(spoken($0.message))</p>\n" } ?? ""
    let content: Markup = """
      \(alert)<section class="card"><form class="tools" action="\(Self.personPath)"><label class="sm" for="user">User id</label>\
      <input id="user" name="user" type="search" required value="\(literal: query.first("user") ?? "")">\
      <button class="btn">Show</button></form><p class="note">Any id of the user. Click a number in a report to see \
      the users behind it.</p></section>

      """
    return document(
      "Users", head: PageHead("Users", subtitle: "Every event of a user, and the numbers that it changed"), content,
      query: query, current: "person", facts)
  }

  // MARK: Errors

  func fault(_ fault: ReportFault, _ facts: StoreFacts, near: [(title: String, address: String)] = []) -> String {
    let title =
      switch fault.kind {
      case .wrongArguments: "This cannot be shown"
      case .notFound: "There is no such page"
      case .tooSlow: "This takes too long"
      case .storeUnavailable: "The store cannot be read right now"
      case .unexpected: "Something went wrong"
      }
    // The overview has no other names than those of apps.
    let app = fault.message.firstMatch(of: Self.meant).map { String($0.1) }
    let apps = (app.flatMap { facts.apps.named([$0]) } ?? []).map { app in
      (title: app.name, address: ViewQuery([.init(name: "app", value: app.name)]).link("/"))
    }
    let chips = (near + apps).map { "<a class=\"chip\" href=\"\($0.address)\"><bdi>\($0.title)</bdi></a>" as Markup }
    let list: Markup =
      chips.isEmpty ? "" : "<div class=\"chips\"><span class=\"muted\">Did you mean</span>\(chips)</div>\n"
    // The overview's own parameters are among those of a report.
    let content: Markup = """
      <p class="fault" role="alert">\(sentence(fault.message, ReportView(kind: .funnel), ViewQuery()))</p>
      \(list)<p><a class="in" href="/">Back to the overview</a></p>
      """
    return document(title, head: PageHead(title), content, query: ViewQuery(), current: nil, facts)
  }
}
