import ArgumentParser
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
    try checkTarget()
    let summary = try store.backup(to: file) { common.logger.debug("\($0) of \($1) pages copied") }
    if !common.quiet { print("\(file): \(grouped(Int(summary.bytes))) bytes, \(grouped(summary.rows)) rows, checked") }
  }

  private func checkTarget() throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) else {
      let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
      if FileManager.default.fileExists(atPath: folder) { return }
      throw UsageError("\(file): the folder \(folder) does not exist")
    }
    if isFolder.boolValue { throw UsageError("\(file): is a folder; name a file in it") }
    var (source, target) = (stat(), stat())
    if stat(common.storePath, &source) == 0, stat(file, &target) == 0, source.st_dev == target.st_dev,
      source.st_ino == target.st_ino
    {
      throw UsageError("\(file): is the store itself; name another file")
    }
    do {
      _ = try Store.open(readOnly: file)
    } catch StoreError.notAStore {
      throw UsageError("\(file): is there and is no copy of a store; name another file, or remove it")
    }
  }
}
