internal import EventModel

/// The varying values of the current line.
struct VaryingValues: ~Copyable {
  struct Value {
    /// The start of an id.
    var start: UnsafePointer<UInt8>
    /// The length of an id in bytes; for an instant, milliseconds since 1970-01-01T00:00:00Z.
    var number: Int64
  }

  /// One value per ``VaryingField``.
  let values: UnsafeMutablePointer<Value>
  /// The name of each field as written in lines.
  let names: UnsafeMutablePointer<KeywordTable.Entry>
  /// For each code of ``EventField`` (and, last, for other names) the entry of the name that followed it last time.
  private let nameGuesses: UnsafeMutablePointer<UnsafePointer<KeywordTable.Entry>>
  private let fields = Keywords.shared.fields
  /// The ``VaryingField`` of each code of ``EventField``, or ``VaryingField/none``.
  let ofCode: UnsafeMutablePointer<UInt8>
  /// For each field (and, last, for the start of the line) the field that followed it last time.
  let successors: UnsafeMutablePointer<UInt8>
  /// For each field the day of its last instant.
  let days: UnsafeMutablePointer<InstantDay>

  init() {
    let count = VaryingField.none
    precondition(VaryingField.allCases.count == count, "the place behind the last field")
    names = UnsafeMutablePointer<KeywordTable.Entry>.allocate(capacity: count)
    values = UnsafeMutablePointer<Value>.allocate(capacity: count)
    ofCode = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
    nameGuesses = UnsafeMutablePointer<UnsafePointer<KeywordTable.Entry>>.allocate(capacity: 256)
    nameGuesses.initialize(repeating: fields.entry(ofCode: EventField.event.rawValue)!, count: 256)
    ofCode.initialize(repeating: UInt8(count), count: 256)
    successors = UnsafeMutablePointer<UInt8>.allocate(capacity: count + 1)
    successors.initialize(repeating: 0, count: count + 1)
    days = UnsafeMutablePointer<InstantDay>.allocate(capacity: count)
    days.initialize(repeating: InstantDay(), count: count)
    for own in VaryingField.allCases {
      let entry = fields.entry(ofCode: own.field.rawValue)!
      (names + Int(own.rawValue)).initialize(to: entry.pointee)
      (values + Int(own.rawValue)).initialize(to: Value(start: UnsafePointer(ofCode), number: 0))
      ofCode[Int(own.field.rawValue)] = own.rawValue
    }
  }

  deinit {
    values.deallocate()
    names.deallocate()
    ofCode.deallocate()
    successors.deallocate()
    nameGuesses.deallocate()
    days.deallocate()
  }

  @inline(__always)
  func id(_ field: VaryingField) -> UnsafeRawBufferPointer {
    let value = values[Int(field.rawValue)]
    return UnsafeRawBufferPointer(start: value.start, count: Int(value.number))
  }

  @inline(__always)
  func instant(_ field: VaryingField) -> Int64 { values[Int(field.rawValue)].number }

  /// Returns the position of the value if the member at `place` is that field and its value is not `null`.
  @inline(__always)
  func value(of field: Int, at place: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
    let name = names + field
    guard place.pointee == UInt8(ascii: "\""), LineFields.stands(UnsafePointer(name), at: place + 1) else { return nil }
    guard let value = JSONSyntax.colon(place + (name.pointee.count &+ 2)) else { return nil }
    return value.pointee == UInt8(ascii: "n") ? nil : value
  }

  /// Returns the varying field of the member at `place`, if its value is not `null`.
  func field(at place: UnsafePointer<UInt8>) -> UInt8? {
    for own in 0..<VaryingField.none where value(of: own, at: place) != nil { return UInt8(own) }
    return nil
  }

