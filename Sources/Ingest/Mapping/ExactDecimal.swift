/// The sign before the fraction of amounts.
enum DecimalSign: String, CaseIterable, Sendable {
  case comma = ","
  case point = "."
  /// Either one, by the form of each amount.
  case any
}

/// A decimal number of at most 19 significant digits, with exact arithmetic.
struct ExactDecimal: Sendable {
  private(set) var isNegative = false
  private var digits: UInt64 = 0
  /// The number is its digits times ten to this power.
  private var exponent = 0

  /// Reads `-12.50`, `+3`, `1.7e9`; `nil` for anything else or more digits.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      rest = rest.dropFirst()
    }
    var hasDigits = false
    var isFraction = false
    while let byte = rest.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if byte == UInt8(ascii: "."), !isFraction {
        isFraction = true
        continue
      }
      guard byte &- 0x30 < 10 else { return nil }
      hasDigits = true
      // Zeros at the end of the fraction add nothing but digits.
      if isFraction, byte == 0x30, rest.allSatisfy({ $0 == 0x30 }) { continue }
      guard digits < 1_000_000_000_000_000_000 else { return nil }
      digits = digits * 10 + UInt64(byte - 0x30)
      if isFraction { exponent -= 1 }
    }
    guard hasDigits else { return nil }
    if !rest.isEmpty {
      guard let power = Int(String(decoding: rest.dropFirst(), as: UTF8.self)), abs(power) < 100 else { return nil }
      exponent += power
    }
  }

  /// Returns a number with a decimal point, without a currency and without its grouping by spaces or apostrophes, and
  /// by points or commas; `nil` if groups do not have three digits.
  static func ungrouped(_ text: String, _ sign: DecimalSign) -> String? {
    let text = withoutGroups(withoutCurrency(text))
    switch sign {
    case .comma, .point: return plain(text, hasDecimalComma: sign == .comma)
    case .any:
      // Three digits behind the only sign are thousands.
      let isPointOfThousands = ExactDecimal.isGrouped(text.replacing(",", with: "x").replacing(".", with: ","))
      if isPointOfThousands, let whole = plain(text, hasDecimalComma: true) { return whole }
      return plain(text, hasDecimalComma: false) ?? plain(text, hasDecimalComma: true)
    }
  }

  /// Returns whether the text is `-?\d{1,3}(,\d{3})+(\.\d+)?`, or grouped as in India, `12,34,567.50`.
  static func isGrouped(_ text: String) -> Bool {
    var whole = text.utf8.prefix { $0 != UInt8(ascii: ".") }
    let fraction = text.utf8.dropFirst(whole.count).dropFirst()
    if whole.first == UInt8(ascii: "-") { whole = whole.dropFirst() }
    let groups = whole.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard (1...3).contains(groups[0].count), areThousands(groups.dropFirst().map(\.count)) else {
      return false
    }
    return groups.joined().allSatisfy { $0 &- 0x30 < 10 } && fraction.allSatisfy { $0 &- 0x30 < 10 }
  }

  /// Returns whether the text is `-?\d{1,3}(\.?\d{3})*,\d+`.
  static func isDecimalComma(_ text: String) -> Bool {
    guard let comma = text.utf8.lastIndex(of: UInt8(ascii: ",")) else { return false }
    let fraction = text.utf8[text.utf8.index(after: comma)...]
    guard !fraction.isEmpty, fraction.allSatisfy({ $0 &- 0x30 < 10 }) else { return false }
    var whole = text.utf8[..<comma]
    if whole.first == UInt8(ascii: "-") { whole = whole.dropFirst() }
    let groups = whole.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let first = groups.first, !first.isEmpty, groups.allSatisfy({ $0.allSatisfy { $0 &- 0x30 < 10 } }) else {
      return false
    }
    return groups.count == 1 || (first.count <= 3 && groups.dropFirst().allSatisfy { $0.count == 3 })
  }

  /// Returns whether groups of digits behind the first have three each, or in India two each before the last.
  static func areThousands(_ counts: [Int]) -> Bool {
    counts.last == 3 && (counts.allSatisfy { $0 == 3 } || counts.dropLast().allSatisfy { $0 == 2 })
  }

  private static func plain(_ text: String, hasDecimalComma: Bool) -> String? {
    let (group, fraction): (Character, Character) = hasDecimalComma ? (".", ",") : (",", ".")
    let whole = text.prefix { $0 != fraction }
    let groups = whole.split(separator: group, omittingEmptySubsequences: false)
    guard groups.count == 1 || areThousands(groups.dropFirst().map { $0.count { !$0.isWhitespace } }),
      !text.dropFirst(whole.count).contains(group)
    else { return nil }
    return String(text.filter { $0 != group && !$0.isWhitespace }.map { $0 == fraction ? "." : $0 })
  }

  /// Returns a number without the spaces or apostrophes that part its thousands: of `1 199,00` and `1'199.00` the same
  /// without them. Another text is returned as it is.
  static func withoutGroups(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x28..<0x80).contains($0) }) { return text }
    let parts = text.split(omittingEmptySubsequences: false) { $0.isWhitespace || $0 == "'" || $0 == "’" }
    guard parts.count > 1, let first = parts.first else { return text }
    let digits = first.drop { $0 == "-" }
    guard (1...3).contains(digits.count), digits.allSatisfy(\.isNumber),
      parts.dropFirst().dropLast().allSatisfy({ $0.count == 3 && $0.allSatisfy(\.isNumber) }),
      parts.last.map({ $0.prefix(while: \.isNumber).count == 3 }) ?? false
    else { return text }
    return parts.joined()
  }

  /// Returns an amount without a currency's sign or ISO 4217 code before or after it: of `-$4.99`, `US$4.99`, `4.99 €`
  /// and `USD 4.99` the number. Another text is returned as it is.
  ///
  /// An amount in brackets is negative, as bookkeepers write it.
  static func withoutCurrency(_ text: String) -> String {
    if let first = text.utf8.first, first &- 0x30 < 10, let last = text.utf8.last, last &- 0x30 < 10 { return text }
    if text.hasPrefix("("), text.hasSuffix(")"), text.contains(where: \.isNumber) {
      let inner = withoutCurrency(String(text.dropFirst().dropLast()))
      return inner.hasPrefix("-") ? text : "-" + inner
    }
    var rest = text[...]
    let isNegative = rest.first == "-"
    if isNegative { rest.removeFirst() }
    let before = rest.prefix { !$0.isNumber && $0 != "-" && !$0.isPunctuation }
    let after = rest.reversed().prefix { !$0.isNumber && !$0.isPunctuation }
    guard before.count + after.count < rest.count, before.isEmpty != after.isEmpty else { return text }
    let name = String(before.isEmpty ? String(after.reversed()) : String(before)).filter { !$0.isWhitespace }
    let isSign = name.count == 1 && name.first?.isCurrencySymbol == true
    guard isSign || CurrencyTable.isCode(name) || CurrencyTable.written.contains(where: { $0.sign == name }) else {
      return text
    }
    return (isNegative ? "-" : "") + rest.dropFirst(before.count).dropLast(after.count)
  }

  /// Returns the product; `nil` if it has too many digits.
  func times(_ other: ExactDecimal) -> ExactDecimal? {
    let (product, overflow) = digits.multipliedReportingOverflow(by: other.digits)
    if overflow { return nil }
    var result = self
    result.isNegative = isNegative != other.isNegative
    result.digits = product
    result.exponent += other.exponent
    return result
  }

  /// Returns the number times ten to a power.
  func shifted(by power: Int) -> ExactDecimal {
    var result = self
    result.exponent += power
    return result
  }

  /// The number without its fraction, cut towards zero; `nil` from 10¹⁸ on.
  var integer: Int64? {
    var value = digits
    for _ in 0..<min(20, max(0, -exponent)) { value /= 10 }
    for _ in 0..<max(0, exponent) where value > 0 {
      if value >= 100_000_000_000_000_000 { return nil }
      value *= 10
    }
    guard value < 1_000_000_000_000_000_000 else { return nil }
    return isNegative ? -Int64(value) : Int64(value)
  }

  /// The number as digits and a point, without an exponent.
  var text: String {
    var text = String(digits)
    if exponent > 0, digits > 0 {
      text += String(repeating: "0", count: exponent)
    } else if exponent < 0 {
      if text.utf8.count <= -exponent { text = String(repeating: "0", count: -exponent - text.utf8.count + 1) + text }
      let point = text.index(text.endIndex, offsetBy: exponent)
      var fraction = text[point...]
      while fraction.last == "0" { fraction.removeLast() }
      text = String(text[..<point]) + (fraction.isEmpty ? "" : ".\(fraction)")
    }
    return isNegative && digits > 0 ? "-" + text : text
  }
}
