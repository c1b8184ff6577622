internal import Metrics
internal import Mustache
internal import Reports

/// The pages as text; the same for the same answer.
struct Pages: Sendable {
  private let library: MustacheLibrary
  private let version: String
  private let rowLimit: Int

  init(version: String, rowLimit: Int) throws {
    ScalarEscaping.register()
    self.version = version
    self.rowLimit = rowLimit
    library = MustacheLibrary(templates: [
      "layout": try MustacheTemplate(string: Templates.layout),
      "report": try MustacheTemplate(string: Templates.report),
      "overview": try MustacheTemplate(string: Templates.overview),
      "explanation": try MustacheTemplate(string: Templates.explanation),
      "files": try MustacheTemplate(string: Templates.files),
      "fault": try MustacheTemplate(string: Templates.fault),
    ])
  }

  /// Parameters that stay when another report is chosen.
  private static let kept: Set = ["app", "from", "to", "as-of", "timezone", "where"]

  /// - Throws: ``ReportFault`` when the answer sorts by a column that it does not have.
  func report(_ view: ReportView, _ query: ViewQuery, _ answer: ReportAnswer) throws(ReportFault) -> String {
    let body = try markup(answer, link: explanationLink(of: view, query))
    return report(view, query, apps: answer.apps, body: body, chart: chart(answer.report))
  }

  /// Where a number of the report is taken apart, under the same options.
  private func explanationLink(of view: ReportView, _ query: ViewQuery) -> FinishedReport.CellLink? {
    guard let explanation = view.explanation else { return nil }
    let names = Set(explanation.parameters.map(\.name))
    let options = query.items.filter { names.contains($0.name) && $0.name != "limit" }
    return { column, row, report in
      guard Explanation.explains(column, row, of: report) else { return nil }
      let keys = report.cell(of: row).map { ViewQuery.Item(name: "key", value: "\($0.name)=\($0.value)") }
      return ViewQuery(options + keys + [ViewQuery.Item(name: "column", value: column.name)]).link(explanation.path)
    }
  }

  /// Where one number of a report comes from, some persons a page.
  func explanation(
    _ view: ReportView, of report: ReportView, _ query: ViewQuery, _ answer: ReportAnswer?, fault: ReportFault? = nil
  ) throws(ReportFault) -> String {
    let own: Set = ["key", "column", "offset", "limit"]
    var model: [String: Any] = [
      "title": view.title, "summary": view.summary, "table": report.title,
      "back": ViewQuery(query.items.filter { !own.contains($0.name) }).link(report.path),
    ]
    if let fault { model["fault"] = ReportMarkup.shown(fault.message) }
    if let answer, case .explanation(let explanation) = answer.report {
      model["body"] = try markup(answer)
      let (first, shown) = (explanation.offset, explanation.persons.count)
      func link(_ offset: Int) -> String {
        query.setting("offset", to: offset == 0 ? [] : [String(offset)]).link(view.path)
      }
      var pages: [String: Any] = [
        "range": shown == 0
          ? "No persons of \(explanation.personCount)"
          : "Persons \(first + 1) to \(first + shown) of \(explanation.personCount)"
      ]
      if first > 0 { pages["previous"] = link(max(0, first - max(shown, Self.personsOfPage))) }
      if first + shown < explanation.personCount, shown > 0 { pages["next"] = link(first + shown) }
      model["pages"] = pages
      model["files"] = try files(view, query.setting("offset", to: []))
    }
    let content = library.render(model, withTemplate: "explanation") ?? ""
    return page(title: view.title, current: nil, query: query, content: content)
  }

  /// As many as the command's table has.
  private static let personsOfPage = 20

  private func markup(
    _ answer: ReportAnswer, isBrief: Bool = false, link: FinishedReport.CellLink? = nil
  ) throws(ReportFault) -> String {
    do throws(UnknownColumn) {
      return try answer.report.markup(rowLimit: rowLimit, options: answer.options, isBrief: isBrief, link: link)
    } catch {
      throw ReportFault(.wrongArguments, "\(error)")
    }
  }

  /// The form alone, with what is wrong in what it was sent with.
  func report(_ view: ReportView, _ query: ViewQuery, fault: ReportFault) -> String {
    report(view, query, apps: [], body: "", chart: "", fault: fault.message)
  }

  /// A report that needs an experiment's name, before one is chosen.
  func choice(_ view: ReportView, _ query: ViewQuery, experiments: ReportAnswer) -> String {
    let items = Self.readouts(experiments).map { readout in
      #"<li><a href="\#(ReportMarkup.escaped(readout.link))"><bdi>\#(ReportMarkup.escaped(readout.name))</bdi></a></li>"#
    }
    let body = items.isEmpty ? "<p>No experiment was seen.</p>" : "<ul>\(items.joined(separator: "\n"))</ul>"
    return report(view, query, apps: experiments.apps, body: body, chart: "")
  }

