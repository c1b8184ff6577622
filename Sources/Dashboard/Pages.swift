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
      "fault": try MustacheTemplate(string: Templates.fault),
    ])
  }

  /// Parameters that stay when another report is chosen.
  private static let kept: Set = ["app", "from", "to", "as-of", "timezone", "where"]

  /// - Throws: ``ReportFault`` when the answer sorts by a column that it does not have.
  func report(_ view: ReportView, _ query: ViewQuery, _ answer: ReportAnswer) throws(ReportFault) -> String {
    report(view, query, apps: answer.apps, body: try markup(answer), chart: chart(answer.report))
  }

  private func markup(_ answer: ReportAnswer, isBrief: Bool = false) throws(ReportFault) -> String {
    do throws(UnknownColumn) {
      return try answer.report.markup(rowLimit: rowLimit, options: answer.options, isBrief: isBrief)
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
    if fault == nil, let arguments = try? query.arguments(for: view, format: "csv") {
      func link(_ more: [ViewQuery.Item]) -> String { ViewQuery(used + more).link(view.apiPath) }
      let csv = ViewQuery.Item(name: "format", value: "csv")
      model["files"] = [
        "csv": link([csv]), "spreadsheet": link([csv, ViewQuery.Item(name: "spreadsheet", value: "true")]),
        "json": link([ViewQuery.Item(name: "format", value: "json")]),
        "command": (["tollgate"] + arguments).map(Self.quoted).joined(separator: " "),
      ]
    }
    let content = library.render(model, withTemplate: "report") ?? ""
    return page(title: view.title, current: view, query: query, content: content)
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

  /// A word of a POSIX shell.
  private static func quoted(_ word: String) -> String {
    let isPlain = word.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || "-_=,.:/".unicodeScalars.contains($0))
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: #"'\''"#))'"
  }
}
