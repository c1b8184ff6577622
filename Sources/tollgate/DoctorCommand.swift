import ArgumentParser
import Metrics
import Store

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Checks that a store is sound.")

  @OptionGroup var common: CommonOptions

  @Flag(help: "Fold all events again and compare the facts, identities, days and cells with what upkeep has kept.")
  var rebuildCheck = false

  func run() throws {
    let store = try Store.open(readOnly: common.storePath)
    let problems = try store.read { try $0.integrityProblems() }
    if let first = problems.first { throw StoreError.damaged(path: common.storePath, reason: first) }
    if !common.quiet { print("file: sound") }
    guard rebuildCheck else { return }
    let differences = try store.read { try $0.differencesFromRebuild() }
    if !differences.isEmpty {
      let list = differences.map { "\($0.table) \($0.rows) rows" }.joined(separator: ", ")
      throw StoreError.damaged(path: common.storePath, reason: "not what a rebuild from its events gives: \(list)")
    }
    let stale = try store.read { try StandardReports.differences($0) }
    if !stale.isEmpty {
      throw StoreError.damaged(
        path: common.storePath, reason: "kept reports are not those of its cells: \(stale.joined(separator: ", "))")
    }
    if !common.quiet { print("facts, identities, days, cells: equal to a rebuild from all events") }
  }
}
