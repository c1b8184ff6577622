internal import Basics

extension JSONNode {
  var isNull: Bool { if case .null = self { true } else { false } }

  var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The value with each number as a string of the same digits, so that no reader rounds it.
  var withTextNumbers: JSONNode {
    switch self {
    case .number(let digits): .string(digits)
    case .array(let elements): .array(elements.map(\.withTextNumbers))
    case .object(let members): .object(members.map { JSONMember($0.name, $0.value.withTextNumbers) })
    default: self
    }
  }

  /// Returns the object with a member replaced, or without it.
  func setting(_ name: String, to value: JSONNode?) -> JSONNode {
    let others = (members ?? []).filter { $0.name != name }
    return .object(others + (value.map { [JSONMember(name, $0)] } ?? []))
  }
}
