internal import Basics
internal import Foundation
internal import Ingest

/// Creates and writes output to a file descriptor on its own thread, some megabytes behind, so that a worker computes
/// while Spark reads.
final class WriteBehind {
  private struct Piece: @unchecked Sendable {
    var make: () throws -> [UInt8]
  }

  /// Pieces by the bytes that they hold while they wait; the last one may exceed the capacity.
  private let pieces: BatchQueue<Piece>
  /// Ends with the thread.
  private let thread: BatchQueue<Never>

  init(descriptor: Int32) {
    let pieces = BatchQueue<Piece>(capacity: 64 << 20)
    self.pieces = pieces
    thread = .filled(capacity: 1, thread: "output") { _ in
      // Nothing can be added after a failure.
      defer { pieces.cancel() }
      while let piece = try pieces.take() {
        let bytes: [UInt8]
        do {
          bytes = try piece.make()
        } catch {
          throw error as? WorkerFault ?? WorkerFault(.io, "\(error)")
        }
        guard PartFile.write(bytes, to: descriptor) else {
          throw WorkerFault(.io, "the output cannot be written: \(String(cString: strerror(errno)))")
        }
      }
    }
  }

  /// Adds a piece to write.
  ///
  /// - Parameters:
  ///   - byteCount: The memory that it holds until then.
  ///   - make: Creates the piece on the other thread.
  /// - Throws: ``WorkerFault`` if an earlier piece failed.
  func append(_ byteCount: Int, _ make: @escaping () throws -> [UInt8]) throws {
    do {
      try pieces.put(Piece(make: make), weight: byteCount)
    } catch {
      try end()
    }
  }

  /// Returns once everything is written; nothing can be added afterwards.
  func end() throws {
    pieces.finish(.success(()))
    thread.join()
    _ = try thread.take()
  }

  /// Discards everything that is not written yet.
  func cancel() {
    pieces.cancel()
    pieces.finish(.success(()))
    thread.join()
  }
}
