import EventModel
import Foundation

/// A line on standard error that shows the progress of an ingest.
struct ProgressBar {
  private let started = ContinuousClock.now
  private var shown: ContinuousClock.Instant?

  /// Draws the line, at most ten times a second.
  ///
  /// - Parameters:
  ///   - done: Stored bytes read.
  ///   - total: Stored bytes in total; `nil` if a pipe is among the inputs.
  mutating func show(done: Int64, of total: Int64?, events: Int) {
    let now = ContinuousClock.now
    if let shown, now - shown < .milliseconds(100) { return }
    shown = now
    let seconds = (now - started) / .seconds(1)
    let rate = seconds > 0 ? Double(events) / seconds : 0
    var line = ""
    if let total, total > 0 {
      let share = min(1, Double(done) / Double(total))
      let filled = Int(share * 24)
      line = "[\(String(repeating: "#", count: filled))\(String(repeating: ".", count: 24 - filled))] "
      line += String(format: "%3.0f%%  %@ of %@", share * 100, Self.size(done), Self.size(total))
      if share == 1 {
        line += "  folding"
      } else if share > 0.01 {
        line += String(format: "  %.0f s left", seconds / share * (1 - share))
      }
    } else {
      line = Self.size(done)
    }
    line += "  \(grouped(Int(rate))) events/s"
    write("\r\u{1B}[K\(line)")
  }

  /// Removes the line.
  func clear() {
    if shown != nil { write("\r\u{1B}[K") }
  }

  /// Returns a size such as `5.4 MB`.
  static func size(_ bytes: Int64) -> String {
    bytes < 10_000_000 ? String(format: "%.1f MB", Double(bytes) / 1e6) : "\(bytes / 1_000_000) MB"
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
