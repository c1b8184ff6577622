import ArgumentParser
import Foundation
import Store

/// The options of commands that write to a store.
struct LockArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Seconds to wait while another process writes to the store.", valueName: "seconds"))
  var lockTimeout = 30.0

  func validate() throws {
    if lockTimeout < 0 { throw ValidationError("--lock-timeout is \(lockTimeout), but must be at least 0") }
  }

  /// Opens a store that has to be there. One with a broken seal is refused: a command that rewrites pages would make the
  /// damage permanent.
  func open(_ path: String) throws -> Store {
    guard FileManager.default.fileExists(atPath: path) else { throw StoreError.absent(path) }
    // An empty file would become a store without events.
    if try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64 == 0 {
      throw StoreError.notAStore(path: path)
    }
    try Store.requireWholeSeal(of: path)
    return try Store.open(path: path, lockTimeout: lockTimeout)
  }
}