  /// Where a picture of a report stands: above its table, as an element of its own without script, such as SVG.
  private func chart(_ report: FinishedReport) -> String { report.figures.joined(separator: "\n") }

  private func report(
    _ view: ReportView, _ query: ViewQuery, apps: [String], body: String, chart: String, fault: String? = nil
  ) -> String {
    let used = query.items.filter { !$0.value.isEmpty }
    let chips = used.enumerated().map { place, item -> [String: Any] in
      var rest = used
      rest.remove(at: place)
      return ["text": ReportMarkup.shown("\(item.name): \(item.value)"), "link": ViewQuery(rest).link(view.path)]
    }
    var model: [String: Any] = [
      "title": view.title, "summary": view.summary, "path": view.path, "chips": chips, "hasChips": !chips.isEmpty,
      "fields": FilterForm(view, query, apps: apps).fields, "isOpen": fault != nil, "body": body, "chart": chart,
    ]
    if let fault { model["fault"] = ReportMarkup.shown(fault) }
    if fault == nil { model["files"] = try? files(view, query) }
    let content = library.render(model, withTemplate: "report") ?? ""
    return page(title: view.title, current: view, query: query, content: content)
  }

  /// The same for programs.
  private func files(_ view: ReportView, _ query: ViewQuery) throws(ReportFault) -> [String: String] {
    func link(_ more: [ViewQuery.Item]) -> String { ViewQuery(query.items + more).link(view.apiPath) }
    let csv = ViewQuery.Item(name: "format", value: "csv")
    let arguments = try query.arguments(for: view, format: "csv")
    return [
      "csv": link([csv]), "spreadsheet": link([csv, ViewQuery.Item(name: "spreadsheet", value: "true")]),
      "json": link([ViewQuery.Item(name: "format", value: "json")]),
      "command": "\(CommandLineText(["tollgate"] + arguments))",
    ]
  }

  func overview(experiments: ReportAnswer) throws(ReportFault) -> String {
    let instants = experiments.report.asOf
    let apps = experiments.apps.map { app -> [String: Any] in
      let query = ViewQuery([ViewQuery.Item(name: "app", value: app)])
      return [
        "name": ReportMarkup.shown(app), "asOf": instants[app] ?? "",
        "links": ["funnel", "trials", "revenue", "retention"].compactMap { name in
          ReportView.named(name).map { ["link": query.link($0.path), "title": $0.title] }
        },
      ]
    }
    let views = ReportView.all.map { ["link": $0.path, "title": $0.title, "summary": $0.summary] }
    let model: [String: Any] = [
      "apps": apps, "views": views,
      "readouts": Self.readouts(experiments).map { ["name": ReportMarkup.shown($0.name), "link": $0.link] },
      "experiments": try markup(experiments, isBrief: true),
    ]
    let content = library.render(model, withTemplate: "overview") ?? ""
    return page(title: "Overview", current: nil, query: ViewQuery(), content: content)
  }

  func fault(_ fault: ReportFault) -> String {
    let title =
      switch fault.kind {
      case .wrongArguments: "This cannot be asked for"
      case .tooSlow: "This takes too long"
      case .storeUnavailable: "The store cannot be read now"
      case .unexpected: "Something went wrong"
      }
    let content =
      library.render(["title": title, "fault": ReportMarkup.shown(fault.message)], withTemplate: "fault") ?? ""
    return page(title: title, current: nil, query: ViewQuery(), content: content)
  }

  private func page(title: String, current: ReportView?, query: ViewQuery, content: String) -> String {
    let groups = ReportView.Group.allCases.map { group -> [String: Any] in
      let views = ReportView.all.filter { $0.group == group }.map { view -> [String: Any] in
        let names = Set(view.parameters.map(\.name))
        let kept = query.items.filter { Self.kept.contains($0.name) && names.contains($0.name) }
        return ["title": view.title, "link": ViewQuery(kept).link(view.path), "isCurrent": view.name == current?.name]
      }
      return ["name": group.rawValue, "views": views]
    }
    let model: [String: Any] = ["title": title, "groups": groups, "content": content, "version": version]
    return library.render(model, withTemplate: "layout") ?? ""
  }

  /// The experiments of a list, each with the address of its readout.
  private static func readouts(_ experiments: ReportAnswer) -> [(name: String, link: String)] {
    guard case .tables(let tables) = experiments.report, let view = ReportView.named("experiment") else { return [] }
    return tables.flatMap(\.rows).compactMap { row in
      guard row.count >= 2, case .text(let app) = row[0], case .text(let name) = row[1] else { return nil }
      let query = ViewQuery([ViewQuery.Item(name: "name", value: name), ViewQuery.Item(name: "app", value: app)])
      return ("\(app): \(name)", query.link(view.path))
    }
  }
}
