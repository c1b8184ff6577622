internal import Synchronization

/// The progress of a ``BatchReader``; safe to read from any thread.
public final class ReadingProgress: Sendable {
  /// Guarded by the mutex.
  private let read = Mutex<Int64>(0)
  /// Stored bytes of all inputs; `nil` if one of them is not a regular file.
  public let bytesTotal: Int64?

  init(bytesTotal: Int64?) { self.bytesTotal = bytesTotal }

  /// Stored bytes read or skipped so far.
  public var bytesRead: Int64 { read.withLock { $0 } }

  func advance(by count: Int64) { read.withLock { $0 += count } }
}
