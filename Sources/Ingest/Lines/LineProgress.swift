internal import EventModel

/// How far the lines of a file have been read.
struct LineProgress {
  /// Number of the last line begun; blank ones count.
  var number = 0
  /// Lines or CSV records so far, blank ones aside.
  var count = 0
  /// Inside a line that has been rejected as too long already.
  var skipsToLineEnd = false
  /// Rejected since the last batch was taken.
  var rejected: [RejectedLine] = []
  var rejectedByteCount = 0
  /// Of aggregated reports, since the last batch was taken.
  var counts: [ReportedCount: Int] = [:]

  mutating func reject(_ rejection: Rejection, _ start: UnsafePointer<UInt8>, count: Int, line: Int) {
    let rejected = rejection.rejectedLine(UnsafeRawBufferPointer(start: start, count: count), line: line)
    rejectedByteCount += rejected.raw.count
    self.rejected.append(rejected)
  }
}

/// When a batch is full.
struct BatchLimits {
  var records: Int
  /// Of texts and rejected lines.
  var bytes: Int
}

/// Why decoding stopped.
enum DecodingPause {
  /// All complete lines at hand are decoded.
  case needsBytes
  case batchIsFull
}
