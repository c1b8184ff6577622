internal import Foundation

/// Reads rows of ``CopyText`` from a file descriptor; uses memory for the longest row and some megabytes of read-ahead.
public final class RowInput {
  /// Reading starts with the first requested row.
  private lazy var ahead = ReadAhead(descriptor: descriptor)
  private let descriptor: Int32
  private var buffer: UnsafeMutableRawBufferPointer
  /// The part of the buffer that is read but not yet returned.
  private var first = 0
  private var last = 0
  private var isAtEnd = false
  /// The columns of the current row, as ranges of the buffer.
  private var bounds: [Range<Int>] = []
  private var scratch: [UInt8] = []
  /// The number of rows returned.
  public private(set) var count = 0

  public init(descriptor: Int32) {
    self.descriptor = descriptor
    buffer = .allocate(byteCount: 1 << 20, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Moves to the next row.
  ///
  /// - Returns: `false` after the last one.
  /// - Throws: ``WorkerFault`` for a row with another number of columns.
  public func next(columns: Int) throws -> Bool {
    guard let line = try nextLine() else { return false }
    count += 1
    bounds.removeAll(keepingCapacity: true)
    var start = line.lowerBound
    while let tab = memchr(buffer.baseAddress! + start, 0x09, line.upperBound - start) {
      let place = UnsafeRawPointer(buffer.baseAddress!).distance(to: UnsafeRawPointer(tab))
      bounds.append(start..<place)
      start = place + 1
    }
    bounds.append(start..<line.upperBound)
    guard bounds.count == columns else {
      throw WorkerFault(.data, "row \(count): has \(bounds.count) columns; expected \(columns)")
    }
    return true
  }

  /// Returns the range of the next line in the buffer, without its end.
  private func nextLine() throws -> Range<Int>? {
    var searched = first
    while true {
      if searched < last, let found = memchr(buffer.baseAddress! + searched, 0x0A, last - searched) {
        let end = UnsafeRawPointer(buffer.baseAddress!).distance(to: UnsafeRawPointer(found))
        defer { first = end + 1 }
        return first..<end
      }
      if isAtEnd {
        if first == last { return nil }
        throw WorkerFault(.data, "row \(count + 1): the input ends in the middle of it")
      }
      searched = last - first
      try fill()
      searched += first
    }
  }

  private func fill() throws {
    guard let piece = try ahead.next() else {
      isAtEnd = true
      return
    }
    if first > 0 {
      memmove(buffer.baseAddress!, buffer.baseAddress! + first, last - first)
      last -= first
      first = 0
    }
    if last + piece.count > buffer.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count * 2, alignment: 16)
      memcpy(larger.baseAddress!, buffer.baseAddress!, last)
      buffer.deallocate()
      buffer = larger
    }
    UnsafeMutableRawBufferPointer(rebasing: buffer[last...]).copyBytes(from: piece)
    last += piece.count
  }

  /// Calls `body` with the bytes of a column of the current row; `nil` for NULL.
  public func withBytes<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result) throws -> Result {
    let raw = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[bounds[column]])
    if raw.isEmpty || memchr(raw.baseAddress!, 0x5C, raw.count) == nil { return try body(raw) }
    if CopyText.isNull(raw) { return try body(nil) }
    guard CopyText.read(raw, into: &scratch) else {
      throw WorkerFault(.data, "row \(count), column \(column + 1): a backslash is not followed by \\, t, n or r")
    }
    return try scratch.withUnsafeBytes { try body($0) }
  }

  /// Returns a column as bytes; `nil` for NULL.
  public func bytes(_ column: Int) throws -> [UInt8]? { try withBytes(column) { $0.map { [UInt8]($0) } } }

  /// Returns a column as text; `nil` for NULL.
  public func text(_ column: Int) throws -> String? {
    try withBytes(column) { $0.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// Returns a column as an integer; `nil` for NULL.
  public func integer(_ column: Int) throws -> Int64? {
    guard let text = try text(column) else { return nil }
    guard let number = Int64(text) else {
      throw WorkerFault(.data, "row \(count), column \(column + 1): \"\(text)\" is not an integer")
    }
    return number
  }

  /// Returns a value that must not be NULL.
  public func required<Value>(_ value: Value?, _ column: Int) throws -> Value {
    guard let value else { throw WorkerFault(.data, "row \(count), column \(column + 1): is NULL") }
    return value
  }

  /// Returns the bytes of a column in base 64, which must not be NULL.
  func base64(_ column: Int) throws -> [UInt8] {
    try withBytes(column) { try Base64.bytes(required($0, column)) }
  }

  /// Reads the rest of the input: Spark considers a worker that stops reading to be done.
  public func drain() {
    while let piece = try? ahead.next(), !piece.isEmpty {}
    isAtEnd = true
  }
}
