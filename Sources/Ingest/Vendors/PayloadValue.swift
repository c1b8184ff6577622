internal import EventModel

/// A JSON value as the vendor wrote it: members in order and numbers as text, so that no price is rounded.
enum PayloadValue {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([PayloadValue])
  case object([PayloadMember])

  init(_ integer: Int64) { self = .number(String(integer)) }

  /// Returns a member of an object, the last one with that name; `nil` for other values.
  subscript(name: String) -> PayloadValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  /// Returns the value at a path such as `properties.plan`; a member whose name contains the dots takes precedence.
  func value(at path: String) -> PayloadValue? {
    if let direct = self[path] { return direct }
    var rest = path[...]
    while let dot = rest.lastIndex(of: ".") {
      rest = rest[..<dot]
      if let inner = self[String(rest)], let found = inner.value(at: String(path[path.index(after: dot)...])) {
        return found
      }
    }
    return nil
  }

  var members: [PayloadMember]? {
    if case .object(let members) = self { members } else { nil }
  }

  var elements: [PayloadValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// Whether the value is JSON `null` or an empty string, which mean an absent value (Events.md, "Values").
  var isAbsent: Bool {
    switch self {
    case .null: true
    case .string(let text): text.isEmpty
    default: false
    }
  }

  /// A string, or the digits of a whole number; `nil` for other values.
  var text: String? {
    switch self {
    case .string(let text): text.isEmpty ? nil : text
    case .number: integer.map(String.init)
    default: nil
    }
  }

  /// A whole number, written as a number or as a string.
  var integer: Int64? {
    switch self {
    case .number(let text), .string(let text): Self.decimal(text) { $0.integer }
    default: nil
    }
  }

  /// A number, written as a number or as a string.
  var double: Double? {
    switch self {
    case .number(let text), .string(let text): Self.decimal(text) { $0.double }
    default: nil
    }
  }

  /// `true` or `false`, in JSON or as the `t` and `f` of some exports.
  var flag: Bool? {
    switch self {
    case .bool(let flag): flag
    case .string("true"), .string("t"), .string("True"), .string("TRUE"): true
    case .string("false"), .string("f"), .string("False"), .string("FALSE"): false
    default: nil
    }
  }

  private static func decimal<Result>(_ text: String, _ read: (DecimalText) -> Result?) -> Result? {
    var text = text
    return text.withUTF8 { DecimalText(UnsafeRawBufferPointer($0), allowingExponent: true).flatMap(read) }
  }

  /// Appends the value as JSON without spaces.
  func write(to text: inout [UInt8]) {
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

  var json: [UInt8] {
    var text: [UInt8] = []
    write(to: &text)
    return text
  }
}

/// A member of an object; a separate type, because the compiler rejects the recursion through a tuple.
struct PayloadMember {
  var name: String
  var value: PayloadValue

  init(_ name: String, _ value: PayloadValue) {
    self.name = name
    self.value = value
  }
}

extension PayloadValue: ExpressibleByStringLiteral {
  init(stringLiteral text: String) { self = .string(text) }
}
