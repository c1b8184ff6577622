import ArgumentParser
import EventModel
import Foundation
import Store

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the store to a file and check the copy, while others read and write.",
    discussion: """
      Copies the store as of one instant. An earlier copy is replaced only after the new one has passed its checks. The \
      copy is a store like any other: to restore it, copy it back together with its .seal file.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("File to write; an earlier copy is replaced.", valueName: "file"))
  var file: String

  func run() throws {
    let store = try Store.open(readOnly: common.storePath)
    try Store.requireWholeSeal(of: common.storePath)
    let summary = try store.backup(to: file) { common.logger.debug("\($0) of \($1) pages copied") }
    if !common.quiet {
      print("\(file): \(counted(Int(summary.bytes), "byte")), \(counted(summary.rows, "row")), checked")
    }
  }
}
