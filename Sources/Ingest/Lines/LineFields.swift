internal import EventModel

/// The fields of one line, found but not yet judged.
///
/// Values point into the line, or into scratch memory where they had to be unescaped; both stay until the next
/// line.
struct LineFields: ~Copyable {
  /// One place for each ``EventField``; meaningful where ``present`` has its bit.
  let values: UnsafeMutablePointer<FieldValue>
  /// Bit per field: stands in the line.
  var seen: UInt64 = 0
  /// Bit per field: stands in the line and is not absent.
  var present: UInt64 = 0
  /// The first known field that stands in the line again.
  var twice: EventField?
  var properties: [PropertyValue] = []
  /// A string of the line has a backslash: one might stand for NUL.
  var hasEscape = false

  let names = Keywords.shared.fields
  /// For each field (and, last, for the line's begin) the entry of the one that followed it the last time: lines
  /// of a file repeat their order, and comparing with a guess is cheaper than looking a name up.
  let successors: UnsafeMutablePointer<UnsafePointer<KeywordTable.Entry>>
  static let lineBegin = 45

  private var scratch: UnsafeMutablePointer<UInt8>
  private var scratchCapacity = 0
  private var scratchCount = 0

  init() {
    let count = EventField.allCases.count
    precondition(count == Self.lineBegin, "the place behind the last field")
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

  /// Forgets the line before and makes room for unescaping one of that many bytes.
  @inline(__always)
  mutating func begin(lineCount: Int) {
    seen = 0
    present = 0
    twice = nil
    hasEscape = false
    scratchCount = 0
    if !properties.isEmpty { properties.removeAll(keepingCapacity: true) }
    // Three times the line, as CSV unquotes cells, copies the one of JSON and unescapes its strings; and the five ids
    // that may be numbers, written out.
    let needed = 3 &* lineCount &+ 5 &* Limits.stringBytes
    if scratchCapacity < needed { growScratch(needed) }
  }

  private mutating func growScratch(_ capacity: Int) {
    scratch.deallocate()
    scratchCapacity = capacity * 2
    scratch = UnsafeMutablePointer<UInt8>.allocate(capacity: scratchCapacity + LineBuffer.padding)
  }

  /// Takes note of a known field.
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

  /// Whether the bytes lie in memory that the next line uses again.
  @inline(__always)
  func isInScratch(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let address = bytes.baseAddress else { return false }
    return address >= UnsafeRawPointer(scratch) && address < UnsafeRawPointer(scratch + scratchCount)
  }

  /// Room for `count` bytes that stay until the next line; the caller fills them.
  mutating func scratch(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    let start = scratch + scratchCount
    scratchCount += count
    precondition(scratchCount <= scratchCapacity + LineBuffer.padding, "more unescaped than the line has")
    return start
  }

  /// Unescapes a JSON string whose first backslash is at `backslash`.
  ///
  /// - Returns: The bytes it stands for, and the place behind its closing quote; `nil` when it is malformed.
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
    // A pair of surrogates was put together before; what is left is a scalar.
    var count = 0
    for unit in UTF8.encode(Unicode.Scalar(scalar)!)! {
      output[count] = unit
      count += 1
    }
    return count
  }
}
