internal import EventModel

/// The progress of reading a file's lines.
struct LineProgress {
  /// The number of the current line; blank lines count.
  var number = 0
  /// Lines or CSV records so far, without blank ones.
  var count = 0
  /// Whether the rest of a line is skipped that was rejected as too long.
  var skipsToLineEnd = false
  /// Lines rejected since the last batch was taken.
  private(set) var rejected: [RejectedLine] = []
  private(set) var rejectedByteCount = 0
  /// Lines rejected since then that are only counted, by reason: their file has too many of it (``Limits/keptLines``).
  private(set) var unkept: [String: Int] = [:]
  /// Lines and bytes kept of the whole file, by reason.
  private var kept: [String: (lines: Int, bytes: Int)] = [:]
  /// Counts of aggregated reports since the last batch was taken.
  var counts: [ReportedCount: Int] = [:]
  /// Payloads without an event since the last batch was taken.
  var ignored = 0

  mutating func reject(_ rejection: Rejection, _ start: UnsafePointer<UInt8>, count: Int, line: Int) {
    guard keeps(rejection.reason, byteCount: count) else { return }
    append(rejection.rejectedLine(UnsafeRawBufferPointer(start: start, count: count), line: line))
  }

  mutating func reject(_ line: RejectedLine) {
    if keeps(line.reason, byteCount: line.raw.count) { append(line) }
  }

  private mutating func append(_ line: RejectedLine) {
    rejectedByteCount += line.raw.count
    rejected.append(line)
  }

  /// Whether one more line is kept; else counts it.
  private mutating func keeps(_ reason: String, byteCount: Int) -> Bool {
    let known = kept[reason] ?? (0, 0)
    if known.lines >= Limits.keptLines || known.bytes >= Limits.keptLineBytes {
      unkept[reason, default: 0] += 1
      return false
    }
    kept[reason] = (known.lines + 1, known.bytes + byteCount)
    return true
  }

  /// Forgets what the last batch has taken.
  mutating func beginNextPart() {
    rejected = []
    rejectedByteCount = 0
    unkept = [:]
    counts = [:]
    ignored = 0
  }
}

/// The limits at which a batch is full.
struct BatchLimits {
  var records: Int
  /// Bytes of texts and rejected lines.
  var bytes: Int
}

/// The reason why decoding stopped.
enum DecodingPause {
  /// All complete lines are decoded.
  case needsBytes
  case batchIsFull
}
