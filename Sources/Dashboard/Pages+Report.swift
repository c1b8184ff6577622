internal import Basics
internal import Metrics
internal import Reports

/// The page of a report.
extension Pages {
  /// The inputs of a report's page.
  struct ReportInputs {
    var view: ReportView
    /// As the address has it.
    var query: ViewQuery
    /// The request that the report answers.
    var asked: ViewQuery
    var days: PageDays
    var facts: StoreFacts
    var facets: [Facet] = []
    var marks: [TimeMark] = []
    /// The days before, for pictures; `nil` where nothing is compared.
    var comparison: ReportComparison?
    /// The report compared with other days or users.
    var compared: Report?
    /// Where the number that the address names changed.
    var drivers: Report?
    /// As ``PageLook`` has them.
    var keys: KeyReports?
    var finer: [Int: Report] = [:]
    /// The request of the pictures' rows, where the table has more periods than can be drawn.
    var drawn: ViewQuery?

    /// The request of ``compared``; `nil` where nothing is compared.
    var comparing: ViewQuery? { view.has("compare") ? days.compared(asked, as: query) : nil }
  }

  /// - Throws: ``ReportFault`` when the answer sorts by a column that it does not have.
  func report(_ request: ReportInputs, _ answer: ReportAnswer) throws(ReportFault) -> String {
    let (view, query) = (request.view, request.query)
    if case .readout(let report) = answer.report { return try experiment(request, report, answer) }
    var look = look(request, answer)
    // As many as a reader scrolls through; of more, the first screen or two, and a link to the others.
    if query.first("limit") == nil {
      look.rowLimit = answer.rowCount > 100 ? PageLook.fewRows : 100
    } else {
      look.rowLimit = rowLimit
    }
    look.options.columns = query.first("columns")
    // Checks without a finding, and each rejected line, are for readers who ask for all columns.
    look.options.isByLine = look.options.columns == "all"
    look.options.severity = look.options.isByLine ? "ok" : "notice"
    look.cell = explanationLink(of: view, request.asked, answer.report)
    look.sorted = { column, isDescending in
      query.setting("sort", to: [isDescending ? "\(column):desc" : "\(column):asc"]).link(view.path)
    }
    look.row = { rowLink($0, $1, view, query) }
    if view.kind == .reconcile { look.step = { query.setting("step", to: [$0]).link(view.path) } }
    look.tools = try ReportTools(view: view, query: query, asked: request.asked).markup
    look.aside = FacetCard(facets: request.facets, query: query, path: view.path).markup
    let head = head(request, subtitle: subtitle(answer.report, view))
    if query.first("limit") == nil {
      let rest = document(
        view.title, head: head, chips(request) + look.tools + look.aside, query: query, current: view.name,
        request.facts)
      look.sizeLimit = max(Self.mostBytes - rest.utf8.count, Self.leastBytes)
    }
    let rows = answer.rowCount
    look.everyRow =
      rows <= rowLimit
      ? query.setting("limit", to: [String(rows)]).link(view.path) : query.without("limit").link(view.apiPath)
    return document(
      view.title, head: head,
      chips(request) + (answer.report.emptyNote.map { near($0, request) } ?? "") + (try content(answer, look)),
      query: query, current: view.name, request.facts)
  }

  /// The most bytes of a page (150 KB) without its stylesheet, its script, and its rules.
  private static let mostBytes = 144_000 - Design.stylesheet.utf8.count - Design.script.utf8.count
  /// The bytes that charts and tables have in any case.
  private static let leastBytes = 40_000

  /// The links of a page, and what its charts are compared with.
  func look(_ request: ReportInputs, _ answer: ReportAnswer) -> PageLook {
    let (view, query) = (request.view, request.query)
    var look = PageLook(links: Self.links(of: query))
    (look.options, look.comparison, look.marks) = (answer.options, request.comparison, request.marks)
    (look.compared, look.drivers) = (request.compared, request.drivers)
    look.apps = request.facts.apps.map(\.name)
    (look.keys, look.finer) = (request.keys, request.finer)
    look.why = view.kind.driverColumns.map { column in
      (column.heading, query.setting("why", to: [column.identifier]).link(view.path))
    }
    // An experiment's goal may be money, which is not split by users.
    if case .readout(let report) = answer.report, report.readouts.count == 1,
      let goal = report.readouts[0].metrics.first(where: { $0.role == .goal }), goal.metric.kind == .proportion
    {
      look.why = [(goal.metric.readerName, query.setting("why", to: [goal.metric.name]).link(view.path))]
    }
    look.picture = { query.setting("chart", to: [$0.name]).link(view.path + "/chart") }
    return look
  }

