internal import EventModel

/// The fields of one line, found but not checked yet.
///
/// Values point into the line, or into scratch memory if they were unescaped; both are valid until the next line.
struct LineFields: ~Copyable {
  /// One value per ``EventField``; valid if its bit in ``present`` is set.
  let values: UnsafeMutablePointer<FieldValue>
  /// One bit per field: occurs in the line.
  var seen: UInt64 = 0
  /// One bit per field: occurs in the line and is not absent.
  var present: UInt64 = 0
  /// The first known field that occurs twice in the line.
  var twice: EventField?
  var properties: [PropertyValue] = []
  /// Whether a string of the line has a backslash, which might escape NUL.
  var hasEscape = false

  let names = Keywords.shared.fields
  /// For each field (and, last, for the start of the line) the entry of the field that followed it last time. The lines
  /// of a file repeat their order, and comparing with a guess is cheaper than a look-up.
  let successors: UnsafeMutablePointer<UnsafePointer<KeywordTable.Entry>>
  static let lineBegin = EventField.allCases.count

  private var scratch: UnsafeMutablePointer<UInt8>
  private var scratchCapacity = 0
  private var scratchCount = 0

  init() {
    let count = Self.lineBegin
    values = UnsafeMutablePointer<FieldValue>.allocate(capacity: count)
    scratch = UnsafeMutablePointer<UInt8>.allocate(capacity: LineBuffer.padding)
    values.initialize(repeating: FieldValue(scratch, count: 0, form: .absent), count: count)
    successors = UnsafeMutablePointer<UnsafePointer<KeywordTable.Entry>>.allocate(capacity: count + 1)
    successors.initialize(repeating: names.entry(ofCode: EventField.eventID.rawValue)!, count: count + 1)
  }

  deinit {
    values.deallocate()
    successors.deallocate()
    scratch.deallocate()
  }

  /// Clears the fields and makes room for unescaping a line of `lineCount` bytes.
  @inline(__always)
  mutating func begin(lineCount: Int) {
    seen = 0
    present = 0
    twice = nil
    hasEscape = false
    scratchCount = 0
    if !properties.isEmpty { properties.removeAll(keepingCapacity: true) }
    // Three times the line, because a CSV cell can be unquoted, copied as JSON and unescaped; plus the five ids that
    // may be numbers, as text.
    let needed = 3 &* lineCount &+ 5 &* Limits.stringBytes
    if scratchCapacity < needed { growScratch(needed) }
  }

  private mutating func growScratch(_ capacity: Int) {
    scratch.deallocate()
    scratchCapacity = capacity * 2
    scratch = UnsafeMutablePointer<UInt8>.allocate(capacity: scratchCapacity + LineBuffer.padding)
  }

  /// Records a known field.
  @inline(__always)
  mutating func set(_ code: UInt8, _ value: FieldValue) {
    let bit: UInt64 = 1 &<< UInt64(code)
    if seen & bit != 0 && twice == nil { twice = EventField(rawValue: code) }
    seen |= bit
    if value.form != .absent {
      present |= bit
      values[Int(code)] = value
    }
  }

  @inline(__always)
  func has(_ field: EventField) -> Bool { present & (1 &<< UInt64(field.rawValue)) != 0 }

  @inline(__always)
  subscript(field: EventField) -> FieldValue { values[Int(field.rawValue)] }

  /// Returns whether the bytes are in memory that the next line reuses.
  @inline(__always)
  func isInScratch(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let address = bytes.baseAddress else { return false }
    return address >= UnsafeRawPointer(scratch) && address < UnsafeRawPointer(scratch + scratchCount)
  }

  /// Returns `count` bytes of memory that stay valid until the next line.
  mutating func scratch(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    let start = scratch + scratchCount
    scratchCount += count
    precondition(scratchCount <= scratchCapacity + LineBuffer.padding, "more unescaped than the line has")
    return start
  }

  /// Unescapes a JSON string whose first backslash is at `backslash`.
  ///
  /// - Returns: The unescaped bytes and the position after the closing quote; `nil` if the string is malformed.
  mutating func unescape(
    _ start: UnsafePointer<UInt8>, backslash: UnsafePointer<UInt8>
  ) -> (value: FieldValue, end: UnsafePointer<UInt8>)? {
    hasEscape = true
    let output = scratch + scratchCount
    var count = 0
    var runStart = start
    var place = backslash
    while true {
      let run = runStart.distance(to: place)
      (output + count).update(from: runStart, count: run)
      count += run
      if place.pointee == UInt8(ascii: "\"") { break }
      guard place.pointee == UInt8(ascii: "\\"), let (scalar, end) = JSONSyntax.escape(place + 1) else { return nil }
      count += Self.encode(scalar, to: output + count)
      runStart = end
      place = JSONSyntax.endOfPlainRun(end)
    }
    scratchCount += count
    return (FieldValue(output, count: count, form: count == 0 ? .absent : .string), place + 1)
  }

  /// Writes the scalar as UTF-8, which is never longer than its escape, and returns the number of bytes.
  private static func encode(_ scalar: UInt32, to output: UnsafeMutablePointer<UInt8>) -> Int {
    // Surrogate pairs have been combined before, so this is a valid scalar.
    var count = 0
    for unit in UTF8.encode(Unicode.Scalar(scalar)!)! {
      output[count] = unit
      count += 1
    }
    return count
  }
}
