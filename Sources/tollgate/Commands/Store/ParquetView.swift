import Basics
import EventModel
import Foundation
import Parquet
import Store

/// Writes the rows of a view as a Parquet file.
///
/// Money is a decimal, instants are timestamps. The file of `events` has only the columns of native events, so that it
/// can be ingested again.
struct ParquetView {
  private static let money: Set<String> = [
    "price", "price_usd", "price_weekly", "price_monthly", "price_yearly", "price_lifetime", "refunded",
  ]
  private static let real: Set<String> = ["tax_percentage", "commission_percentage", "limit", "used"]
  private static let integer: Set<String> = [
    "person", "spell", "ordinal", "is_purchase", "is_cancelled", "payments", "trial_days", "id", "line", "bytes",
    "lines",
    "events", "duplicates", "conflicts", "quarantined", "quantity",
  ]

  private let writer: ParquetWriter
  /// The places of the file's columns in a row of the view, and their types.
  private let columns: [(place: Int, type: ParquetType)]

  init(_ view: String, columns names: [String]) {
    let places = names.indices.filter { view != "events" || !["person", "file"].contains(names[$0]) }
    columns = places.map { ($0, Self.type(of: names[$0], in: view)) }
    writer = ParquetWriter(
      columns.map { (names[$0.place], $0.type) }, ZstdFrame(level: 3), hasDictionaries: true)
  }

  static func type(of column: String, in view: String) -> ParquetType {
    if column == "ts" || column.hasSuffix("_at") || column.hasSuffix("_until") || column == "deadline" {
      return .instant
    }
    if money.contains(column) { return .money }
    if real.contains(column) { return .real }
    return integer.contains(column) ? .integer : .text
  }

  /// Adds a row and returns the bytes of the file that are complete.
  func append(_ row: [ViewValue]) throws -> [UInt8] {
    for (index, column) in columns.enumerated() {
      switch (row[column.place], column.type) {
      case (.null, _): try writer.append(index, nil)
      case (.integer(let number), .integer), (.integer(let number), .instant): try writer.append(index, number)
      case (.integer(let number), .money): try writer.append(index, number * 1_000_000)
      case (.real(let number), .money): try writer.append(index, Int64((number * 1e6).rounded()))
      case (.integer(let number), .real): try writer.append(index, Int64(bitPattern: Double(number).bitPattern))
      case (.real(let number), .real): try writer.append(index, Int64(bitPattern: number.bitPattern))
      case (.text(let text), .instant):
        let instant = Array(text.utf8).withUnsafeBytes { Instant(rfc3339: $0) }
        guard let instant else { throw UsageError("a view has the instant \(text), which is none") }
        try writer.append(index, instant.millisecondsSince1970)
      case (let value, .text):
        try Array(ExportCommand.text(value).utf8).withUnsafeBytes { try writer.append(index, $0) }
      case (let value, _):
        throw UsageError("a view has \(ExportCommand.text(value)) in a column of another type")
      }
    }
    try writer.endRow()
    return writer.takeBytes()
  }

  /// Returns the rest of the file.
  func finish() throws -> [UInt8] { try writer.finish() }
}
