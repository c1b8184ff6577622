internal import EventModel

/// The reason why a line is not a valid event.
enum Rejection: Equatable {
  case lineTooLong
  case invalidUTF8
  case nul
  case notJSONObject
  /// A CSV record with more or fewer cells than the header.
  case csvCells
  /// A misplaced CSV quote, or one that is never closed.
  case csvQuotes
  case fieldTwice(EventField)
  case missing(EventField)
  case invalid(EventField)
  /// An id that stands for none, in an event that would join all who have it.
  case placeholder(EventField)
  case unknownKind
  case priceWithoutCurrency

  /// The name of the reason in quarantine and reports.
  var reason: String {
    switch self {
    case .lineTooLong: "line_too_long"
    case .invalidUTF8: "invalid_utf8"
    case .nul: "nul"
    case .notJSONObject: "not_json_object"
    case .csvCells: "csv_cells"
    case .csvQuotes: "csv_quotes"
    case .fieldTwice(let field): "field_twice:\(field.name)"
    case .missing(let field): "missing:\(field.name)"
    case .invalid(let field): "invalid:\(field.name)"
    case .placeholder(let field): "placeholder:\(field.name)"
    case .unknownKind: "unknown_kind"
    case .priceWithoutCurrency: "price_without_currency"
    }
  }

  var field: EventField? {
    switch self {
    case .lineTooLong, .invalidUTF8, .nul, .notJSONObject, .csvCells, .csvQuotes: nil
    case .fieldTwice(let field), .missing(let field), .invalid(let field), .placeholder(let field): field
    case .unknownKind: .event
    case .priceWithoutCurrency: .currency
    }
  }

  /// Bytes kept of a line that is too long.
  static let keptBytesOfLongLine = 4_096

  func rejectedLine(_ raw: UnsafeRawBufferPointer, line: Int) -> RejectedLine {
    let kept = self == .lineTooLong ? UnsafeRawBufferPointer(rebasing: raw.prefix(Self.keptBytesOfLongLine)) : raw
    return RejectedLine(line: line, reason: reason, field: field?.name, raw: Array(kept))
  }
}
