internal import Foundation
internal import Ingest

/// Reads a file descriptor on its own thread, some megabytes ahead, so that Spark keeps writing while a worker
/// computes.
final class ReadAhead {
  private static let pieceBytes = 1 << 16
  private let pieces: BatchQueue<[UInt8]>

  init(descriptor: Int32) {
    pieces = .filled(capacity: 128, thread: "input") { put in
      while true {
        let piece = try Self.read(descriptor)
        if piece.isEmpty { return }
        try put(piece)
      }
    }
  }

  deinit {
    pieces.cancel()
    pieces.join()
  }

  /// Returns the next bytes; `nil` at the end.
  ///
  /// - Throws: ``WorkerFault``.
  func next() throws -> [UInt8]? { try pieces.take() }

  private static func read(_ descriptor: Int32) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: pieceBytes) { piece, count in
      while true {
        let got = Foundation.read(descriptor, piece.baseAddress, piece.count)
        if got < 0 && errno == EINTR { continue }
        if got < 0 { throw WorkerFault(.io, "the input cannot be read: \(String(cString: strerror(errno)))") }
        count = got
        return
      }
    }
  }
}
