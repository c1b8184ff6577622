/// An exact amount in one currency; never converted or rounded here.
public struct Money: Hashable, Sendable {
  /// Signed count of millionths of the unit: `19_990_000` is €19.99; a refund is negative.
  public var microUnits: Int64
  /// ISO 4217 code, such as `EUR`.
  public var currency: String

  public static let microUnitsPerUnit: Int64 = 1_000_000

  public init(microUnits: Int64, currency: String) {
    self.microUnits = microUnits
    self.currency = currency
  }

  /// Reads a price in the form of `Events.md`: `19.99` or, as JSON writes numbers, `1.999e1`.
  ///
  /// - Parameter allowingExponent: True for JSON numbers; decimal texts have no exponent.
  /// - Returns: Millionths, rounded half to even; `nil` unless 0 ≤ price < 10¹².
  public static func microUnits(_ text: UnsafeRawBufferPointer, allowingExponent: Bool) -> Int64? {
    DecimalText(text, allowingExponent: allowingExponent)?.microUnits
  }

  /// Reads a price from a string, in the forms above.
  public static func microUnits(_ text: String, allowingExponent: Bool = false) -> Int64? {
    var text = text
    return text.withUTF8 { microUnits(UnsafeRawBufferPointer($0), allowingExponent: allowingExponent) }
  }
}