  private func subtitle(_ report: FinishedReport, _ view: ReportView) -> String {
    guard let first = report.firstTable, !first.asOf.isEmpty else { return view.summary }
    return "\(view.summary.dropLast(view.summary.hasSuffix(".") ? 1 : 0)) · \(appsText(first.asOf))"
  }

  func head(_ request: ReportInputs, subtitle: String) -> PageHead {
    var head = PageHead(request.view.title, subtitle: subtitle)
    head.crumbs = [("Overview", "/")]
    if request.view.kind == .experiment {
      head.crumbs = [("Experiments", "/reports/experiments")]
    } else if let app = request.facts.apps.named(request.query.values("app"))?.first?.name {
      head.crumbs.append((app, ViewQuery([.init(name: "app", value: app)]).link("/")))
    }
    // The checkout is the funnel step by step, so both stand under one entry of the menu.
    let tabs: [(kind: ReportKind, title: String, note: String)] = [
      (.funnel, "Conversion", "who starts and pays"), (.paths, "Checkout", "where users leave, step by step"),
    ]
    if tabs.contains(where: { $0.kind == request.view.kind }) {
      let choices = tabs.map { tab in
        let view = ReportView(kind: tab.kind)
        return PageMenu.Choice(
          tab.title, Self.address(of: view, keeping: request.query), note: tab.note,
          isCurrent: tab.kind == request.view.kind)
      }
      head.controls.append(pageSegments("Funnel", choices))
    }
    let menus = HeadMenus(
      query: request.query, path: request.view.path, apps: request.facts.apps, days: request.days)
    if request.view.has("app") { head.controls.append(menus.app) }
    if request.view.has("from") { head.controls += [menus.presets, menus.dates] }
    if request.view.canCompare {
      // Comparisons have no rows by period.
      let comparing = HeadMenus(
        query: request.query.filters(takenBy: request.view.kind, rows: []), path: request.view.path,
        apps: request.facts.apps, days: request.days)
      head.controls.append(
        comparing.compare(
          standard: .off, isOfReport: request.view.has("compare"), days: request.compared?.comparedDays))
    }
    return head
  }

  func content(_ answer: ReportAnswer, _ look: PageLook) throws(ReportFault) -> Markup {
    do throws(UnknownColumn) {
      return try answer.report.content(look)
    } catch {
      throw ReportFault(.wrongArguments, "\(error)")
    }
  }

  /// Returns the address of the report narrowed to a row: its app, its period as days, and as filters its values of
  /// dimensions that the report filters by; `nil` where that is the page itself.
  private func rowLink(_ row: [ReportValue], _ report: Report, _ view: ReportView, _ query: ViewQuery) -> String? {
    if view.name == "experiments" {
      let cell = report.cell(of: row)
      guard cell.count >= 2 else { return nil }
      return Self.links(of: query).experiment(cell[0].value, cell[1].value)
    }
    if view.kind == .reconcile {
      return report.bridgeStep(of: row).map { query.setting("step", to: [$0]).link(view.path) }
        ?? report.user(of: row).flatMap { Self.links(of: query).report("person", [("user", $0)]) }
    }
    guard view.has("where") else { return nil }
    var within = query.without("by", "sort", "limit")
    if query.first("columns") != "all" { within = within.without("columns") }
    var isNarrower = false
    for (name, value) in report.cell(of: row) {
      switch name {
      case "app": within = within.setting("app", to: [value])
      case "currency", "price_source", "status": continue
      case "day", "week", "month", "quarter", "year":
        guard let period = PeriodDays(value, of: name) else { return nil }
        within = within.without("range", "last").setting("from", to: [period.first]).setting("to", to: [period.end])
        if let finer = ["week": "day", "month": "week", "quarter": "month", "year": "month"][name] {
          within = within.setting("by", to: [finer])
        }
        isNarrower = true
      default:
        // A limit or a reason is no dimension, and a comma would part the value in two.
        guard let dimension = try? Dimension(name: name), view.kind.filters(by: dimension), !value.contains(",") else {
          continue
        }
        within = within.narrowed(to: name, [value])
        isNarrower = true
      }
    }
    guard isNarrower || query.first("app") == nil else { return nil }
    let rows = within.first("by").flatMap { try? Dimension.list($0) }
    return within.filters(takenBy: view.kind, rows: rows).link(view.path)
  }

