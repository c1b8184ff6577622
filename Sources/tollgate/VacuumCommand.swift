import ArgumentParser
import Foundation
import Store

struct VacuumCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vacuum", abstract: "Writes the store anew without free pages, and empties its log.",
    discussion: "It needs the room of a second store while it works; others can read meanwhile, and cannot write.")

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("Seconds to wait while another process reads the log or writes.", valueName: "seconds"))
  var lockTimeout = 30.0

  mutating func validate() throws {
    if lockTimeout < 0 { throw ValidationError("--lock-timeout is \(lockTimeout), but must be at least 0") }
  }

  func run() throws {
    guard FileManager.default.fileExists(atPath: common.storePath) else {
      throw StoreError.notFound(path: common.storePath)
    }
    try Store.requireWholeSeal(of: common.storePath)
    let store = try Store.open(path: common.storePath, lockTimeout: lockTimeout)
    let before = store.fileBytes
    try store.vacuum(lockTimeout: lockTimeout)
    if !common.quiet { print("\(grouped(Int(before))) bytes before, \(grouped(Int(store.fileBytes))) after") }
  }
}
