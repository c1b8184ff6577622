/// A decimal number as it is written: `-12.50`, `1.7e12`. Valid only as long as its bytes.
///
/// Only ``double`` uses binary floating point.
public struct DecimalText {
  private let bytes: UnsafeRawBufferPointer
  private var isNegative = false
  /// The digits as one integer, without the point; meaningful unless ``isLong``.
  private var mantissa: UInt64 = 0
  /// The number is its digits times ten to this power.
  private var exponent = 0
  /// Whether there are more than 18 significant digits.
  private var isLong = false

  /// Reads `-`, digits, fraction and, if allowed, an exponent; `nil` for anything else.
  ///
  /// Leading zeros are allowed; a leading `+`, a leading point and a trailing point are not.
  public init?(_ bytes: UnsafeRawBufferPointer, allowingExponent: Bool) {
    self.bytes = bytes
    let count = bytes.count
    var offset = 0
    if count > 0 && bytes[0] == UInt8(ascii: "-") {
      isNegative = true
      offset = 1
    }
    guard readDigits(&offset) > 0 else { return nil }
    if offset < count && bytes[offset] == UInt8(ascii: ".") {
      offset += 1
      let fraction = readDigits(&offset)
      guard fraction > 0 else { return nil }
      exponent = -fraction
    }
    if allowingExponent && offset < count && bytes[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      guard let written = Self.readExponent(bytes, &offset) else { return nil }
      exponent += written
    }
    guard offset == count else { return nil }
  }

  /// Millionths, rounded half to even; `nil` below zero, and from 10¹² on, before or after rounding.
  public var microUnits: Int64? {
    if isNegative && !isZero { return nil }
    guard let micro = scaled(by: 6, rounding: true), micro < 1_000_000_000_000_000_000 else { return nil }
    return Int64(micro)
  }

  /// The number if it is whole and has at most 18 digits: `7`, `7.0` and `70e-1` are 7.
  public var integer: Int64? {
    guard let value = scaled(by: 0, rounding: false) else { return nil }
    return isNegative ? -Int64(value) : Int64(value)
  }

  /// The nearest double; `nil` if that is infinite. Zero is never negative.
  public var double: Double? {
    // The digits and the power are exact doubles here, so one operation rounds once (W. D. Clinger, 1990, "How to read
    // floating point numbers accurately").
    if !isLong && mantissa <= 1 << 53 && abs(exponent) <= 22 {
      let power = Self.exactPowers[abs(exponent)]
      let value = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
      return isNegative && value != 0 ? -value : value
    }
    guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return nil }
    return value == 0 ? 0 : value
  }

  /// Returns the shortest text of a whole number: `17` for `17.0`, `1000` for `1e3`, `0` for `-0`.
  ///
  /// - Returns: `nil` if the number is not whole, or its text has more than `limit` bytes.
  public func integerText(limit: Int) -> [UInt8]? {
    var digits = significantDigits
    if digits.isEmpty { return [UInt8(ascii: "0")] }
    var exponent = exponent
    while exponent < 0, digits.last == 0 {
      digits.removeLast()
      exponent += 1
    }
    guard exponent >= 0, digits.count + exponent + (isNegative ? 1 : 0) <= limit else { return nil }
    var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
    text.append(contentsOf: digits.lazy.map { $0 + 0x30 })
    text.append(contentsOf: repeatElement(0x30, count: exponent))
    return text
  }

  private var isZero: Bool { isLong ? false : mantissa == 0 }

  /// Returns ten to a power of 0–18.
  @inline(__always)
  private static func powerOfTen(_ power: Int) -> UInt64 {
    var result: UInt64 = 1
    for _ in 0..<power { result &*= 10 }
    return result
  }

  private static let exactPowers: [Double] = (0...22).map { Double("1e\($0)")! }

  /// Reads digits into the mantissa and returns their number.
  @inline(__always)
  private mutating func readDigits(_ offset: inout Int) -> Int {
    let start = offset
    while offset < bytes.count {
      let digit = bytes[offset] &- 0x30
      if digit > 9 { break }
      if mantissa >= 100_000_000_000_000_000 { isLong = true }
      if !isLong { mantissa = mantissa &* 10 &+ UInt64(digit) }
      offset += 1
    }
    return offset - start
  }

  private static func readExponent(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Int? {
    var isNegative = false
    if offset < bytes.count, bytes[offset] == UInt8(ascii: "-") || bytes[offset] == UInt8(ascii: "+") {
      isNegative = bytes[offset] == UInt8(ascii: "-")
      offset += 1
    }
    let start = offset
    var exponent = 0
    while offset < bytes.count, case let digit = bytes[offset] &- 0x30, digit <= 9 {
      // No line is long enough for its digits to offset such an exponent.
      if exponent < 100_000_000 { exponent = exponent * 10 + Int(digit) }
      offset += 1
    }
    guard offset > start else { return nil }
    return isNegative ? -exponent : exponent
  }

  /// Returns the absolute number times ten to `power`; `nil` from 10¹⁸ on. If it is not whole, rounds half to even or
  /// returns `nil`.
  private func scaled(by power: Int, rounding: Bool) -> UInt64? {
    if isLong { return scaledLong(by: power, rounding: rounding) }
    if mantissa == 0 { return 0 }
    let shift = exponent + power
    if shift >= 0 {
      guard shift <= 18 else { return nil }
      let (value, overflow) = mantissa.multipliedReportingOverflow(by: Self.powerOfTen(shift))
      return overflow || value > 1_000_000_000_000_000_000 ? nil : value
    }
    if shift < -18 { return rounding ? 0 : nil }
    let divisor = Self.powerOfTen(-shift)
    let (quotient, remainder) = mantissa.quotientAndRemainder(dividingBy: divisor)
    if remainder == 0 { return quotient }
    guard rounding else { return nil }
    let isUp = remainder > divisor / 2 || (remainder == divisor / 2 && quotient & 1 == 1)
    return isUp ? quotient + 1 : quotient
  }

  private func scaledLong(by power: Int, rounding: Bool) -> UInt64? {
    let digits = significantDigits
    let whole = digits.count + exponent + power
    guard whole <= 18 else { return nil }
    if whole < 0 { return rounding ? 0 : nil }
    var value: UInt64 = 0
    for place in 0..<whole { value = value * 10 + UInt64(place < digits.count ? digits[place] : 0) }
    guard whole < digits.count, let last = digits.lastIndex(where: { $0 != 0 }), last >= whole else { return value }
    guard rounding else { return nil }
    let isHalf = digits[whole] == 5 && last == whole
    let isUp = isHalf ? value & 1 == 1 : digits[whole] >= 5
    return isUp ? value + 1 : value
  }

  /// The values of all digits from the first that is not 0; the number is these times ten to ``exponent``.
  private var significantDigits: [UInt8] {
    var digits: [UInt8] = []
    for byte in bytes {
      if byte | 0x20 == UInt8(ascii: "e") { break }
      let digit = byte &- 0x30
      if digit <= 9 && !(digit == 0 && digits.isEmpty) { digits.append(digit) }
    }
    return digits
  }
}
