internal import Basics
internal import EventModel
internal import Foundation

/// Writes a sample as event files `<family>-YYYY-MM-DD.jsonl.zst`, one for each family and UTC day with any event.
///
/// The files depend only on the options, except ``SampleOptions/threads``, and, if compressed, on the version of
/// libzstd. Memory use is bounded for any size.
public struct SampleWriter: Sendable {
  public let options: SampleOptions
  /// Users that a thread simulates at a time; the output does not depend on it.
  var personsPerBlock = 2_048

  public init(options: SampleOptions) {
    self.options = options
  }

  /// Writes the files into a directory, which is created if it does not exist.
  ///
  /// - Parameter progress: Called from time to time with the number of events generated so far.
  /// - Throws: ``SampleError`` for an option out of range or a directory that is not empty, because older event files
  ///   there would be read as part of the sample. Foundation's errors if writing fails.
  @discardableResult
  public func write(to directory: String, progress: ((Int) -> Void)? = nil) throws -> SampleSummary {
    let sample = try Sample(options)
    let url = URL(fileURLWithPath: directory, isDirectory: true)
    try prepare(url)
    var files = SpillingFiles(directory: url, options: options, count: sample.fileCount)
    var summary = SampleSummary(persons: sample.persons)
    var next = 0
    while next < sample.persons {
      let first = next
      let blockCount = min(options.threads, (sample.persons - first - 1) / personsPerBlock + 1)
      let blocks = (0..<blockCount).concurrentMap { position in
        let start = first + position * personsPerBlock
        return sample.block(of: start..<min(start + personsPerBlock, sample.persons))
      }
      for block in blocks {
        try files.append(block, name: sample.fileName)
        summary.events += block.lines.count
        summary.bytes += block.bytes.count
      }
      next = min(first + blockCount * personsPerBlock, sample.persons)
      progress?(summary.events)
    }
    try files.finish(name: sample.fileName)
    summary.files = files.count
    summary.storedBytes = files.storedBytes
    return summary
  }

  private func prepare(_ directory: URL) throws {
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let present = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { !$0.hasPrefix(".") }
    guard present.isEmpty else {
      throw SampleError("\(directory.path): holds \(counted(present.count, "file")); name a new or empty folder")
    }
  }
}
