/// A JSON value exactly as written: members keep their order and numbers their text, so that no price is rounded.
public enum JSONNode: Sendable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONNode])
  case object([JSONMember])

  public init(_ integer: Int64) { self = .number(String(integer)) }

  public static func object(_ members: KeyValuePairs<String, JSONNode>) -> JSONNode {
    .object(members.map { JSONMember($0.key, $0.value) })
  }

  public static func texts(_ texts: some Sequence<String>) -> JSONNode { .array(texts.map(JSONNode.string)) }

  /// The member of an object with this name, the last one if the name repeats; `nil` for any other value.
  public subscript(name: String) -> JSONNode? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  public var members: [JSONMember]? {
    if case .object(let members) = self { members } else { nil }
  }

  public var elements: [JSONNode]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// Appends the value as JSON without spaces.
  public func write(to text: inout [UInt8]) {
    switch self {
    case .null: text.append(contentsOf: "null".utf8)
    case .bool(let flag): text.append(contentsOf: (flag ? "true" : "false").utf8)
    case .number(let digits): text.append(contentsOf: digits.utf8)
    case .string(let string): JSONText.append(quoted: string, to: &text)
    case .array(let elements):
      text.append(UInt8(ascii: "["))
      for (place, element) in elements.enumerated() {
        if place > 0 { text.append(UInt8(ascii: ",")) }
        element.write(to: &text)
      }
      text.append(UInt8(ascii: "]"))
    case .object(let members):
      text.append(UInt8(ascii: "{"))
      for (place, member) in members.enumerated() {
        if place > 0 { text.append(UInt8(ascii: ",")) }
        JSONText.append(quoted: member.name, to: &text)
        text.append(UInt8(ascii: ":"))
        member.value.write(to: &text)
      }
      text.append(UInt8(ascii: "}"))
    }
  }

  public var json: [UInt8] {
    var text: [UInt8] = []
    write(to: &text)
    return text
  }
}

/// A member of an object. It is a type of its own because the compiler rejects the recursion if it is a tuple.
public struct JSONMember: Sendable {
  public var name: String
  public var value: JSONNode

  public init(_ name: String, _ value: JSONNode) {
    self.name = name
    self.value = value
  }
}

extension JSONNode: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self = .string(text) }
}
