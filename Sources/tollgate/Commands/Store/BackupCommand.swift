import ArgumentParser
import EventModel
import Foundation
import Reports
import Store

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the store to a file and check the copy, while others read and write.",
    discussion: """
      Copies the store as it is at one moment. An earlier copy is replaced only after the new one has passed its checks. \
      The copy is a store like any other. To restore it, stop every process that uses the store, delete the store with its \
      -wal, -shm and .seal files, and copy the backup and its .seal file there.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("File to write; an earlier copy is replaced.", valueName: "file"))
  var file: String

  func run() throws {
    let store = try Store.open(readOnly: common.storePath)
    try Store.requireWholeSeal(of: common.storePath)
    let summary = try store.backup(to: file) { common.logger.debug("\($0) of \($1) pages copied") }
    if !common.quiet {
      let said = "\(file): \(counted(summary.events, "event")), \(ProgressBar.size(summary.bytes)), checked"
      print(ReportMarkup.shown(said))
    }
  }
}
