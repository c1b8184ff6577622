import Basics

extension JSONNode {
  /// The value with each member and element on a line of its own, indented by two spaces, and a line feed at the end.
  var lines: String {
    var text = ""
    writeLines(to: &text, indent: "\n")
    return text + "\n"
  }

  static func texts(_ texts: [(name: String, text: String)]) -> JSONNode {
    .object(texts.map { JSONMember($0.name, .string($0.text)) })
  }

  private func writeLines(to text: inout String, indent: String) {
    let inner = indent + "  "
    switch self {
    case .null: text += "null"
    case .bool(let flag): text += flag ? "true" : "false"
    case .number(let digits): text += digits
    case .string(let string): text += jsonString(string)
    case .array(let elements):
      text += "["
      for (place, element) in elements.enumerated() {
        text += place > 0 ? ",\(inner)" : inner
        element.writeLines(to: &text, indent: inner)
      }
      text += elements.isEmpty ? "]" : "\(indent)]"
    case .object(let members):
      text += "{"
      for (place, member) in members.enumerated() {
        text += "\(place > 0 ? "," : "")\(inner)\(jsonString(member.name)): "
        member.value.writeLines(to: &text, indent: inner)
      }
      text += members.isEmpty ? "}" : "\(indent)}"
    }
  }
}
