/// Sizes that `Events.md` sets.
enum Limits {
  /// Of a line without its end.
  static let lineBytes = 1 << 20
  /// Of every known string, unescaped.
  static let stringBytes = 200
  static let trialDays: ClosedRange<Int64> = 1...366
}
