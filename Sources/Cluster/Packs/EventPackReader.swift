internal import Basics
internal import EventModel

/// Reads the fields that a fold needs from packs of events.
struct EventPackReader {
  /// The byte ranges of an event's columns.
  struct Cells {
    var user: Range<Int>
    var ts: Int64
    var kind: EventKind
    var id: Range<Int>
    var content: Range<Int>
  }

  private let layout = PackLayout.event
  private let zstd = ZstdFrame(level: 1)
  private let columns: (user: Int, ts: Int, event: Int, id: Int, content: Int)
  private let wanted: [Int]
  private let kinds = EventKind.allCases.map { (name: Array($0.name.utf8), kind: $0) }

  init() {
    columns = (
      layout.place("user_id"), layout.place("ts"), layout.place("event"), layout.place("event_id"),
      layout.place("content")
    )
    wanted = [columns.user, columns.ts, columns.event, columns.id, columns.content]
  }

  /// Calls `body` with the events that count in the pack of the current row.
  ///
  /// - Parameters:
  ///   - dropped: The column of ``DroppedRows``.
  ///   - bytes: The column of the pack.
  /// - Returns: The bytes that the ranges refer to.
  @discardableResult
  func forEachEvent(
    of input: RowInput, dropped: Int, bytes: Int, _ body: (UnsafeRawBufferPointer, Cells) throws -> Void
  ) throws -> [UInt8] {
    let dropped = try DroppedRows(input.text(dropped), row: input.count)
    var rows = try input.base64(bytes).withUnsafeBytes {
      try RowPackReader(RowPack($0, columnCount: layout.types.count), layout.types, zstd, wanted: wanted)
    }
    while try rows.next() {
      if dropped.contains(rows.row - 1) { continue }
      let name = rows.bytes[try rows.required(columns.event)]
      guard let kind = kinds.first(where: { $0.name.elementsEqual(name) })?.kind else {
        throw WorkerFault(.data, "row \(input.count): a pack has an event of no kind")
      }
      let cells = try Cells(
        user: rows.required(columns.user), ts: rows.integer(columns.ts), kind: kind, id: rows.required(columns.id),
        content: rows.required(columns.content))
      try rows.bytes.withUnsafeBytes { try body($0, cells) }
    }
    return rows.bytes
  }
}
