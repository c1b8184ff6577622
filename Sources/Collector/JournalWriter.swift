internal import EventModel
internal import Foundation
internal import Logging

/// Writes lines durably on its own thread: all waiting lines form one group, one frame and one `fdatasync`.
///
/// `condition` guards all mutable state except the journal, which only the thread uses.
final class JournalWriter: @unchecked Sendable {
  struct Limits: Sendable {
    /// Compressed size in bytes at which a journal is complete.
    var journalBytes = 64 << 20
    /// Age in seconds at which a journal is complete, however small.
    var journalSeconds = 300.0
    /// The most bytes of lines that may wait.
    var waitingBytes = 32 << 20
  }

  /// The reason why a line was not written.
  enum Refusal: Error {
    /// Too many bytes are waiting already.
    case busy
    case failed(JournalFailure)
    case closed
  }

  private struct Waiting {
    var line: [UInt8]
    var continuation: CheckedContinuation<Result<Void, Refusal>, Never>
  }

  private let folder: JournalFolder
  private let source: String
  private let limits: Limits
  private let logger: Logger
  private let condition = NSCondition()
  private let ended = DispatchSemaphore(value: 0)
  private var waiting: [Waiting] = []
  private var waitingBytes = 0
  private var isClosing = false
  private var counts = Counts()

  /// Counts since the start.
  struct Counts: Sendable {
    var lines = 0
    var groups = 0
    var journals = 0
    /// Whether writing the last group failed.
    var isFailing = false
  }

  init(_ folder: JournalFolder, source: String, limits: Limits, logger: Logger) {
    self.folder = folder
    self.source = source
    self.limits = limits
    self.logger = logger
    let thread = Thread { [self] in work() }
    thread.name = "segments of \(source)"
    thread.start()
  }

  /// Writes a line; returns when it is on the disk.
  func append(_ line: [UInt8]) async throws(Refusal) {
    let result = await withCheckedContinuation { continuation in
      let refusal: Refusal? = condition.withLock {
        if isClosing { return .closed }
        if waitingBytes + line.count > limits.waitingBytes { return .busy }
        waiting.append(Waiting(line: line, continuation: continuation))
        waitingBytes += line.count
        condition.signal()
        return nil
      }
      if let refusal { continuation.resume(returning: .failure(refusal)) }
    }
    try result.get()
  }

  /// Writes the waiting lines, completes the journal and ends the thread.
  func close() -> Counts {
    condition.withLock {
      isClosing = true
      condition.signal()
    }
    ended.wait()
    return state
  }

  var state: Counts { condition.withLock { counts } }

  // MARK: The thread

  private func work() {
    var journal: Journal?
    var deadline = Date.distantFuture
    while true {
      let (group, isLast) = nextGroup(until: deadline)
      if !group.isEmpty {
        do throws(JournalFailure) {
          if journal == nil {
            journal = try Journal(folder.freeName(source: source, at: Self.now), in: folder)
            deadline = Date(timeIntervalSinceNow: limits.journalSeconds)
          }
          try journal?.append(Array(group.map(\.line).joined()), lineCount: group.count)
          note { $0.lines += group.count }
          answer(group, .success(()))
        } catch {
          logger.error("\(error)")
          answer(group, .failure(.failed(error)))
          note { $0.isFailing = true }
          // The part file still holds the acknowledged lines.
          if let broken = journal { repair(broken) }
          journal = nil
          deadline = .distantFuture
        }
      }
      let size = journal?.byteCount ?? 0
      if isLast || size >= limits.journalBytes || Date() >= deadline {
        if let complete = journal { finish(complete) }
        journal = nil
        deadline = .distantFuture
      }
      if isLast { break }
    }
    ended.signal()
  }

  /// Waits for lines; returns an empty group when the deadline passes or the writer closes.
  private func nextGroup(until deadline: Date) -> (group: [Waiting], isLast: Bool) {
    condition.lock()
    defer { condition.unlock() }
    while waiting.isEmpty && !isClosing {
      if deadline == .distantFuture {
        condition.wait()
      } else if !condition.wait(until: deadline) {
        break
      }
    }
    let group = waiting
    waiting = []
    waitingBytes = 0
    return (group, isClosing)
  }

  private func answer(_ group: [Waiting], _ result: Result<Void, Refusal>) {
    for waiting in group { waiting.continuation.resume(returning: result) }
  }

  private func note(_ change: (inout Counts) -> Void) {
    condition.withLock {
      counts.isFailing = false
      counts.groups += 1
      change(&counts)
    }
  }

  private func finish(_ journal: Journal) {
    let name = journal.name
    let (lines, bytes) = (journal.lineCount, journal.byteCount)
    do throws(JournalFailure) {
      try journal.finish()
      condition.withLock { counts.journals += 1 }
      logger.info("\(name): \(lines) bodies, \(bytes) bytes")
    } catch {
      logger.error("\(error); it is completed at the next start")
    }
  }

  private func repair(_ journal: Journal) {
    let name = journal.name
    do throws(JournalFailure) {
      let repair = try JournalRepair(name, in: folder)
      if repair.keptByteCount > 0 { logger.warning("\(name): completed after a crash, up to its last complete group") }
    } catch {
      logger.error("\(error); it is completed at the next start")
    }
  }

  static var now: Instant { Instant(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1_000)) }
}
