internal import Metrics
internal import Reports

/// The pages as text; the same for the same answer.
struct Pages: Sendable {
  let version: String
  let rowLimit: Int
  /// Names and addresses of saved views.
  let views: [SavedView]

  /// Parameters that stay when another report is chosen.
  static let kept: Set = ["app", "from", "to", "as-of", "timezone", "where", "range", "compare"]

  // MARK: Frame

  /// - Parameter current: The view of the page; `nil` for the home page and for what is in no menu.
  func document(
    _ title: String, head: PageHead, _ content: Markup, query: ViewQuery, current: String?, _ facts: StoreFacts
  ) -> String {
    var frame = PageFrame(title: title, style: .served)
    func kept(_ view: ReportView) -> String {
      let names = Set(view.parameters.map(\.name)).union(view.has("from") ? PageDays.parameters : [])
      return ViewQuery(query.items.filter { Self.kept.contains($0.name) && names.contains($0.name) }).link(view.path)
    }
    let home = ViewQuery(
      query.items.filter { ["app", "range", "from", "to", "compare", "timezone"].contains($0.name) })
    frame.groups = [
      PageFrame.Group("", [PageFrame.Link("Overview", home.link("/"), isCurrent: current == "home")])
    ]
    if !views.isEmpty {
      frame.groups.append(PageFrame.Group("Saved views", views.map { PageFrame.Link($0.name, $0.address) }))
    }
    for group in ReportView.Group.allCases {
      var links = ReportView.all.filter { view in
        view.group == group && !view.parameters.contains(where: \.isPositional)
      }.map { view in
        PageFrame.Link(
          view.name == "experiments" ? "All experiments" : view.title, kept(view), isCurrent: view.name == current,
          count: view.name == "experiments" ? facts.experiments : view.name == "health" ? facts.warnings : nil,
          isWarning: view.name == "health" && facts.warnings ?? 0 > 0)
      }
      if group == .data {
        links.insert(PageFrame.Link("People", Self.personPath, isCurrent: current == "person"), at: 0)
      }
      frame.groups.append(PageFrame.Group(group.rawValue, links))
    }
    let days = facts.apps.days(of: [])
    frame.foot = ["tollgate \(version)"] + (days.last.map { ["data to \(shortDay($0, hasYear: true))"] } ?? [])
    return frame.document("\(head.markup)\n\(content)")
  }

  static let personPath = "/reports/person"

  var links: PageLinks { Self.links(of: ViewQuery()) }

