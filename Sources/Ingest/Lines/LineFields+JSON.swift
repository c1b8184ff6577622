internal import EventModel

extension LineFields {
  /// Reads one line as a JSON object.
  ///
  /// - Parameters:
  ///   - start: UTF-8 that ends in a line feed; ``begin(lineCount:)`` must have been called for it.
  ///   - end: The position of the line feed, or of the carriage return before it.
  /// - Returns: Whether the line is one JSON object and nothing else.
  mutating func readObject(_ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) -> Bool {
    // Local variables stay in registers while values are written through pointers.
    var marks = Marks()
    let isObject = readMembers(start, end: end, marks: &marks)
    seen = marks.seen
    present = marks.present
    if marks.twice != 0 { twice = EventField(rawValue: UInt8(marks.firstTwice)) }
    return isObject
  }

  /// Bits of fields; see ``seen`` and ``present``.
  private struct Marks {
    var seen: UInt64 = 0
    var present: UInt64 = 0
    /// Repeated fields, and the first of them.
    var twice: UInt64 = 0
    var firstTwice = 0
  }

  @inline(__always)
  private mutating func readMembers(
    _ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, marks: inout Marks
  ) -> Bool {
    let values = values
    let successors = successors
    var place = JSONSyntax.skipSpace(start)
    guard place.pointee == UInt8(ascii: "{") else { return false }
    place = JSONSyntax.skipSpace(place + 1)
    if place.pointee == UInt8(ascii: "}") { return JSONSyntax.skipSpace(place + 1) >= end }
    var previous = Self.lineBegin
    while true {
      guard place.pointee == UInt8(ascii: "\"") else { return false }
      place += 1

      // The name: first the guess, then the table.
      let code: UInt8
      var unknownName = UnsafeRawBufferPointer(start: nil, count: 0)
      let guess = successors[previous]
      if Self.stands(guess, at: place) {
        code = guess.pointee.code
        place += guess.pointee.count &+ 1
      } else {
        guard let (name, behind) = readString(place) else { return false }
        if let entry = names.entry(at: name.start, count: Int(name.count)) {
          code = entry.pointee.code
          successors[previous] = entry
        } else {
          code = KeywordTable.none
          unknownName = name.bytes
        }
        place = behind
      }
      guard let valueStart = JSONSyntax.colon(place) else { return false }
      place = valueStart

      // The value: plain strings here, everything else in a separate function.
      var value: FieldValue
      if place.pointee == UInt8(ascii: "\""), case let stop = JSONSyntax.endOfPlainRun(place + 1),
        stop.pointee == UInt8(ascii: "\"")
      {
        let count = place.distance(to: stop) &- 1
        value = FieldValue(place + 1, count: count, form: count == 0 ? .absent : .string)
        place = stop + 1
      } else {
        value = FieldValue(place, count: 0, form: .absent)
        guard let behind = readValue(place, of: code, into: &value) else { return false }
        place = behind
      }
      if code == KeywordTable.none {
        properties.append(PropertyValue(name: unknownName, value: value, isExplicit: false))
      } else {
        let bit: UInt64 = 1 &<< UInt64(code)
        if marks.seen & bit != 0 {
          if marks.twice == 0 { marks.firstTwice = Int(code) }
          marks.twice |= bit
        }
        marks.seen |= bit
        if value.form != .absent { marks.present |= bit }
        values[Int(code)] = value
        previous = Int(code)
      }

      if ByteWord.loadPair(place) == ByteWord.commaQuote {
        place += 1
        continue
      }
      place = JSONSyntax.skipSpace(place)
      if place.pointee == UInt8(ascii: ",") {
        place = JSONSyntax.skipSpace(place + 1)
      } else {
        return place.pointee == UInt8(ascii: "}") && JSONSyntax.skipSpace(place + 1) >= end
      }
    }
  }

  /// Reads the members of `properties` into ``properties``.
  ///
  /// - Parameter start: The position after the opening brace.
  /// - Returns: The position after the closing brace; `nil` if this is not a JSON object.
  mutating func readProperties(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
    var place = JSONSyntax.skipSpace(start)
    if place.pointee == UInt8(ascii: "}") { return place + 1 }
    while true {
      guard place.pointee == UInt8(ascii: "\""), let (name, behindName) = readString(place + 1) else { return nil }
      guard let valueStart = JSONSyntax.colon(behindName) else { return nil }
      place = valueStart
      var value = FieldValue(place, count: 0, form: .absent)
      guard let behind = readValue(place, of: KeywordTable.none, into: &value) else { return nil }
      properties.append(PropertyValue(name: name.bytes, value: value, isExplicit: true))
      place = JSONSyntax.skipSpace(behind)
      if place.pointee == UInt8(ascii: "}") { return place + 1 }
      guard place.pointee == UInt8(ascii: ",") else { return nil }
      place = JSONSyntax.skipSpace(place + 1)
    }
  }

  /// Reads a value of the field with that code and returns the position after it.
  private mutating func readValue(
    _ start: UnsafePointer<UInt8>, of code: UInt8, into value: inout FieldValue
  ) -> UnsafePointer<UInt8>? {
    let form: FieldValue.Form
    let end: UnsafePointer<UInt8>?
    switch start.pointee {
    case UInt8(ascii: "\""):
      guard let (string, end) = readString(start + 1) else { return nil }
      value = string
      return end
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      form = .number
      end = JSONSyntax.number(start)
    case UInt8(ascii: "{"):
      form = .object
      end = code == EventField.properties.rawValue ? readProperties(start + 1) : readNested(start)
    case UInt8(ascii: "["):
      form = .array
      end = readNested(start)
    default:
      form = start.pointee == UInt8(ascii: "n") ? .absent : .boolean
      end = JSONSyntax.word(start)
    }
    guard let end else { return nil }
    value = FieldValue(start, count: start.distance(to: end), form: form)
    return end
  }

  private mutating func readNested(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
    // The text is copied unchanged, so its escapes must be searched for.
    hasEscape = true
    return JSONSyntax.value(start, depth: 1)
  }

  /// Reads a string, from after its opening quote.
  @inline(__always)
  private mutating func readString(
    _ start: UnsafePointer<UInt8>
  ) -> (value: FieldValue, end: UnsafePointer<UInt8>)? {
    let stop = JSONSyntax.endOfPlainRun(start)
    if stop.pointee == UInt8(ascii: "\"") {
      let count = start.distance(to: stop)
      return (FieldValue(start, count: count, form: count == 0 ? .absent : .string), stop + 1)
    }
    return unescape(start, backslash: stop)
  }

  /// Returns whether the word and a closing quote are at a position.
  @inline(__always)
  static func stands(_ entry: UnsafePointer<KeywordTable.Entry>, at place: UnsafePointer<UInt8>) -> Bool {
    if (ByteWord.load(place) ^ entry.pointee.quoted.0) & entry.pointee.masks.0 != 0 { return false }
    if entry.pointee.count < 8 { return true }
    let second = (ByteWord.load(place + 8) ^ entry.pointee.quoted.1) & entry.pointee.masks.1
    let third = (ByteWord.load(place + 16) ^ entry.pointee.quoted.2) & entry.pointee.masks.2
    return second | third == 0
  }
}