  /// Returns the address of each number's explanation, under the report's options.
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
      let keys = report.wholeCell(of: row).map { ViewQuery.Item(name: "key", value: "\($0.name)=\($0.value)") }
      return ViewQuery(options + keys + [ViewQuery.Item(name: "column", value: column.name)]).link(explanation.path)
    }
  }

  /// The chosen filters, each with a link that removes it.
  func chips(_ request: ReportInputs, isFault: Bool = false) -> Markup {
    let items = request.query.items
    let shown = items.indices.filter { place in
      !items[place].value.isEmpty && items.firstIndex(of: items[place]) == place
        && !["app", "range", "sort", "limit", "compare", "columns", "by", "name"].contains(items[place].name)
    }
    // A dozen at most, since each has the rest of the address.
    let chips = shown.prefix(12).map { place -> Markup in
      let (item, rest) = (items[place], items.filter { $0 != items[place] })
      let parts = item.name == "where" ? item.value.split(separator: "=", maxSplits: 1).map(String.init) : []
      let isExcluding = parts.first?.hasSuffix("!") ?? false
      let name = parts.count == 2 ? String(parts[0].dropLast(isExcluding ? 1 : 0)) : item.name
      let values = parts.count == 2 ? parts[1].split(separator: ",").joined(separator: ", ") : item.value
      let asked = item.name == "why" ? request.view.kind.driverColumns.first { $0.identifier == values } : nil
      let value = PageDays.inWords(item) ?? asked?.heading ?? (isExcluding ? "not \(values)" : values)
      let words = item.name == "to" ? PageDays.lastDayName(item) : name.replacing(/[_-]/, with: " ")
      return """
        <a class="chip" href="\(ViewQuery(rest).link(request.view.path))" title="Remove this filter"><bdi>\
        \(words.capitalizedFirst): <b>\(value)</b>\
        </bdi> <span aria-hidden="true">×</span><span class="vh"> remove</span></a>
        """
    }
    let save = isFault ? "" : saving(request)
    let plain = ViewQuery(request.query.items.filter { $0.name == "name" || isKnownApp($0, request) })
    return chips.isEmpty
      ? save.isEmpty ? "" : "<div class=\"chips\">\(save)</div>\n"
      : """
      <div class="chips"><span class="muted">Showing</span>\(chips)\(shown.count > 12 ? "and \(shown.count - 12) more" : "")\
      <a href="\(plain.link(request.view.path))">Remove all</a>\(save)</div>

      """
  }

  /// The lines of a saved view, and the commands of the same report.
  private func saving(_ request: ReportInputs) -> Markup {
    let address = request.query.link(request.view.path)
    let lines: Markup = "- name: \(request.view.title)\n  address: \(address)\n  pinned: true"
    let commands = [request.asked, request.comparing].compactMap { try? $0?.words(for: request.view) }
    let words: [Markup] = commands.map { "\(CommandLineText(["tollgate"] + $0).description)\n" }
    return """
      <details class="menu plain"><summary>Save this view</summary><div class="pop left wide"><p class="sm soft">\
      Add these lines to the file that serve --views reads:</p><pre>\(lines)</pre></div></details>\
      <details class="menu plain"><summary>As a command</summary><div class="pop left wide"><pre>\(words)</pre></div></details>
      """
  }

  /// Returns the form that asks for a vendor's number, where no reports of a store can be compared.
  func vendorForm(_ request: ReportInputs) -> String {
    let asked = ["vendor", "metric", "vendor-value"]
    let form = ReportTools(view: request.view, query: request.query, asked: nil)
      .form(request.view.parameters.filter { asked.contains($0.name) }, isOpen: false)
    let isOpen = request.query.first("app") == nil && request.facts.apps.count > 1
    let body: Markup = """
      <p class="soft">\(isOpen ? "Choose an app above, then a" : "Choose a") vendor and one of its numbers for the days \
      above. The page shows, rule by rule, why it differs from yours.</p>\(form)
      """
    return document(
      request.view.title, head: head(request, subtitle: request.view.summary), pageCard("Whose number?", body),
      query: request.query, current: request.view.name, request.facts)
  }
}

extension Report {
  /// Returns the row that a table shows in other words; `nil` where that is not sure.
  fileprivate func row(shownAs row: [ReportValue], in shown: Report) -> [ReportValue]? {
    let reworded: Set = ["check", "affects", "range"]
    let places = columns.indices.compactMap { place -> (own: Int, shown: Int)? in
      if reworded.contains(columns[place].name) { return nil }
      return shown.place(columns[place].name).map { (place, $0) }
    }
    let status = place("status")
    let found = rows.filter { own in
      // A table leaves out rates of trials where an app has none, and adds bounds of shares of all or none.
      places.allSatisfy { place in
        let isBound = [.low, .high].contains(columns[place.own].kind)
        return own[place.own] == row[place.shown] || row[place.shown] == .rate(nil)
          || isBound && own[place.own] == .rate(nil)
      }
        && status.map { own[$0] == .text("all") } ?? true
    }
    return found.count == 1 ? found[0] : nil
  }
}

