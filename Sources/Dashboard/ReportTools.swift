internal import Basics
internal import Metrics
internal import Reports

/// The tools above a report's table: search, rows, options, files.
struct ReportTools {
  let view: ReportView
  let query: ViewQuery
  /// The request that the report answers; `nil` if there is none.
  let asked: ViewQuery?

  var markup: Markup {
    get throws(ReportFault) {
      let search: Markup = """
        <label class="vh" for="find">Search the table</label>\
        <input id="find" type="search" data-find="table-1" placeholder="Search  /" hidden>
        """
      return "<div class=\"tools\">\(search)\(rows)\(columns)\(options)\(try fileMenu)</div>"
    }
  }

  /// Those that a report is read for, or all.
  private var columns: Markup {
    let isAll = query.first("columns") == "all"
    return PageMenu(
      "Columns", value: isAll ? "all" : "core",
      [
        .init("Core columns", query.without("columns").link(view.path), isCurrent: !isAll),
        .init("All columns", query.setting("columns", to: ["all"]).link(view.path), isCurrent: isAll),
      ]
    ).markup
  }

  /// The menu of dimensions that rows are split by.
  private var rows: Markup {
    guard view.has("by") else { return "" }
    let chosen = query.values("by").flatMap { $0.split(separator: ",").map(String.init) }
    return PageMenu(
      "Rows", value: chosen.isEmpty ? "default" : chosen.map(Self.words).joined(separator: ", "),
      [.init("default", link(by: nil), isCurrent: chosen.isEmpty)]
        + view.kind.rowChoices.map { choice in
          .init(Self.words(choice.name), link(by: choice.by), isCurrent: chosen.joined(separator: ",") == choice.by)
        }
    ).markup
  }

  /// Returns the address of this page with other rows, without what only the present rows have.
  private func link(by text: String?) -> String {
    var page = query.setting("by", to: text.map { [$0] } ?? []).without("sort")
    if query.first("columns") != "all" { page = page.without("columns") }
    let rows = text.flatMap { try? Dimension.list($0) }
    return page.filters(takenBy: view.kind, rows: rows).link(view.path)
  }

  static func words(_ name: String) -> String { name.replacing("_", with: " ") }

  /// Every option of the report that is no menu of its own.
  private var options: Markup {
    """
    <details class="menu"><summary>Options</summary><div class="pop wide">\(form(isOpen: false))</div></details>
    """
  }

  /// - Parameter isOpen: Whether it has all parameters, those of the head, too.
  func form(isOpen: Bool) -> Markup {
    let menus: Set = isOpen ? ["sort"] : ["app", "sort", "from", "to", "last", "timezone", "range", "compare"]
    return form(view.parameters.filter { !menus.contains($0.name) }, isOpen: isOpen)
  }

  /// The form of some parameters.
  func form(_ shown: [ReportOption], isOpen: Bool) -> Markup {
    let names = Set(shown.map(\.name))
    let hidden = query.items.filter { !names.contains($0.name) && ($0.name != "sort" || !isOpen) && isKnown($0.name) }
      .map {
        "<input type=\"hidden\" name=\"\(literal: $0.name)\" value=\"\(literal: $0.value)\">" as Markup
      }
    let fields = shown.flatMap { field($0) }
    return
      "<form class=\"options\" action=\"\(view.path)\">\(hidden)\(fields)<p><button class=\"btn\">Show</button></p></form>"
  }

  private func isKnown(_ name: String) -> Bool { view.has(name) || PageDays.parameters.contains(name) }

  private func field(_ parameter: ReportOption) -> [Markup] {
    let id = "option-\(parameter.name)"
    let values = query.values(parameter.name)
    func input(_ number: Int, _ value: String, type: String, placeholder: String) -> Markup {
      let own = number == 0 ? id : "\(id)-\(number + 1)"
      return """
        <label for="\(own)">\(parameter.label)\(number == 0 ? "" : ", another")</label><input id="\(own)" name="\(parameter.name)" type="\(type)" \
        value="\(literal: value)" placeholder="\(placeholder)" title="\(parameter.help)">
        """
    }
    func choice(_ texts: [String], named names: [String]) -> Markup {
      let options = zip(texts, names).map { text, name -> Markup in
        """
        <option value="\(text)"\(values.last == name ? " selected" : "")>\(ReportTools.words(name))</option>
        """
      }
      return """
        <label for="\(id)">\(parameter.label)</label><select id="\(id)" name="\(parameter.name)" \
        title="\(parameter.help)">\(options)</select>
        """
    }
    switch parameter.value {
    case .flag:
      let isOn = values.last.map { !["false", "0"].contains($0) } ?? false
      return [
        """
        <label class="box" for="\(id)"><input id="\(id)" type="checkbox" name="\(parameter.name)" value="true"\
        \(isOn ? " checked" : "")> \(parameter.label)</label>
        """
      ]
    case .choice(let names): return [choice([""] + names.dropFirst(), named: names)]
    case .oneOf(let names): return [choice([""] + names, named: ["Choose …"] + names)]
    case .dimensions:
      return [input(0, values.joined(separator: ","), type: "text", placeholder: "country,property:NAME")]
    case .filters, .apps:
      let placeholder = if case .apps = parameter.value { "" } else { "country=DE,AT" }
      return (values + [""]).enumerated().map { input($0, $1, type: "text", placeholder: placeholder) }
    case .text(let placeholder) where parameter.isRepeatable:
      return (values + [""]).enumerated().map { input($0, $1, type: "text", placeholder: placeholder) }
    case .text(let placeholder), .number(let placeholder):
      return [input(0, values.last ?? "", type: "text", placeholder: placeholder)]
    case .instant: return [input(0, values.last ?? "", type: "text", placeholder: "2026-03-01T00:00:00Z")]
    case .day: return [input(0, values.last ?? "", type: "text", placeholder: "2026-03-01 or last month")]
    case .wholeNumber: return [input(0, values.last ?? "", type: "number", placeholder: "")]
    }
  }

  private var fileMenu: Markup {
    get throws(ReportFault) {
      PageMenu("", value: "Files", try choices).markup
    }
  }

  /// Links to the report as CSV and JSON, in one line.
  var files: Markup {
    get throws(ReportFault) {
      let links = try choices.map { "<a class=\"in\" href=\"\($0.address ?? "")\">\($0.title)</a> " as Markup }
      let command = "\(CommandLineText(["tollgate"] + (try query.words(for: view, format: .csv))))"
      return "<p class=\"note\">\(links)<code>\(command)</code></p>"
    }
  }

  private var choices: [PageMenu.Choice] {
    get throws(ReportFault) {
      var plain = asked ?? query.ofReport
      // A page may have columns that its file has not, such as an experiment's verdict.
      if let sort = plain.first("sort"), !view.kind.sorts(by: sort) { plain = plain.without("sort") }
      _ = try plain.request(for: view)
      func link(_ more: [ViewQuery.Item]) -> String { ViewQuery(plain.items + more).link(view.apiPath) }
      let csv = ViewQuery.Item(name: "format", value: "csv")
      return [
        .init("CSV", link([csv])),
        .init("CSV for a spreadsheet", link([csv, ViewQuery.Item(name: "spreadsheet", value: "true")])),
        .init("JSON", link([ViewQuery.Item(name: "format", value: "json")])),
      ]
    }
  }
}
