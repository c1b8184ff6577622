internal import EventModel

/// Which columns of a table its packs have, and which stand beside them.
final class PackLayout: Sendable {
  let table: WorkerProtocol.Tag
  /// Columns of the table that are packed, their types and names.
  let packed: [Int]
  let types: [WorkerProtocol.ColumnType]
  let names: [String]
  /// Columns of the table: the app, and the instant whose month counts.
  let app: Int
  let instant: Int
  /// Of events, further columns of the table.
  let event: (user: Int, number: Int, path: Int, block: Int)?

  /// Of every table.
  static let all = Dictionary(
    uniqueKeysWithValues: (WorkerProtocol.facts + [.event]).map { ($0, PackLayout($0)) })

  /// Of events.
  static let event = PackLayout(.event)

  init(_ table: WorkerProtocol.Tag) {
    self.table = table
    let columns = WorkerProtocol.allColumns(of: table)
    func place(_ names: String...) -> Int {
      guard let place = columns.firstIndex(where: { names.contains($0.name) }) else {
        preconditionFailure("\(table) has no column \(names)")
      }
      return place
    }
    packed = columns.indices.filter { columns[$0].name != "app" }
    types = packed.map { columns[$0].type }
    names = packed.map { columns[$0].name }
    app = place("app")
    instant = place("ts", "start")
    event = table == .event ? (place("user_id"), place("number"), place("path"), place("block")) : nil
  }

  /// Where a column of the table stands in a pack.
  func place(_ name: String) -> Int {
    guard let place = names.firstIndex(of: name) else { preconditionFailure("packs of \(table) have no \(name)") }
    return place
  }
}
