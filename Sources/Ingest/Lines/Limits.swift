/// The size limits of `Events.md`.
enum Limits {
  /// The longest line, without its end.
  static let lineBytes = 1 << 20
  /// The longest known string, unescaped.
  static let stringBytes = 200
  static let trialDays: ClosedRange<Int64> = 1...366
  /// The most lines of one file that are kept in quarantine for one reason, and the bytes at which no more are.
  static let keptLines = 10_000
  static let keptLineBytes = 64 << 20
}
