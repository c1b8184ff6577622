internal import Foundation

/// The cells of one CSV record (RFC 4180).
struct CSVRecord {
  enum Outcome: Equatable {
    /// - Parameters:
    ///   - contentEnd: The start of the record's line end.
    ///   - next: The start of the next record.
    case complete(contentEnd: UnsafePointer<UInt8>, next: UnsafePointer<UInt8>)
    /// The bytes end inside the record.
    case needsBytes
    /// A quote inside an unquoted cell or after a closing quote, or one that is never closed.
    case badQuotes
  }

  private(set) var cells: [FieldValue] = []

  /// Reads the record at `start`.
  ///
  /// - Parameters:
  ///   - isLast: Whether no bytes follow `end`, so that the record needs no line end.
  ///   - fields: Provides memory for cells with doubled quotes.
  mutating func read(
    _ start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>, isLast: Bool, delimiter: UInt8,
    fields: inout LineFields
  ) -> Outcome {
    cells.removeAll(keepingCapacity: true)
    var place = start
    while true {
      if place < end && place.pointee == UInt8(ascii: "\"") {
        let closing = Self.closingQuote(place + 1, to: end)
        guard let (quote, doubled) = closing, quote + 1 < end || isLast else {
          return isLast ? .badQuotes : .needsBytes
        }
        append(place + 1, count: (place + 1).distance(to: quote), doubledQuotes: doubled, fields: &fields)
        place = quote + 1
        if place < end && place.pointee == UInt8(ascii: "\r") {
          if place + 1 == end && !isLast { return .needsBytes }
          if place + 1 == end || place[1] == UInt8(ascii: "\n") {
            return .complete(contentEnd: place, next: min(place + 2, end))
          }
        }
      } else {
        let cell = place
        while place < end && place.pointee != delimiter && place.pointee != 0x0A && place.pointee != 0x22 { place += 1 }
        if place < end && place.pointee == UInt8(ascii: "\"") { return .badQuotes }
        if place == end && !isLast { return .needsBytes }
        let isLastCell = place == end || place.pointee == UInt8(ascii: "\n")
        let contentEnd = isLastCell && place > cell && place[-1] == UInt8(ascii: "\r") ? place - 1 : place
        append(cell, count: cell.distance(to: contentEnd), doubledQuotes: 0, fields: &fields)
        if isLastCell { return .complete(contentEnd: contentEnd, next: min(place + 1, end)) }
      }
      if place == end { return isLast ? .complete(contentEnd: end, next: end) : .needsBytes }
      if place.pointee == UInt8(ascii: "\n") { return .complete(contentEnd: place, next: place + 1) }
      guard place.pointee == delimiter else { return .badQuotes }
      place += 1
    }
  }

  /// Returns the closing quote of a cell and the number of doubled quotes before it; `nil` if the bytes end first, or
  /// right after a quote that could be the first of a pair.
  private static func closingQuote(
    _ start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
  ) -> (quote: UnsafePointer<UInt8>, doubled: Int)? {
    var place = start
    var doubled = 0
    while let found = memchr(place, 0x22, place.distance(to: end)) {
      let quote = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
      if quote + 1 == end || quote[1] != UInt8(ascii: "\"") { return (quote, doubled) }
      doubled += 1
      place = quote + 2
    }
    return nil
  }

  private mutating func append(
    _ start: UnsafePointer<UInt8>, count: Int, doubledQuotes: Int, fields: inout LineFields
  ) {
    guard doubledQuotes > 0 else {
      cells.append(FieldValue(start, count: count, form: count == 0 ? .absent : .cell))
      return
    }
    let unquoted = fields.scratch(count - doubledQuotes)
    var written = 0
    var offset = 0
    while offset < count {
      unquoted[written] = start[offset]
      written += 1
      offset += start[offset] == UInt8(ascii: "\"") ? 2 : 1
    }
    cells.append(FieldValue(unquoted, count: written, form: .cell))
  }
}
