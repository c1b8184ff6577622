/// The size limits of `Events.md`.
enum Limits {
  /// The longest line, without its end.
  static let lineBytes = 1 << 20
  /// The longest known string, unescaped.
  static let stringBytes = 200
  static let trialDays: ClosedRange<Int64> = 1...366
}
