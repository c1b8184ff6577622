internal import Basics

/// Looks up events in packs by the numbers of their ids, and writes them as rows (``WorkerProtocol/Tag/picked``).
public enum PickWorker {
  public static func run(_ input: RowInput, _ output: RowOutput) throws {
    let (zstd, layout) = (ZstdFrame(level: 1), PackLayout.event)
    // The index of each column of the table in a pack; the app is stored outside the pack.
    let places = WorkerProtocol.allColumns(of: .event).map { layout.names.firstIndex(of: $0.name) }
    let number = layout.place("number")
    while try input.next(columns: WorkerInput.pickColumns) {
      let pack = try input.required(input.bytes(0), 0)
      let app = try input.required(input.bytes(1), 1)
      let wanted = Set((try input.text(2) ?? "").split(separator: ",").compactMap { Int64($0) })
      var rows = try input.base64(3).withUnsafeBytes {
        try RowPackReader(RowPack($0, columnCount: layout.types.count), layout.types, zstd)
      }
      while try rows.next() {
        guard try wanted.contains(rows.integer(number)) else { continue }
        output.begin(.picked)
        for place in places {
          guard let place else {
            output.append(app)
            continue
          }
          guard let cell = rows.cells[place] else {
            output.appendNull()
            continue
          }
          switch layout.types[place] {
          case .text: rows.bytes.withUnsafeBytes { output.append(UnsafeRawBufferPointer(rebasing: $0[cell])) }
          case .integer, .instant, .money, .real: output.append(try rows.integer(place))
          case .flag: output.append(rows.bytes[cell.lowerBound] != 0)
          }
        }
        output.append(pack, rows.row - 1)
        try output.endRow()
      }
    }
    try output.end(input)
  }
}