  /// Reads a plain value: a string of ASCII without escapes, or a number of digits only.
  ///
  /// - Parameter lineEnd: The end of the line.
  /// - Returns: The position after the value; `nil` for anything else, and for a value that the field cannot hold.
  @inline(__always)
  func read(
    _ field: Int, at place: UnsafePointer<UInt8>, lineEnd: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8>? {
    let value = values + field
    guard place.pointee == UInt8(ascii: "\"") else { return readDigits(field, at: place) }
    let start = place + 1
    if VaryingField.instants &>> UInt32(field) & 1 != 0 {
      guard let (milliseconds, end) = days[field].read(start) else { return nil }
      value.pointee.number = milliseconds
      return end
    }
    // The ids of a field mostly have one length; this is the length in the previous line, which may have been longer.
    var count = Int(value.pointee.number)
    var end = start + count
    if count < 16 || end >= lineEnd || end.pointee != UInt8(ascii: "\"") || !ByteWord.areASCII(start, count: count) {
      end = JSONSyntax.endOfRun(start, ByteWord.asciiStops)
      count = start.distance(to: end)
    }
    guard end.pointee == UInt8(ascii: "\""), count > 0, count <= Limits.stringBytes else { return nil }
    value.pointee = Value(start: start, number: Int64(count))
    return end + 1
  }

  private func readDigits(_ field: Int, at start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
    var end = start
    var number: Int64 = 0
    while case let digit = end.pointee &- 0x30, digit <= 9, start.distance(to: end) < 18 {
      number = number * 10 + Int64(digit)
      end += 1
    }
    let count = start.distance(to: end)
    guard count > 0, count == 1 || start.pointee != 0x30 else { return nil }
    // The bytes that may follow a number; a point, an exponent or more digits are left to the careful decoder.
    guard end.pointee == UInt8(ascii: ",") || end.pointee == UInt8(ascii: "}") || end.pointee == 0x20 else {
      return nil
    }
    if VaryingField.instants &>> UInt32(field) & 1 != 0 {
      guard number < Instant.end.millisecondsSince1970 else { return nil }
      values[field].number = number
    } else {
      values[field] = Value(start: start, number: Int64(count))
    }
    return end
  }

  /// Returns the end of a run of whole members without varying values: the next own member, or the line's end.
  ///
  /// - Parameter start: The start of a member, or the closing brace.
  /// - Returns: `nil` if the end is not easy to find.
  func endOfSpan(_ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
    var place = start
    var previous = KeywordTable.none
    while true {
      if place.pointee == UInt8(ascii: "}") { return end }
      guard place.pointee == UInt8(ascii: "\"") else { return nil }
      let name = place + 1
      let guess = nameGuesses[Int(previous)]
      let code: UInt8
      let behindName: UnsafePointer<UInt8>
      if LineFields.stands(guess, at: name) {
        code = guess.pointee.code
        behindName = name + (guess.pointee.count &+ 1)
      } else {
        let nameEnd = JSONSyntax.endOfPlainRun(name)
        guard nameEnd.pointee == UInt8(ascii: "\"") else { return nil }
        if let entry = fields.entry(at: name, count: name.distance(to: nameEnd)) {
          code = entry.pointee.code
          nameGuesses[Int(previous)] = entry
        } else {
          code = KeywordTable.none
        }
        behindName = nameEnd + 1
      }
      guard let value = JSONSyntax.colon(behindName) else { return nil }
      if Int(ofCode[Int(code)]) != VaryingField.none && value.pointee != UInt8(ascii: "n") { return place }
      previous = code
      if value.pointee == UInt8(ascii: "\""), case let stop = JSONSyntax.endOfPlainRun(value + 1),
        stop.pointee == UInt8(ascii: "\"")
      {
        place = stop + 1
      } else {
        guard let valueEnd = JSONSyntax.value(value, depth: 1) else { return nil }
        place = valueEnd
      }
      if ByteWord.loadPair(place) == ByteWord.commaQuote {
        place += 1
        continue
      }
      place = JSONSyntax.skipSpace(place)
      if place.pointee == UInt8(ascii: ",") {
        place = JSONSyntax.skipSpace(place + 1)
      } else if place.pointee != UInt8(ascii: "}") {
        return nil
      }
    }
  }
}
