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
  var rejected: [RejectedLine] = []
  var rejectedByteCount = 0
  /// Counts of aggregated reports since the last batch was taken.
  var counts: [ReportedCount: Int] = [:]
  /// Payloads without an event since the last batch was taken.
  var ignored = 0

  mutating func reject(_ rejection: Rejection, _ start: UnsafePointer<UInt8>, count: Int, line: Int) {
    let rejected = rejection.rejectedLine(UnsafeRawBufferPointer(start: start, count: count), line: line)
    rejectedByteCount += rejected.raw.count
    self.rejected.append(rejected)
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
