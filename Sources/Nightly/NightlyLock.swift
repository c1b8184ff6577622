public import Basics
internal import Foundation

/// A lock held while a night runs, so that two nights of one store cannot overlap; the system releases it when the
/// process ends.
final class NightlyLock {
  private let descriptor: Int32

  /// - Throws: ``NightlyIsRunning`` at once if another process holds it.
  init(store: String) throws {
    // Named by the file itself, whichever path leads to it.
    let folder = URL(fileURLWithPath: store).deletingLastPathComponent().resolvingSymlinksInPath()
    let named = folder.appendingPathComponent(URL(fileURLWithPath: store).lastPathComponent)
    let path = named.resolvingSymlinksInPath().path + ".nightly-lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw UsageError("\(path): cannot be created: \(SystemReason.text(errno, at: path))")
    }
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let holder = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
      close(descriptor)
      throw NightlyIsRunning(store: store, holder: holder)
    }
    let holder = Array("process \(ProcessInfo.processInfo.processIdentifier)".utf8)
    ftruncate(descriptor, 0)
    _ = holder.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  deinit { close(descriptor) }
}

public struct NightlyIsRunning: ReadableError {
  var store: String
  var holder: String

  public var description: String {
    "\(store): another night is running\(holder.isEmpty ? "" : " (\(holder))"); wait until it ends, or stop it"
  }
}
