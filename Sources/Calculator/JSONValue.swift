internal import Basics
internal import Statistics

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

  /// The value on one line: keys in byte order, numbers in the shortest form that reads back as an equal double.
  public var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    // Whole numbers without a fraction, so that an id comes back as it was given.
    case .number(let value): value.rounded() == value && abs(value) < 0x1p53 ? "\(Int(value))" : value.description
    case .string(let value): JSONText.quoted(value)
    case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
    case .object(let fields):
      "{"
        + fields.sorted { $0.key < $1.key }.map { "\(JSONText.quoted($0.key)): \($0.value.text)" }.joined(
          separator: ", ")
        + "}"
    }
  }

  /// Reads one JSON value (RFC 8259); whitespace around it is passed over.
  init(parsing text: some StringProtocol) throws {
    self = Self(try Array(text.utf8).withUnsafeBytes { try JSONNode(reading: $0) })
  }

  private init(_ node: JSONNode) {
    self =
      switch node {
      case .null: .null
      case .bool(let flag): .bool(flag)
      case .number(let digits): JSONValue(Double(digits))
      case .string(let text): .string(text)
      case .array(let elements): .array(elements.map { JSONValue($0) })
      case .object(let members):
        .object(Dictionary(members.map { ($0.name, JSONValue($0.value)) }, uniquingKeysWith: { $1 }))
      }
  }
}

/// A value of an answer: a number, text, a flag, or a list or object of these.
protocol JSONConvertible: Sendable {
  var json: JSONValue { get }
}

/// The named values of an answer.
typealias Values = [String: any JSONConvertible]

extension JSONValue: JSONConvertible { var json: JSONValue { self } }
extension Bool: JSONConvertible { var json: JSONValue { .bool(self) } }
extension Double: JSONConvertible { var json: JSONValue { JSONValue(self) } }
extension Int: JSONConvertible { var json: JSONValue { .number(Double(self)) } }
extension String: JSONConvertible { var json: JSONValue { .string(self) } }
extension Optional: JSONConvertible where Wrapped: JSONConvertible { var json: JSONValue { self?.json ?? .null } }
extension Array: JSONConvertible where Element: JSONConvertible { var json: JSONValue { .array(map(\.json)) } }
extension Dictionary: JSONConvertible where Key == String, Value == any JSONConvertible {
  var json: JSONValue { .object(mapValues(\.json)) }

  func with(_ more: Self) -> Self { merging(more) { _, new in new } }
}

/// Returns the named values of a result; all are null, with the reason, if there is none.
func values<Result>(
  _ result: Result?, else reason: String, _ names: [String: (Result) -> any JSONConvertible]
) -> Values {
  guard let result else { return notEstimable(reason, Array(names.keys)) }
  return names.mapValues { $0(result) }
}

/// Returns null for each name, and the reason why the data give no result.
func notEstimable(_ reason: String, _ names: [String]) -> Values {
  Dictionary(uniqueKeysWithValues: names.map { ($0, JSONValue.null) }).with(["reason": "not estimable: \(reason)"])
}

/// Returns the two bounds under their names; both are null if there is no interval.
func bounds(_ interval: Interval?, _ low: String = "lower", _ high: String = "upper") -> Values {
  [low: interval?.low, high: interval?.high]
}
