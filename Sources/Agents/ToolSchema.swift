internal import Basics
internal import Metrics

/// The JSON Schemas of tools, made from the options of the registry (Agents.md, "What an agent can ask").
enum ToolSchema {
  static let text: JSONNode = .object(["type": "string"])
  static let texts: JSONNode = .object(["type": "array", "items": text])
  static let nullableText: JSONNode = .object(["type": .texts(["string", "null"])])
  private static let count: JSONNode = .object(["type": "integer", "minimum": .number("0")])
  private static let anyObject: JSONNode = .object(["type": "object"])

  /// The name of an option as an argument, such as `as_of`.
  static func argument(_ option: ReportOption) -> String { option.name.replacing("-", with: "_") }

  static func described(_ schema: JSONNode, _ description: String) -> JSONNode {
    schema.setting("description", to: .string(description))
  }

  static func object(_ properties: [(String, JSONNode)], required: [String] = []) -> JSONNode {
    .object([
      "type": "object", "properties": .object(properties.map { JSONMember($0.0, $0.1) }),
      "required": .texts(required), "additionalProperties": .bool(false),
    ])
  }

  /// The schema of an option's values, with the help of each report that has the option.
  static func schema(_ option: ReportOption, helps: [(report: String, help: String)]) -> JSONNode {
    let texts = Set(helps.map(\.help))
    guard texts.count > 1 else { return schema(option) }
    func parts(_ help: String) -> (stem: String, standard: String)? {
      help.firstMatch(of: #/^(.+) \((?:repeatable; )?default: (.+)\)\.$/#).map { (String($0.1), String($0.2)) }
    }
    let stems = Set(texts.map { parts($0)?.stem ?? $0 })
    // The one that names most.
    let stem = stems.sorted(by: precedesInBytes).max { $0.utf8.count < $1.utf8.count } ?? ""
    let list = helps.inGroups { parts($0.help)?.standard ?? "none" }.map { standard, helps in
      "\(standard) in \(helps.map(\.report).joined(separator: ", "))"
    }.joined(separator: "; ")
    let less = stems.count > 1 ? ", where the report has it" : ""
    return described(schema(option), "\(stem)\(less) (default: \(list)).")
  }

  /// The schema of an option's values; repeatable ones take a list, too.
  static func schema(_ option: ReportOption) -> JSONNode {
    var one: JSONNode
    switch option.value {
    case .flag: one = .object(["type": "boolean"])
    case .choice(let names), .oneOf(let names): one = .object(["type": "string", "enum": .texts(names)])
    case .wholeNumber: one = count
    case .number: one = .object(["type": .texts(["string", "number"])])
    default: one = text
    }
    if option.isRepeatable {
      var forms = [one, .object(["type": "array", "items": one])]
      if option.name == "where" || option.name == "key" {
        forms.append(.object(["type": "object", "additionalProperties": .object(["anyOf": .array(forms)])]))
      }
      one = .object(["anyOf": .array(forms)])
    }
    return described(one, option.help)
  }

  /// The schema of a report's answer.
  static let answer = object(
    [
      ("report", text), ("question", text), ("definition", texts),
      (
        "columns",
        .object([
          "type": "array",
          "items": object(
            [("name", text), ("unit", text), ("rule", text), ("help", text), ("reason", nullableText)],
            required: ["name", "unit"]),
        ])
      ),
      ("rows", .object(["type": "array", "items": anyObject])),
      ("as_of", .object(["type": "object", "additionalProperties": text])),
      (
        "maturity",
        object(
          [
            ("immature", nullableText), ("complete", .object(["type": .texts(["boolean", "null"])])),
            ("horizon", nullableText),
          ],
          required: ["immature", "complete", "horizon"])
      ),
      ("notes", texts), ("rows_total", count), ("rows_given", count), ("receipt", anyObject), ("value", nullableText),
    ], required: ["report", "columns", "rows", "as_of", "maturity", "notes", "rows_total", "rows_given", "receipt"])
}
