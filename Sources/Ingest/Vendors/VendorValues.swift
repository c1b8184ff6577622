internal import Basics
internal import EventModel

/// Reads a value as vendors write it: some send numbers as numbers, others as texts.
extension JSONNode {
  /// JSON `null` and the empty string, which stand for an absent value (Events.md, "Values").
  var isAbsent: Bool {
    switch self {
    case .null: true
    case .string(let text): text.isEmpty
    default: false
    }
  }

  /// A string, or a whole number as its digits; `nil` of anything else.
  var text: String? {
    switch self {
    case .string(let text): text.isEmpty ? nil : text
    case .number: integer.map(String.init)
    default: nil
    }
  }

  /// A whole number, whether written as a number or as a string.
  var integer: Int64? { decimal { $0.integer } }
  /// A number, whether written as a number or as a string.
  var double: Double? { decimal { $0.double } }
  /// Millionths, rounded half to even; `nil` if it is not a number or below 0.
  var microUnits: Int64? { decimal { $0.microUnits } }

  /// `true` and `false` as JSON has them, and the `t` and `f` that some exports write.
  var flag: Bool? {
    switch self {
    case .bool(let flag): flag
    case .string("true"), .string("t"), .string("True"), .string("TRUE"): true
    case .string("false"), .string("f"), .string("False"), .string("FALSE"): false
    default: nil
    }
  }

  /// Returns `value` × 10 to minus `places` as a decimal text.
  static func decimal(_ value: Int64, places: Int) -> String {
    let digits = String(value.magnitude)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return (value < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
  }

  private func decimal<Result>(_ read: (DecimalText) -> Result?) -> Result? {
    switch self {
    case .number(var text), .string(var text):
      text.withUTF8 { DecimalText(UnsafeRawBufferPointer($0), allowingExponent: true).flatMap(read) }
    default: nil
    }
  }
}
