internal import EventModel

extension LineDecoder {
  /// Returns the value of a string field; `nil` for another type or more than 200 bytes.
  @inline(__always)
  func string(_ field: EventField) -> FieldValue? {
    let value = fields[field]
    return value.isText && value.count <= UInt32(Limits.stringBytes) ? value : nil
  }

  /// Returns the number of a string in ``BatchFiller/names``.
  @inline(__always)
  mutating func name(_ field: EventField) -> UInt32? {
    guard let value = string(field) else { return nil }
    return filler.nameCache.number(value.start, count: Int(value.count), in: &filler.names)
  }

  /// Checks a field that holds a string or an integer, and replaces the integer with its text.
  @inline(__always)
  mutating func takeIdentifier(_ field: EventField) -> Bool {
    fields[field].form == .number ? takeNumericIdentifier(field) : string(field) != nil
  }

  private mutating func takeNumericIdentifier(_ field: EventField) -> Bool {
    let written = DecimalText(fields[field].bytes, allowingExponent: true)
    guard let text = written?.integerText(limit: Limits.stringBytes) else { return false }
    let start = fields.scratch(text.count)
    start.update(from: text, count: text.count)
    fields.values[Int(field.rawValue)] = FieldValue(start, count: text.count, form: .string)
    return true
  }

  /// Stores the number of an upper-cased code of ASCII letters.
  @inline(__always)
  mutating func takeCode(_ field: EventField, letters: Int, _ place: inout UInt32) -> Bool {
    guard let value = string(field), Int(value.count) == letters else { return false }
    let upper = ByteWord.load(value.start) & ByteWord.mask(letters) & 0xDFDF_DFDF_DFDF_DFDF
    for index in 0..<letters where UInt8(truncatingIfNeeded: upper &>> UInt64(index &* 8)) &- UInt8(ascii: "A") > 25 {
      return false
    }
    place = filler.nameCache.number(upper, count: letters, in: &filler.names)
    return true
  }

  /// Returns an RFC 3339 text or integer epoch milliseconds as an instant, in the years that RFC 3339 can write.
  @inline(__always)
  func instant(_ field: EventField) -> Instant? {
    let value = fields[field]
    switch value.form {
    case .string: return Instant(rfc3339: value.bytes)
    case .number: return epochMilliseconds(value)
    case .cell: return Instant(rfc3339: value.bytes) ?? epochMilliseconds(value)
    case .absent, .boolean, .object, .array: return nil
    }
  }

  private func epochMilliseconds(_ value: FieldValue) -> Instant? {
    guard let integer = DecimalText(value.bytes, allowingExponent: true)?.integer else { return nil }
    let instant = Instant(millisecondsSince1970: integer)
    return instant >= .first && instant < .end ? instant : nil
  }

  /// Returns a price in micro-units: a decimal text without an exponent, or a JSON number.
  @inline(__always)
  func price(_ field: EventField) -> Int64? {
    let value = fields[field]
    guard value.isNumeric || value.form == .string else { return nil }
    return DecimalText(value.bytes, allowingExponent: value.form != .string)?.microUnits
  }

  func number(_ field: EventField) -> Double? {
    let value = fields[field]
    guard value.isNumeric else { return nil }
    return DecimalText(value.bytes, allowingExponent: true)?.double
  }

  /// Returns a number in `0...1`.
  func share(_ field: EventField) -> Double? {
    guard let number = number(field), (0...1).contains(number) else { return nil }
    return number
  }

  /// Returns a whole number; for a `trial_start`, one in 1–366.
  func trialDays(kind: EventKind) -> Int64? {
    let value = fields[.trialDays]
    guard value.isNumeric, let days = DecimalText(value.bytes, allowingExponent: true)?.integer else { return nil }
    return kind != .trialStart || Limits.trialDays.contains(days) ? days : nil
  }

  /// Checks `properties`; in JSON, its members have been read with the line.
  mutating func takeProperties() -> Bool {
    let value = fields[.properties]
    switch value.form {
    case .object: return true
    case .cell: return fields.readPropertiesCell(value)
    case .absent, .string, .number, .boolean, .array: return false
    }
  }
}

extension FieldValue {
  @inline(__always)
  var isText: Bool { form == .string || form == .cell }

  @inline(__always)
  var isNumeric: Bool { form == .number || form == .cell }
}

extension KeywordTable {
  /// Returns the code of a value that is one of the words, or ``none``.
  @inline(__always)
  func code(_ value: FieldValue) -> UInt8 {
    value.isText ? code(value.start, count: Int(value.count)) : Self.none
  }
}
