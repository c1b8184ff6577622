internal import Foundation
internal import Metrics

/// The OpenAPI 3.1 description of the dashboard's API, generated from the list that the pages use.
enum OpenAPI {
  static func document(version: String) -> String {
    let paths = (ReportView.all + ReportView.all.compactMap(\.explanation)).map { ($0.apiPath, ["get": operation($0)]) }
    let document: [String: Any] = [
      "openapi": "3.1.0",
      "info": [
        "title": "tollgate", "version": version,
        "description": "Every report as a table: the same bytes as the command line prints for these options.",
      ],
      "servers": [["url": "/"]],
      "paths": Dictionary(uniqueKeysWithValues: paths),
      "components": [
        "schemas": ["Problem": problem],
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
      "parameters": view.parameters.map(parameter) + [format, spreadsheet],
      "responses": [
        "200": [
          "description": "The table.",
          "content": [
            "application/json": ["schema": view.explained == nil ? table : explanation],
            "text/csv": ["schema": ["type": "string"]],
          ],
        ],
        "400": response("A parameter that is unknown or wrong, or too many rows."),
        "401": response("No token, or a wrong one."),
        "421": response("The host name of the request is not one of this machine's."),
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

  private static func parameter(_ parameter: ReportOption) -> [String: Any] {
    var schema: [String: Any]
    switch parameter.value {
    case .text, .apps, .dimensions, .filters, .day, .instant: schema = ["type": "string"]
    case .number: schema = ["type": "number", "minimum": 0]
    case .wholeNumber: schema = ["type": "integer", "minimum": 0]
    case .choice(let names): schema = ["type": "string", "enum": names, "default": names.first ?? ""]
    case .flag: schema = ["type": "boolean"]
    }
    if parameter.isRepeatable { schema = ["type": "array", "items": schema] }
    var description: [String: Any] = [
      "name": parameter.name, "in": "query", "description": parameter.help, "schema": schema,
    ]
    if parameter.isRepeatable { description["explode"] = true }
    if parameter.isRequired { description["required"] = true }
    return description
  }
}
