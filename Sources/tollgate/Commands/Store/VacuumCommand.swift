import ArgumentParser
import EventModel
import Foundation
import Store

struct VacuumCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vacuum", abstract: "Writes the store anew without free pages, and empties its log.",
    discussion: "It needs the room of a second store while it works; others can read meanwhile, and cannot write.")

  @OptionGroup var common: CommonOptions

  @OptionGroup var lock: LockArguments

  func run() throws {
    let store = try lock.open(common.storePath)
    let before = store.fileBytes
    try store.vacuum(lockTimeout: lock.lockTimeout)
    if !common.quiet { print("\(grouped(Int(before))) bytes before, \(grouped(Int(store.fileBytes))) after") }
  }
}
