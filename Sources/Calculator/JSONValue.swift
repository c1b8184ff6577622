/// A JSON value; objects have unique keys, printed in byte order.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// Writes numbers that JSON cannot express as the strings `"inf"` and `"-inf"`; NaN and `nil` as null.
  init(_ value: Double?) {
    guard let value, !value.isNaN else {
      self = .null
      return
    }
    self = value.isInfinite ? .string(value < 0 ? "-inf" : "inf") : .number(value)
  }

  init(_ values: [Double?]) { self = .array(values.map { JSONValue($0) }) }

  /// The value on one line: keys in byte order, numbers in the shortest form that reads back as an equal double.
  public var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    // Whole numbers without a fraction, so that an id comes back as it was given.
    case .number(let value): value.rounded() == value && abs(value) < 0x1p53 ? "\(Int(value))" : value.description
    case .string(let value): Self.quoted(value)
    case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
    case .object(let fields):
      "{"
        + fields.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)): \($0.value.text)" }.joined(separator: ", ")
        + "}"
    }
  }

  static func quoted(_ value: String) -> String {
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
