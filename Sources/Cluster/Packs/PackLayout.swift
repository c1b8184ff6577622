/// The columns of a table that are in its packs: all but the app, which is the first and is stored outside the pack.
final class PackLayout: Sendable {
  let table: WorkerProtocol.Tag
  let types: [WorkerProtocol.ColumnType]
  let names: [String]

  /// The layouts of all tables.
  static let all = Dictionary(
    uniqueKeysWithValues: (WorkerProtocol.facts + [.event, .cell]).map { ($0, PackLayout($0)) })

  static let event = PackLayout(.event)

  init(_ table: WorkerProtocol.Tag) {
    self.table = table
    let columns = WorkerProtocol.allColumns(of: table)
    precondition(columns[0].name == "app", "the first column of \(table) is not the app")
    types = columns.dropFirst().map(\.type)
    names = columns.dropFirst().map(\.name)
  }

  /// Returns the index in a pack of a column of the table.
  func place(_ name: String) -> Int {
    guard let place = names.firstIndex(of: name) else { preconditionFailure("packs of \(table) have no \(name)") }
    return place
  }
}
