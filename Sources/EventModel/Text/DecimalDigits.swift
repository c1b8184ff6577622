/// Writes integers as decimal digits.
public enum DecimalDigits {
  /// Appends `value` in base 10, with a `-` if it is negative.
  public static func append(_ value: Int64, to text: inout [UInt8]) {
    var rest = value.magnitude
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var place = 20
      repeat {
        place -= 1
        digits[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      if value < 0 { text.append(UInt8(ascii: "-")) }
      text.append(contentsOf: digits[place..<20])
    }
  }
}
