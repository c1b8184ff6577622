/// Opens inputs in order, each while the previous one is decoded: hashing and unpacking take a third of the time of
/// decoding and run on another core.
final class OpenedFiles {
  /// The most bytes of a file that are unpacked ahead.
  private static let unpackedBytes = 1 << 20

  private struct Opened: @unchecked Sendable {
    /// `nil` for an input that is opened only in its turn: one that can be read once must not be opened if reading may
    /// end before it.
    var file: Result<FileReading, FileFailure>?
  }

  private let inputs: [InputFile]
  private let open: @Sendable (InputFile) -> Result<FileReading, FileFailure>
  private var next = 0
  /// Used if there is more than one file.
  private let queue: BatchQueue<Opened>?

  /// - Parameters:
  ///   - isKnown: Returns whether content with that digest was read before and needs no unpacking.
  ///   - open: Called once for each input, on any thread.
  init(
    _ inputs: [InputFile], isKnown: @escaping @Sendable (_ digest: [UInt8]) -> Bool,
    _ open: @escaping @Sendable (InputFile) -> Result<FileReading, FileFailure>
  ) {
    self.inputs = inputs
    self.open = open
    queue =
      inputs.count < 2
      ? nil
      : .filled(capacity: 1, thread: "open") { put in
        for input in inputs {
          if input.byteCount == nil {
            try put(Opened())
            continue
          }
          let file = open(input)
          if case .success(let file) = file, file.source.isRegular, !isKnown(file.digest) {
            file.unpackAhead(Self.unpackedBytes)
          }
          try put(Opened(file: file))
        }
      }
  }

  deinit { queue?.cancel() }

  var isAtEnd: Bool { next >= inputs.count }

  /// Returns the next input and its opened file; `nil` at the end.
  func take() throws -> (InputFile, Result<FileReading, FileFailure>)? {
    guard next < inputs.count else { return nil }
    let input = inputs[next]
    next += 1
    return (input, try queue?.take()?.file ?? open(input))
  }
}