  /// - Parameter query: What links carry along.
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
        let rest = items.filter { item in names.contains(item.name) && !own.contains { $0.name == item.name } }
        return ViewQuery(own + rest).link(view.path)
      },
      experiment: { app, name in
        ReportView.named("experiment").map {
          ViewQuery([.init(name: "name", value: name), .init(name: "app", value: app)]).link($0.path)
        }
      },
      memo: { app, name in
        ReportView.named("experiment").map {
          ViewQuery([.init(name: "name", value: name), .init(name: "app", value: app)]).link($0.path + "/memo")
        }
      },
      app: { app in
        ViewQuery(
          [.init(name: "app", value: app)] + items.filter { $0.name != "app" }
        ).link("/")
      })
  }

  // MARK: Home

  func home(_ reports: HomeReports, _ query: ViewQuery, _ days: PageDays, _ facts: StoreFacts) -> String {
    let page = HomePage(reports, links: Self.links(of: query))
    var facts = facts
    (facts.experiments, facts.warnings) = (reports.experiments.rows.count, page.warningCount)
    let app = query.first("app")
    var head = PageHead(app ?? "Overview", subtitle: page.subtitle)
    if let app {
      head.crumbs = [("Overview", query.setting("app", to: []).link("/")), (app, nil)]
    }
    let menus = HeadMenus(query: query, path: "/", apps: facts.apps, days: days)
    head.controls = [menus.app, menus.presets, menus.dates, menus.compare(standard: .before)]
    let pins = views.filter(\.isPinned).prefix(3).map { view in
      "<a class=\"chip\" href=\"\(view.address)\"><bdi>\(view.name)</bdi></a>" as Markup
    }
    let pinned: Markup = pins.isEmpty ? "" : "<div class=\"chips\"><span class=\"muted\">Saved</span>\(pins)</div>\n"
    return document(app ?? "Overview", head: head, pinned + page.markup, query: query, current: "home", facts)
  }

  // MARK: Reports

  /// The inputs of a report's page.
  struct ReportRequest {
    var view: ReportView
    /// As the address has it.
    var query: ViewQuery
    /// The request that the report answers.
    var asked: ViewQuery
    var days: PageDays
    var facts: StoreFacts
    var facets: [Facet] = []
    var marks: [TimeMark] = []
    /// The days before; `nil` where nothing is compared.
    var comparison: ReportComparison?
  }

  /// - Throws: ``ReportFault`` when the answer sorts by a column that it does not have.
  func report(_ request: ReportRequest, _ answer: ReportAnswer) throws(ReportFault) -> String {
    let (view, query) = (request.view, request.query)
    if case .readout(let report) = answer.report { return try experiment(request, report, answer) }
    var look = PageLook(links: Self.links(of: query))
    // As many as a reader scrolls through; a link shows the others.
    (look.rowLimit, look.options) = (query.first("limit") == nil ? 100 : rowLimit, answer.options)
    look.options.columns = query.first("columns")
    // Checks without a finding, and each rejected line, are for readers who ask for all columns.
    look.options.isByLine = look.options.columns == "all"
    look.options.severity = look.options.isByLine ? "ok" : "notice"
    look.cell = explanationLink(of: view, request.asked, answer.report)
    look.sorted = { column, isDescending in
      query.setting("sort", to: [isDescending ? "\(column):desc" : "\(column):asc"]).link(view.path)
    }
    look.row = { rowLink($0, $1, view, query) }
    look.tools = try ReportTools(view: view, query: query, asked: request.asked).markup
    look.aside = FacetCard(facets: request.facets, query: query, path: view.path).markup
    (look.comparison, look.marks) = (request.comparison, request.marks)
    let rows = answer.rowCount
    look.everyRow =
      rows <= rowLimit
      ? query.setting("limit", to: [String(rows)]).link(view.path) : query.setting("limit", to: []).link(view.apiPath)
    return document(
      view.title, head: head(request, subtitle: subtitle(answer.report, view)),
      chips(request) + (try content(answer, look)), query: query, current: view.name, request.facts)
  }

  private func subtitle(_ report: FinishedReport, _ view: ReportView) -> String {
    guard case .tables(let tables) = report, let first = tables.first, !first.asOf.isEmpty else { return view.summary }
    return "\(view.summary.dropLast(view.summary.hasSuffix(".") ? 1 : 0)) · \(appsText(first.asOf))"
  }

  private func head(_ request: ReportRequest, subtitle: String) -> PageHead {
    var head = PageHead(request.view.title, subtitle: subtitle)
    let apps = request.query.values("app")
    head.crumbs =
      [("Overview", "/")] + apps.prefix(1).map { ($0, ViewQuery([.init(name: "app", value: $0)]).link("/")) }
    let menus = HeadMenus(
      query: request.query, path: request.view.path, apps: request.facts.apps, days: request.days)
    if request.view.has("app") { head.controls.append(menus.app) }
    if request.view.has("from") { head.controls += [menus.presets, menus.dates] }
    if request.view.has("from"), request.view.group != .experiments {
      head.controls.append(menus.compare(standard: .off))
    }
    return head
  }

  private func content(_ answer: ReportAnswer, _ look: PageLook) throws(ReportFault) -> Markup {
    do throws(UnknownColumn) {
      return try answer.report.content(look)
    } catch {
      throw ReportFault(.wrongArguments, "\(error)")
    }
  }

  /// Row → the same report within it: its app, its values as filters, its period as days.
  private func rowLink(_ row: [ReportValue], _ report: Report, _ view: ReportView, _ query: ViewQuery) -> String? {
    if view.name == "experiments" {
      let cell = report.cell(of: row)
      guard cell.count >= 2 else { return nil }
      return Self.links(of: query).experiment(cell[0].value, cell[1].value)
    }
    guard view.has("where") else { return nil }
    var within = query.setting("by", to: []).setting("sort", to: []).setting("limit", to: [])
    var isNarrower = false
    for (name, value) in report.cell(of: row) {
      switch name {
      case "app": within = within.setting("app", to: [value])
      case "currency", "price_source", "status": continue
      case "day", "week", "month":
        guard let period = PeriodDays(value, of: name) else { return nil }
        within = within.setting("range", to: []).setting("from", to: [period.first]).setting("to", to: [period.end])
        if name != "day" { within = within.setting("by", to: [name == "month" ? "week" : "day"]) }
        isNarrower = true
      default:
        let known = within.values("where").filter { !$0.hasPrefix("\(name)=") }
        within = within.setting("where", to: known + ["\(name)=\(value)"])
        isNarrower = true
      }
    }
    return isNarrower || query.first("app") == nil ? within.link(view.path) : nil
  }

  /// Where a number of the report is taken apart, under the same options.
  ///
  /// - Parameter whole: As it was made: some tables show rows in other words, and without some columns.
  private func explanationLink(
    of view: ReportView, _ query: ViewQuery, _ whole: FinishedReport
  ) -> FinishedReport.CellLink? {
    guard let explanation = view.explanation else { return nil }
    let names = Set(explanation.parameters.map(\.name))
    let options = query.items.filter { names.contains($0.name) && $0.name != "limit" }
    return { column, row, report in
      var (row, report) = (row, report)
      if case .tables(let tables) = whole, let made = tables.first(where: { $0.name == report.name }),
        made.columns != report.columns || !made.rows.contains(row)
      {
        guard let own = made.row(shownAs: row, in: report) else { return nil }
        (row, report) = (own, made)
      }
      guard Explanation.explains(column, row, of: report) else { return nil }
      let keys = report.cell(of: row).map { ViewQuery.Item(name: "key", value: "\($0.name)=\($0.value)") }
      return ViewQuery(options + keys + [ViewQuery.Item(name: "column", value: column.name)]).link(explanation.path)
    }
  }

  /// The chosen filters, each with a link that removes it.
  private func chips(_ request: ReportRequest) -> Markup {
    let shown = request.query.items.filter { item in
      !item.value.isEmpty && !["app", "range", "sort", "limit", "compare", "columns", "by", "name"].contains(item.name)
    }
    let chips = shown.map { item -> Markup in
      var rest = request.query.items
      if let place = rest.firstIndex(of: item) { rest.remove(at: place) }
      let parts = item.name == "where" ? item.value.split(separator: "=", maxSplits: 1).map(String.init) : []
      let name = parts.count == 2 ? parts[0] : item.name
      let value = parts.count == 2 ? parts[1].split(separator: ",").joined(separator: ", ") : item.value
      return """
        <a class="chip" href="\(ViewQuery(rest).link(request.view.path))" title="Remove this filter"><bdi>\
        \(name.replacing("_", with: " ").prefix(1).uppercased() + name.replacing("_", with: " ").dropFirst()): <b>\(value)</b>\
        </bdi> <span aria-hidden="true">×</span><span class="vh"> remove</span></a>
        """
    }
    let save = saving(request)
    return chips.isEmpty
      ? "<div class=\"chips\">\(save)</div>\n"
      : """
      <div class="chips"><span class="muted">Showing</span>\(chips)\
      <a href="\(ViewQuery(request.query.items.filter { ["app", "name"].contains($0.name) }).link(request.view.path))">\
      Remove all</a>\(save)</div>

      """
  }

  /// The lines of a saved view, and the command of the same report.
  private func saving(_ request: ReportRequest) -> Markup {
    let address = request.query.link(request.view.path)
    let lines: Markup = "- name: \(request.view.title)\n  address: \(address)\n  pinned: true"
    let command = (try? request.asked.arguments(for: request.view, format: "table")) ?? []
    let words = (["tollgate"] + command.filter { $0 != "--format=table" }).map(Self.quoted).joined(separator: " ")
    return """
      <details class="menu plain"><summary>Save this view</summary><div class="pop left wide"><p class="sm soft">\
      Put these lines into the file of serve --views:</p><pre>\(lines)</pre></div></details>\
      <details class="menu plain"><summary>As a command</summary><div class="pop left wide"><pre>\(words)</pre></div></details>
      """
  }

  /// The form alone, with what is wrong in what it was sent with.
  func report(_ request: ReportRequest, fault: ReportFault) -> String {
    let tools = ReportTools(view: request.view, query: request.query, asked: nil).form(isOpen: true)
    let content: Markup = """
      <p class="fault" role="alert">\(fault.message)</p>
      \(chips(request))\(near(fault.message, request))<section class="card">\(tools)</section>

      """
    return document(
      request.view.title, head: head(request, subtitle: request.view.summary), content, query: request.query,
      current: request.view.name, request.facts)
  }

  /// The apps that may be meant, as links.
  private func near(_ message: String, _ request: ReportRequest) -> Markup {
    let asked = request.query.values("app").filter { name in !request.facts.apps.contains { $0.name == name } }
    if asked.isEmpty { return "" }
    let links = request.facts.apps.prefix(12).map { app -> Markup in
      "<a class=\"chip\" href=\"\(request.query.setting("app", to: [app.name]).link(request.view.path))\"><bdi>\(app.name)</bdi></a>"
    }
    return "<div class=\"chips\"><span class=\"muted\">Apps</span>\(links)</div>\n"
  }

  // MARK: Explanations

  /// Where one number of a report comes from, some users a page.
  func explanation(
    _ view: ReportView, of report: ReportView, _ query: ViewQuery, _ answer: ReportAnswer?, fault: ReportFault? = nil,
    _ facts: StoreFacts
  ) throws(ReportFault) -> String {
    let own: Set = ["key", "column", "offset", "limit"]
    let back = ViewQuery(query.items.filter { !own.contains($0.name) }).link(report.path)
    var head = PageHead(view.title, subtitle: view.summary)
    head.crumbs = [("Overview", "/"), (report.title, back)]
    var content: Markup = "<p><a class=\"in\" href=\"\(back)\">Back to the table: \(report.title)</a></p>\n"
    if let fault { content += "<p class=\"fault\" role=\"alert\">\(fault.message)</p>\n" }
    if let answer, case .explanation(let explanation) = answer.report {
      content += try self.content(answer, PageLook(links: links))
      let (first, shown) = (explanation.offset, explanation.persons.count)
      func link(_ offset: Int) -> String {
        query.setting("offset", to: offset == 0 ? [] : [String(offset)]).link(view.path)
      }
      let range =
        shown == 0
        ? "No users of \(explanation.personCount)"
        : "Users \(first + 1) to \(first + shown) of \(explanation.personCount)"
      var pages: Markup = "<p class=\"pager\"><span>\(range)</span>"
      if first > 0 {
        pages +=
          " <a class=\"btn\" rel=\"prev\" href=\"\(link(max(0, first - max(shown, Self.usersOfPage))))\">‹ Before</a>"
      }
      if first + shown < explanation.personCount, shown > 0 {
        pages += " <a class=\"btn\" rel=\"next\" href=\"\(link(first + shown))\">Next ›</a>"
      }
      content +=
        pages + "</p>\n" + (try ReportTools(view: view, query: query.setting("offset", to: []), asked: nil).files)
    }
    return document(view.title, head: head, content, query: query, current: report.name, facts)
  }

  /// As many as the command's table has.
  private static let usersOfPage = 20

  // MARK: Experiments

  private func experiment(
    _ request: ReportRequest, _ report: ExperimentReport, _ answer: ReportAnswer
  ) throws(ReportFault) -> String {
    let query = request.query
    var look = PageLook(links: Self.links(of: query))
    (look.options, look.marks) = (answer.options, request.marks)
    let only = report.readouts.count == 1 ? report.readouts.first : nil
    var head = PageHead(
      report.experiment, subtitle: only.map { ExperimentPage($0, of: report, links: look.links).subtitle } ?? "")
    head.crumbs = [("Experiments", "/reports/experiments")] + (only.map { [($0.app, nil)] } ?? [])
    let memo = query.link(request.view.path + "/memo")
    func share(_ format: String) -> String { query.setting("format", to: [format]).link(request.view.path + "/memo") }
    let csv = query.setting("format", to: ["csv"]).link(request.view.apiPath)
    head.controls = [
      PageMenu(
        "", value: "Share",
        [
          .init("Memo, one page", memo), .init("Text for a chat", share("slack")),
          .init("Markdown", share("markdown")), .init("CSV", csv),
        ]
      ).markup, "<a class=\"btn\" href=\"\(memo)\">Decision memo</a>",
    ]
    return document(
      report.experiment, head: head, chips(request) + (try content(answer, look)), query: query, current: "experiments",
      request.facts)
  }

  /// A report that needs an experiment's name, before one is chosen.
  func choice(_ request: ReportRequest, experiments: ReportAnswer) -> String {
    let items = Self.readouts(experiments).map { readout -> Markup in
      "<li><a class=\"in\" href=\"\(readout.link)\"><bdi>\(readout.name)</bdi></a></li>\n"
    }
    let body: Markup = items.isEmpty ? "<p>No experiment was seen.</p>" : "<ul class=\"links\">\(items)</ul>"
    return document(
      request.view.title, head: head(request, subtitle: request.view.summary), pageCard("Which experiment?", body),
      query: request.query, current: "experiments", request.facts)
  }

  /// The experiments of a list, each with the address of its readout.
  private static func readouts(_ experiments: ReportAnswer) -> [(name: String, link: String)] {
    guard case .tables(let tables) = experiments.report else { return [] }
    let links = links(of: ViewQuery())
    return tables.flatMap(\.rows).compactMap { row in
      guard row.count >= 2, case .text(let app) = row[0], case .text(let name) = row[1] else { return nil }
      return links.experiment(app, name).map { ("\(app): \(name)", $0) }
    }
  }

  // MARK: Users

  func person(_ timeline: PersonTimeline, _ query: ViewQuery, _ facts: StoreFacts) -> String {
    let page = PersonPage(timeline, links: links)
    var head = PageHead(timeline.users[0], subtitle: page.subtitle)
    head.crumbs = [("People", Self.personPath), (timeline.app, nil)]
    return document(timeline.users[0], head: head, page.markup, query: query, current: "person", facts)
  }

  /// The form that asks for a user's id.
  func personForm(_ query: ViewQuery, fault: ReportFault? = nil, _ facts: StoreFacts) -> String {
    let alert: Markup = fault.map { "<p class=\"fault\" role=\"alert\">\($0.message)</p>\n" } ?? ""
    let content: Markup = """
      \(alert)<section class="card"><form class="tools" action="\(Self.personPath)"><label class="sm" for="user">User id</label>\
      <input id="user" name="user" type="search" required value="\(literal: query.first("user") ?? "")">\
      <button class="btn">Show</button></form><p class="note">Any id of the user. Numbers of a report lead to the users \
      behind them.</p></section>

      """
    return document(
      "People", head: PageHead("People", subtitle: "One user: every event, and what it did to which number"), content,
      query: query, current: "person", facts)
  }

  // MARK: Errors

  func fault(_ fault: ReportFault, _ facts: StoreFacts, near: [(title: String, address: String)] = []) -> String {
    let title =
      switch fault.kind {
      case .wrongArguments: "This cannot be shown"
      case .notFound: "There is no such page"
      case .tooSlow: "This takes too long"
      case .storeUnavailable: "The store cannot be read now"
      case .unexpected: "Something went wrong"
      }
    let chips = near.map { "<a class=\"chip\" href=\"\($0.address)\"><bdi>\($0.title)</bdi></a>" as Markup }
    let list: Markup =
      chips.isEmpty ? "" : "<div class=\"chips\"><span class=\"muted\">Did you mean</span>\(chips)</div>\n"
    let content: Markup = """
      <p class="fault" role="alert">\(fault.message)</p>
      \(list)<p><a class="in" href="/">Back to the overview</a></p>
      """
    return document(title, head: PageHead(title), content, query: ViewQuery(), current: nil, facts)
  }

  /// A word of a POSIX shell.
  static func quoted(_ word: String) -> String {
    let isPlain = word.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || "-_=,.:/".unicodeScalars.contains($0))
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: #"'\''"#))'"
  }
}

extension Report {
  /// Returns the row that a table shows in other words; `nil` where that is not sure.
  fileprivate func row(shownAs row: [ReportValue], in shown: Report) -> [ReportValue]? {
    let reworded: Set = ["check", "affects", "range"]
    let places = columns.indices.compactMap { place -> (own: Int, shown: Int)? in
      if reworded.contains(columns[place].name) { return nil }
      return shown.columns.firstIndex { $0.name == columns[place].name }.map { (place, $0) }
    }
    let status = columns.firstIndex { $0.name == "status" }
    let found = rows.filter { own in
      places.allSatisfy { own[$0.own] == row[$0.shown] } && status.map { own[$0] == .text("all") } ?? true
    }
    return found.count == 1 ? found[0] : nil
  }
}
