internal import EventModel
internal import Foundation
internal import Metrics

/// The OpenAPI 3.1 description of the dashboard's API, generated from the list that the pages use.
enum OpenAPI {
  static func document(version: String) -> String {
    let views = ReportView.all + ReportView.all.compactMap(\.explanation) + ReportView.all.compactMap(\.drivers)
    let paths = views.map { ($0.apiPath, ["get": operation($0)]) }
    let document: [String: Any] = [
      "openapi": "3.1.0",
      "info": [
        "title": "tollgate", "version": version,
        "description": "Every report as a table: the same bytes as the command line prints for these options.",
      ],
      "servers": [["url": "/"]],
      "paths": Dictionary(uniqueKeysWithValues: paths),
      "components": [
        "schemas": ["Problem": problem, "TimeZone": timeZone],
        "securitySchemes": [
          "bearer": ["type": "http", "scheme": "bearer"], "basic": ["type": "http", "scheme": "basic"],
        ],
      ],
      "security": [[String: Any](), ["bearer": [String]()], ["basic": [String]()]],
    ]
    let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let data = (try? JSONSerialization.data(withJSONObject: document, options: options)) ?? Data()
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  private static var problem: [String: Any] {
    [
      "type": "object", "required": ["error"],
      "properties": ["error": ["type": "string", "description": "What is wrong, where, and what to do."]],
    ]
  }

  private static func operation(_ view: ReportView) -> [String: Any] {
    let format: [String: Any] = [
      "name": "format", "in": "query", "description": "Format of the table.",
      "schema": ["type": "string", "enum": ["json", "csv"], "default": "json"],
    ]
    let spreadsheet: [String: Any] = [
      "name": "spreadsheet", "in": "query",
      "description": "With csv: keep cells such as =1+1 text when a spreadsheet opens them.",
      "schema": ["type": "boolean"],
    ]
    return [
      "operationId": view.name.replacing("/", with: "-"), "summary": view.summary, "tags": [view.group.rawValue],
      "parameters": view.parameters.map { parameter($0, of: view.kind) } + [format, spreadsheet],
      "responses": [
        "200": [
          "description": "The table.",
          "content": [
            "application/json": ["schema": view.explained == nil ? table : explanation],
            "text/csv": ["schema": ["type": "string"]],
          ],
        ],
        "400": response(
          "A parameter that is unknown, or whose value its schema does not allow; a value that the store does not have, such "
            + "as an app, a column or a row; values that do not fit together, such as a day \"to\" that is not after \"from\"; "
            + "more rows than an answer may have."),
        "401": response("No token, or a wrong one."),
        "403": response("The request comes from a page of another site."),
        "414": response("The address is longer than 8 kB."),
        "421": response("The host name of the request is not one of this machine's."),
        "429": response("Too many wrong tokens at once."),
        "503": response("The store cannot be read now, or the answer takes too long."),
      ],
    ]
  }

  /// Of JSON answers; the rows' columns are those of the report and its dimensions.
  private static var table: [String: Any] {
    [
      "type": "object", "required": ["report", "definition", "parameters", "as_of", "rows"],
      "properties": [
        "report": ["type": "string"],
        "definition": ["type": "array", "items": ["type": "string"]],
        "parameters": ["type": "object"],
        "as_of": ["type": "object"],
        "rows": ["type": "array", "items": ["type": "object"]],
        "note": ["type": "string", "description": "Why there are no rows."],
      ],
    ]
  }

  /// Of JSON answers about one number.
  private static var explanation: [String: Any] {
    let text = ["type": "string"]
    let decimal = ["type": "number"]
    return [
      "type": "object",
      "required": ["report", "of", "definition", "parameters", "as_of", "cell", "column", "value", "sum", "persons"],
      "properties": [
        "report": text, "of": text, "definition": ["type": "array", "items": text], "parameters": ["type": "object"],
        "as_of": ["type": "object"], "cell": ["type": "object"], "column": text, "value": decimal, "sum": decimal,
        "counts": ["type": "array", "items": ["type": "object"]], "persons_total": ["type": "integer"],
        "persons": ["type": "array", "items": ["type": "object"]],
      ],
    ]
  }

  private static func response(_ description: String) -> [String: Any] {
    [
      "description": description,
      "content": ["application/json": ["schema": ["$ref": "#/components/schemas/Problem"]]],
    ]
  }

  private static var timeZone: [String: Any] {
    ["type": "string", "enum": TimeZone.knownTimeZoneIdentifiers.sorted(), "description": "An IANA name."]
  }

  private static func parameter(_ parameter: ReportOption, of kind: ReportKind) -> [String: Any] {
    var schema = schema(of: parameter, in: kind)
    // Dimensions are a list by themselves.
    let isList = if case .dimensions = parameter.value { true } else { false }
    if case .instant = parameter.value, parameter.isRepeatable {
      // One for all apps, or one for each.
      let ofApps: [String: Any] = ["type": "array", "items": matching("[^=]+=[0-9].*")]
      schema = ["anyOf": [["type": "array", "items": schema, "maxItems": 1], ofApps]]
    } else if parameter.isRepeatable && !isList {
      schema = ["type": "array", "items": schema]
    }
    var description: [String: Any] = [
      "name": parameter.name, "in": "query", "description": parameter.help, "schema": schema,
    ]
    if parameter.isRepeatable { description["explode"] = !isList }
    if parameter.isRequired { description["required"] = true }
    return description
  }

  /// Returns the format and range of a value; texts that only a store can judge, such as an app, may be any.
  private static func schema(of parameter: ReportOption, in kind: ReportKind) -> [String: Any] {
    let date = ["type": "string", "format": "date"]
    let word = matching(DayWord.pattern)
    switch parameter.value {
    case .text: return text(parameter.name)
    case .apps: return ["type": "string"]
    case .dimensions:
      let names = kind.rowChoices.map(\.name).filter { $0 != "none" }
      let plain: [String: Any] = ["type": "string", "enum": names]
      if kind == .payback { return ["type": "array", "items": plain, "uniqueItems": true] }
      let property: [String: Any] = ["type": "string", "pattern": "^property:[^,]+$"]
      return ["type": "array", "items": ["anyOf": [plain, property]], "uniqueItems": true]
    case .filters:
      return matching("(\(Dimension.plainNames.joined(separator: "|"))|property:[^=]+|cohort)!?=.*|cohort:.+")
    case .instant: return ["anyOf": [["type": "string", "format": "date-time"], date, word]]
    case .day: return ["anyOf": [date, word]]
    // By steps, so that no program writes it with an exponent, which is no value.
    case .number: return parameter.name == "store-fee" ? number(to: 1, by: 0.0001) : number(to: 36_525, by: 0.001)
    // JSON's whole numbers that every program can hold.
    case .wholeNumber: return ["type": "integer", "minimum": 0, "maximum": (1 << 53) - 1]
    case .oneOf(let names): return ["type": "string", "enum": names]
    case .choice(let names): return ["type": "string", "enum": names, "default": names.first ?? ""]
    case .flag: return ["type": "boolean"]
    }
  }

  private static func text(_ name: String) -> [String: Any] {
    switch name {
    case "timezone": return ["$ref": "#/components/schemas/TimeZone"]
    case "last": return matching("\(DayCount.pattern)|week|month|quarter|year")
    case "currency": return matching("native|[A-Za-z]{3}")
    case "renewal":
      let plans = Plan.allCases.filter { $0 != .lifetime }.map(\.name).joined(separator: "|")
      return matching("(\(plans))=(0(\\.[0-9]+)?|1)")
    case "at":
      let point = "([1-9][0-9]{0,3}|[1-9]-[1-9][0-9])"
      return matching("\(point)(,\(point)){0,19}")
    case "compare":
      let day = "([0-9]{4}-[0-9]{2}-[0-9]{2})"
      let dimensions = Dimension.plainNames.joined(separator: "|")
      return matching("previous|\(day)\\.\\.\(day)|(\(dimensions)|property:[^=]+)=.*")
    case "sort": return matching("[^:]+(:(asc|desc))?")
    case "key": return matching("[^=]+=.*")
    case "name", "column": return ["type": "string", "minLength": 1]
    default: return ["type": "string"]
    }
  }

  private static func matching(_ pattern: String) -> [String: Any] { ["type": "string", "pattern": "^(\(pattern))$"] }

  private static func number(to maximum: Double, by step: Double) -> [String: Any] {
    ["type": "number", "minimum": 0, "maximum": maximum, "multipleOf": step]
  }
}
