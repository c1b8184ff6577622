/// Opens inputs in their order, each while lines of the one before are decoded: to hash and unpack a file takes a third of the
/// time that its lines take, and belongs to another core.
final class OpenedFiles {
  /// Bytes unpacked ahead of a file at most.
  private static let unpackedBytes = 1 << 20

  private struct Opened: @unchecked Sendable {
    /// `nil` for what is opened in its turn only: what can be read once must not be opened by whoever then ends.
    var file: Result<FileReading, FileFailure>?
  }

  private let inputs: [InputFile]
  private let open: @Sendable (InputFile) -> Result<FileReading, FileFailure>
  private var next = 0
  /// Where there is more than one file.
  private let queue: BatchQueue<Opened>?

  /// - Parameters:
  ///   - isKnown: Whether the content of a digest was read before, and needs no unpacking.
  ///   - open: Called for each input once, by any thread.
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

  /// The next input, and the file that it is; `nil` at the end.
  func take() throws -> (InputFile, Result<FileReading, FileFailure>)? {
    guard next < inputs.count else { return nil }
    let input = inputs[next]
    next += 1
    return (input, try queue?.take()?.file ?? open(input))
  }
}
