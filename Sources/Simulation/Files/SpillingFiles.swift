import Basics
internal import Foundation

/// The growing files of a sample: lines collect in memory and are written as frames of a fixed length.
///
/// A frame ends at the first end of a line at or past that length, so a file's bytes do not depend on how the lines
/// arrive. Memory is at most ``memory`` plus one block.
struct SpillingFiles {
  private static let memory = 96 << 20

  private let directory: URL
  private let compression: SampleOptions.Compression
  private let threads: Int
  private let frameLength: Int
  private var pending: [[UInt8]]
  private var started: [Bool]
  private(set) var storedBytes = 0

  init(directory: URL, options: SampleOptions, count: Int) {
    self.directory = directory
    compression = options.compression
    threads = options.threads
    frameLength = min(max(Self.memory / count, 16 << 10), 1 << 20)
    pending = [[UInt8]](repeating: [], count: count)
    started = [Bool](repeating: false, count: count)
  }

  /// The number of files started so far.
  var count: Int { started.count { $0 } }

  mutating func append(_ block: SampleBlock, name: (Int) -> String) throws {
    var full: [(file: Int, bytes: [UInt8])] = []
    var start = 0
    for line in block.lines {
      let file = Int(line.file)
      pending[file].append(contentsOf: block.bytes[start..<line.end])
      start = line.end
      if pending[file].count >= frameLength {
        full.append((file, pending[file]))
        pending[file].removeAll(keepingCapacity: true)
      }
    }
    try write(full, name: name)
  }

  /// Writes the remaining lines.
  mutating func finish(name: (Int) -> String) throws {
    var rest: [(file: Int, bytes: [UInt8])] = []
    for file in pending.indices where !pending[file].isEmpty {
      rest.append((file, pending[file]))
      pending[file] = []
      if rest.count == threads {
        try write(rest, name: name)
        rest = []
      }
    }
    try write(rest, name: name)
  }

  private mutating func write(_ frames: [(file: Int, bytes: [UInt8])], name: (Int) -> String) throws {
    for chunk in stride(from: 0, to: frames.count, by: threads) {
      let part = Array(frames[chunk..<min(chunk + threads, frames.count)])
      let compression = compression
      let stored = part.concurrentMap { frame -> Result<[UInt8], any Error> in
        guard case .zstd(let level) = compression else { return .success(frame.bytes) }
        return Result { try frame.bytes.withUnsafeBytes { try ZstdFrame(level: Int32(level)).frame(of: $0) } }
      }
      for (frame, bytes) in zip(part, stored) {
        try write(bytes.get(), to: frame.file, name: name(frame.file))
      }
    }
  }

  private mutating func write(_ bytes: [UInt8], to file: Int, name: String) throws {
    let suffix = compression == .none ? "" : ".zst"
    let url = directory.appendingPathComponent(name + suffix)
    if started[file] {
      let handle = try FileHandle(forWritingTo: url)
      defer { try? handle.close() }
      try handle.seekToEnd()
      try handle.write(contentsOf: bytes)
    } else {
      started[file] = true
      try Data(bytes).write(to: url)
    }
    storedBytes += bytes.count
  }
}
