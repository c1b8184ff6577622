/// The types of columns that are written.
public enum ParquetType: Sendable {
  case text
  case integer
  case flag
  /// Milliseconds since 1970 in UTC.
  case instant
  /// Millionths, as a decimal of 18 digits with six behind the point.
  case money
  /// The bits of a floating-point number.
  case real

  /// Whether values are integers of 64 bits with an order.
  var isOrdered: Bool { self == .integer || self == .instant || self == .money }
}
