import ArgumentParser
import EventModel
import Foundation
import Store

struct VacuumCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vacuum", abstract: "Shrink the store: remove free pages and empty the log.",
    discussion:
      "Needs free disk space for a second copy of the store. Meanwhile, other commands can read the store, but not write to it."
  )

  @OptionGroup var common: CommonOptions

  @OptionGroup var lock: LockArguments

  func run() throws {
    let store = try lock.open(common.storePath)
    let before = store.fileBytes
    try store.vacuum(lockTimeout: lock.lockTimeout)
    if !common.quiet { print("\(grouped(Int(before))) bytes before, \(grouped(Int(store.fileBytes))) after") }
  }
}