/// Pages without an answer.
extension Pages {
  /// Returns the form with an error above it. It has all that was chosen; menus and links have what is right of it.
  func report(_ request: ReportInputs, fault: ReportFault) -> String {
    let tools = ReportTools(view: request.view, query: request.query, asked: nil).form(isOpen: true)
    // A named experiment has no other choices that would help.
    let isNamed = request.view.kind == .experiment && request.query.first("name") != nil
    let form: Markup = isNamed ? "" : "<section class=\"card\">\(tools)</section>"
    let content: Markup = """
      <p class="fault" role="alert">\(sentence(fault.message, request.view, request.query))</p>
      \(chips(request, isFault: true))\(near(fault.message, request))\(form)

      """
    var right = request
    right.query = ViewQuery(request.query.items.filter { $0.name == "range" || isKnownApp($0, request) })
    var head = head(right, subtitle: request.view.summary)
    // An experiment that there is not is named all the same.
    if let name = request.query.first("name"), request.view.kind == .experiment { head.title = name }
    return document(
      head.title, head: head, content, query: right.query, current: request.view.name, request.facts)
  }

  /// Returns the overview of days that the data do not have. It is no error: apps have different days.
  func overview(without days: PageDays, _ query: ViewQuery, _ facts: StoreFacts) -> String {
    let title = query.first("app") ?? "Overview"
    var head = PageHead(title, subtitle: "There are no data for these days")
    let menus = HeadMenus(query: query, path: "/", apps: facts.apps, days: days)
    head.controls = [menus.app, menus.presets, menus.dates]
    let newest = query.without("range", "from", "to").link("/")
    let content: Markup = """
      <section class="card"><p>The data cover \(shortDays(days.data, hasYear: true)). \
      <a class="in" href="\(newest)">Show the last 28 days</a></p></section>

      """
    return document(title, head: head, content, query: query, current: "home", facts)
  }

  /// Whether an item of an address names apps of the store.
  func isKnownApp(_ item: ViewQuery.Item, _ request: ReportInputs) -> Bool {
    item.name == "app" && request.facts.apps.named([item.value]) != nil
  }

  /// Returns a message as a sentence in the words of a page, its commands as code.
  func sentence(_ message: String, _ view: ReportView, _ query: ViewQuery) -> Markup {
    let words = view.inWords(message)
    let first = words.prefix { $0 != " " }
    // A name stays as it is written.
    let isName = query.items.contains { $0.name == first || $0.parts.contains(first) }
    return spoken(isName ? words : words.sentenceCased)
  }

  /// The names that may be meant, as links: the one that the message suggests, and apps that have what was asked for in
  /// their names, else the first.
  private func near(_ message: String, _ request: ReportInputs) -> Markup {
    let meant = meant(message, request)
    let asked = request.query.values("app").filter { request.facts.apps.named([$0]) == nil }
    let alike = request.facts.apps.filter { app in
      asked.contains { app.name.lowercased().contains($0.lowercased()) }
    }
    let known = alike.isEmpty ? request.facts.apps : alike
    let apps: [DataApp] = asked.isEmpty || meant != nil ? [] : Array(known.prefix(12))
    var links: [(name: String, query: ViewQuery)] = []
    if let meant { links.append(meant) }
    for app in apps { links.append((app.name, request.query.setting("app", to: [app.name]))) }
    if links.isEmpty { return "" }
    let chips = links.map { link -> Markup in
      "<a class=\"chip\" href=\"\(link.query.link(request.view.path))\"><bdi>\(link.name)</bdi></a>"
    }
    let words = meant == nil ? "Apps" : "Did you mean"
    return "<div class=\"chips\"><span class=\"muted\">\(words)</span>\(chips)</div>\n"
  }

  /// The name that a message suggests.
  static var meant: Regex<(Substring, Substring)> { /[Dd]id you mean (?:--)?([^ ?]+)\?/ }

  /// The name that a message suggests, with the address that has it in place of the wrong one.
  private func meant(_ message: String, _ request: ReportInputs) -> (name: String, query: ViewQuery)? {
    guard let found = message.firstMatch(of: Self.meant) else { return nil }
    let name = String(found.1)
    let words = Set(message.split { " ,;:=".contains($0) }.map(String.init))
    var query = request.query
    for (place, item) in query.items.enumerated() {
      if words.contains("--\(item.name)") || words.contains(item.name), !request.view.accepts(item),
        request.view.has(name)
      {
        query.items[place].name = name
        return (name, query)
      }
      // The name of a column has its direction behind it.
      guard let wrong = item.parts.first(where: { words.contains(String($0)) && $0 != name }) else { continue }
      query.items[place].value = item.value.replacing(wrong, with: name, maxReplacements: 1)
      return (name, query)
    }
    return nil
  }
}

extension ViewQuery.Item {
  /// The names in its value: of dimensions, values, columns.
  fileprivate var parts: [Substring] { value.split { ",=!:".contains($0) } }
}
