internal import EventModel
internal import Foundation
internal import Store

/// Adds up rows of cells: combines what several builds added to and removed from a cell into one row.
///
/// Memory is bounded by the largest cell.
public enum CellWorker {
  /// The columns that identify a row's cell, after its month.
  private static let keyColumns = WorkerProtocol.columns(of: .cell).count - 2

  public static func run(_ input: RowInput, _ output: RowOutput) throws {
    let packs = PackOutput(output, buckets: 1)
    var cell: (key: [[UInt8]?], sum: MonthCellSum)?
    while try input.next(columns: WorkerInput.cellColumns) {
      let key = try (0...keyColumns).map { try input.bytes($0) }
      if cell?.key != key {
        if let cell { try write(cell.key, cell.sum, to: packs, row: input.count) }
        guard let family = FactText.family(try input.text(2)) else {
          throw WorkerFault(.data, "row \(input.count), column 3: is not a family of cells")
        }
        cell = (key, MonthCellSum(family))
      }
      let units = try input.required(input.integer(keyColumns + 1), keyColumns + 1)
      cell?.sum.add(units: try input.base64(keyColumns + 2), isTakenAway: units < 0)
    }
    if let cell { try write(cell.key, cell.sum, to: packs, row: input.count) }
    try packs.end()
    try output.end(input)
  }

  private static func write(_ key: [[UInt8]?], _ sum: MonthCellSum, to packs: PackOutput, row: Int) throws {
    guard let (count, bytes) = sum.units() else {
      throw WorkerFault(
        .data, "row \(row): before it, units are taken away from a cell that does not have them")
    }
    if count == 0 { return }
    guard let month = key[0], let first = CivilDate("\(String(decoding: month, as: UTF8.self))-01"), let app = key[1]
    else { throw WorkerFault(.data, "row \(row): before it, a month or an app is missing") }
    app.withUnsafeBytes { app in
      packs.begin(.cell, app: app, user: app, instant: Int64(first.daysSince1970) * 86_400_000)
    }
    for (column, value) in zip(WorkerProtocol.columns(of: .cell), key.dropFirst()) {
      if let value {
        if column.type == .flag { packs.append(value == Array("true".utf8)) } else { packs.append(value) }
      } else {
        packs.appendNull()
      }
    }
    packs.append(count)
    packs.append(Base64.text(of: bytes))
    try packs.endRow()
  }
}
