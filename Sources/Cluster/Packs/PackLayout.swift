internal import EventModel

/// Which columns of a table its packs have; the app, the first of each, stands beside them.
final class PackLayout: Sendable {
  let table: WorkerProtocol.Tag
  /// The packed columns' types and names.
  let types: [WorkerProtocol.ColumnType]
  let names: [String]

  /// Of every table.
  static let all = Dictionary(
    uniqueKeysWithValues: (WorkerProtocol.facts + [.event, .cell]).map { ($0, PackLayout($0)) })

  /// Of events.
  static let event = PackLayout(.event)

  init(_ table: WorkerProtocol.Tag) {
    self.table = table
    let columns = WorkerProtocol.allColumns(of: table)
    precondition(columns[0].name == "app", "the first column of \(table) is not the app")
    types = columns.dropFirst().map(\.type)
    names = columns.dropFirst().map(\.name)
  }

  /// Where a column of the table stands in a pack.
  func place(_ name: String) -> Int {
    guard let place = names.firstIndex(of: name) else { preconditionFailure("packs of \(table) have no \(name)") }
    return place
  }
}
