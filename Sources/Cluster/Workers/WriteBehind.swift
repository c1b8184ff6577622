internal import Basics
internal import Foundation

/// Creates and writes output to a file descriptor on its own thread, some megabytes behind, so that a worker computes
/// while Spark reads.
///
/// `condition` guards all mutable fields.
final class WriteBehind: @unchecked Sendable {
  /// The most bytes that wait, not counting one piece.
  private static let limit = 64 << 20

  private struct Piece {
    /// The memory that the piece holds while it waits.
    var byteCount: Int
    var make: () throws -> [UInt8]
  }

  private let condition = NSCondition()
  private var pieces: [Piece] = []
  private var waiting = 0
  private var isEnding = false
  private var hasEnded = false
  private var failure: WorkerFault?

  init(descriptor: Int32) {
    let thread = Thread { [self] in write(to: descriptor) }
    thread.name = "output"
    thread.start()
  }

  /// Adds a piece to write.
  ///
  /// - Parameters:
  ///   - byteCount: The memory that it holds until then.
  ///   - make: Creates the piece on the other thread.
  /// - Throws: ``WorkerFault`` if an earlier piece failed.
  func append(_ byteCount: Int, _ make: @escaping () throws -> [UInt8]) throws {
    condition.lock()
    defer { condition.unlock() }
    while waiting >= Self.limit && failure == nil { condition.wait() }
    if let failure { throw failure }
    pieces.append(Piece(byteCount: byteCount, make: make))
    waiting += byteCount
    condition.broadcast()
  }

  /// Returns once everything is written; nothing can be added afterwards.
  func end() throws {
    condition.lock()
    defer { condition.unlock() }
    isEnding = true
    condition.broadcast()
    while !hasEnded { condition.wait() }
    if let failure { throw failure }
  }

  /// Discards everything that is not written yet.
  func cancel() {
    condition.lock()
    defer { condition.unlock() }
    pieces.removeAll()
    isEnding = true
    condition.broadcast()
    while !hasEnded { condition.wait() }
  }

  private func next() -> Piece? {
    condition.lock()
    defer { condition.unlock() }
    while pieces.isEmpty && !isEnding { condition.wait() }
    return pieces.isEmpty ? nil : pieces.removeFirst()
  }

  private func write(to descriptor: Int32) {
    var failure: WorkerFault?
    while failure == nil, let piece = next() {
      do {
        guard try PartFile.write(piece.make(), to: descriptor) else {
          throw WorkerFault(.io, "the output cannot be written: \(String(cString: strerror(errno)))")
        }
      } catch let fault as WorkerFault {
        failure = fault
      } catch {
        failure = WorkerFault(.io, "\(error)")
      }
      condition.lock()
      waiting -= piece.byteCount
      self.failure = failure
      condition.broadcast()
      condition.unlock()
    }
    condition.lock()
    hasEnded = true
    condition.broadcast()
    condition.unlock()
  }
}
