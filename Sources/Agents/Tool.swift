internal import Basics
internal import Metrics

/// A tool that an agent can call.
struct Tool: Sendable {
  var name: String
  var title: String
  var description: String
  var input: JSONNode
  var output: JSONNode

  var json: JSONNode {
    .object([
      "name": .string(name), "title": .string(title), "description": .string(description), "inputSchema": input,
      "outputSchema": output,
      "annotations": .object([
        "title": .string(title), "readOnlyHint": .bool(true), "idempotentHint": .bool(true),
        "destructiveHint": .bool(false), "openWorldHint": .bool(false),
      ]),
    ])
  }

  static func named(_ name: String) -> Tool? { all.first { $0.name == name } }

  /// The reports that a question can be asked of.
  static func kinds(of aspect: ReportRequest.Aspect) -> [ReportKind] {
    switch aspect {
    case .report: ReportKind.all.filter { $0 != .experiment && $0 != .replay }
    case .explanation: ReportKind.all.filter { $0.isExplainable && $0 != .experiment }
    case .drivers: ReportKind.all.filter(\.hasDrivers)
    }
  }

  /// The input of reports: the options of all of them, each once.
  private static func input(
    _ kinds: [ReportKind], _ aspect: ReportRequest.Aspect, choosing name: String?, orView: Bool = false
  ) -> JSONNode {
    var properties: [(String, JSONNode)] = []
    var required: [String] = []
    if let name {
      let schema: JSONNode = .object(["type": "string", "enum": .texts(kinds.map(\.name))])
      properties.append((name, ToolSchema.described(schema, orView ? "Report, without view." : "Report.")))
      if orView {
        let help = "Saved view of catalog, instead of a report and its options; only limit and columns go with it."
        properties.append(("view", ToolSchema.described(ToolSchema.text, help)))
      } else {
        required.append(name)
      }
    }
    for kind in kinds {
      for option in kind.options(of: aspect) where option.name != "limit" {
        let argument = ToolSchema.argument(option)
        if properties.contains(where: { $0.0 == argument }) { continue }
        let own = kinds.compactMap { kind in
          kind.options(of: aspect).first { $0.name == option.name }.map { (kind.name, $0.help) }
        }
        properties.append((argument, ToolSchema.schema(option, helps: own)))
        // Such as the name of an experiment, which no other report has.
        if option.isRequired, own.count == kinds.count { required.append(argument) }
      }
    }
    if aspect == .report {
      let forms: JSONNode = .object(["anyOf": .array([ToolSchema.text, ToolSchema.texts])])
      properties.append(("columns", ToolSchema.described(forms, "Columns to give (default: all).")))
    }
    let limit: JSONNode = .object([
      "type": "integer", "minimum": .number("1"), "maximum": .number("\(ReportTool.mostRows)"),
    ])
    properties.append(
      ("limit", ToolSchema.described(limit, "Maximum number of rows (default: \(ReportTool.usualRows)).")))
    return ToolSchema.object(properties, required: required)
  }

  private static let catalogLists = [
    "apps", "reports", "dimensions", "properties", "experiments", "paths", "cohorts", "notes", "views",
  ]

  private static func list(_ of: JSONNode) -> JSONNode { .object(["type": "array", "items": of]) }

  static let all: [Tool] = [
    Tool(
      name: "catalog", title: "Catalog",
      description:
        "Lists the apps with their days, the reports, the dimensions with their values, the properties of events, the experiments, paths, cohorts, notes on days and saved views. Call it first.",
      input: ToolSchema.object([]),
      output: ToolSchema.object(
        catalogLists.map { ($0, list(.object(["type": "object"]))) }, required: catalogLists)),
    Tool(
      name: "report", title: "Report",
      description: "Gives the rows of a report by its name, or of a saved view, with intervals and a receipt.",
      input: input(kinds(of: .report), .report, choosing: "name", orView: true), output: ToolSchema.answer),
    Tool(
      name: "why", title: "Why a number changed",
      description:
        "Shows in which segments a share changed, or two arms of an experiment differ, and whether chance alone can explain it.",
      input: input(kinds(of: .drivers), .drivers, choosing: "report"), output: ToolSchema.answer),
    Tool(
      name: "experiment", title: "Experiment", description: "Gives the readout of an experiment, the decision first.",
      input: input([.experiment], .report, choosing: nil), output: ToolSchema.answer),
    Tool(
      name: "explain", title: "Explain a number",
      description: "Lists the users and events behind one number of a report, with the rule.",
      input: input(kinds(of: .explanation), .explanation, choosing: "report"), output: ToolSchema.answer),
    Tool(
      name: "definition", title: "Definition",
      description: "Gives the text of a rule such as 3.1, and the columns that it defines, in all reports.",
      input: ToolSchema.object([("rule", ToolSchema.text)], required: ["rule"]),
      output: ToolSchema.object(
        [
          ("rule", ToolSchema.text), ("text", ToolSchema.nullableText), ("columns", list(.object(["type": "object"]))),
        ], required: ["rule", "text", "columns"])),
    Tool(
      name: "health", title: "Data quality", description: "Lists data-quality checks and the reports that they affect.",
      input: input([.health], .report, choosing: nil), output: ToolSchema.answer),
    Tool(
      name: "reconcile", title: "Reconciliation",
      description:
        "Compares the events with App Store Connect's own counts; with vendor and metric, explains rule by rule why the vendor's number differs.",
      input: input([.reconcile], .report, choosing: nil), output: ToolSchema.answer),
    Tool(
      name: "verify", title: "Verify a receipt",
      description:
        "Runs a report again from its receipt: same, differs (with the first row) or cannot (with the cause).",
      input: ToolSchema.object([("receipt", .object(["type": "object"]))], required: ["receipt"]),
      output: ToolSchema.object(
        [
          ("verdict", .object(["type": "string", "enum": .texts(["same", "differs", "cannot"])])),
          ("cause", .object(["type": .texts(["string", "null"])])),
        ], required: ["verdict", "cause"])),
  ]
}
