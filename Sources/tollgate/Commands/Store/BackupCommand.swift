import ArgumentParser
import EventModel
import Foundation
import Store

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copies the store into a file, checked, while others read and write.",
    discussion: """
      The copy is of one instant. It is checked before it takes its name, so that an earlier copy stays until a new one is \
      sound; it is a store like any other: to restore it, copy it back, with its .seal.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("The file to write; a copy that is there is replaced.", valueName: "file"))
  var file: String

  func run() throws {
    let store = try Store.open(readOnly: common.storePath)
    try Store.requireWholeSeal(of: common.storePath)
    let summary = try store.backup(to: file) { common.logger.debug("\($0) of \($1) pages copied") }
    if !common.quiet { print("\(file): \(grouped(Int(summary.bytes))) bytes, \(grouped(summary.rows)) rows, checked") }
  }
}
