/// The key of a row of `event_block`: run, last user, and place among the run's blocks that end with that user, packed
/// so that a run is stored by appending and one seek finds the blocks that a user may be in.
///
///     bits 62…50 run · 49…18 last user · 17…0 place
enum BlockKey {
  /// The maximum number of runs.
  static let runs: Int64 = 1 << 13
  private static let places: Int64 = 1 << 18

  @inline(__always)
  static func first(run: Int64, user: Int32) -> Int64 { run << 50 | Int64(user) << 18 }

  static func range(run: Int64) -> ClosedRange<Int64> { run << 50...((run + 1) << 50 - 1) }

  static func run(of key: Int64) -> Int64 { key >> 50 }

  @inline(__always)
  static func lastUser(of key: Int64) -> Int32 { Int32(truncatingIfNeeded: key >> 18) }

  /// Returns the key that follows another one of the same run, for a block that ends with a user.
  static func next(after key: Int64?, run: Int64, lastUser: Int32) -> Int64 {
    let first = first(run: run, user: lastUser)
    guard let key, key >= first else { return first }
    precondition(key + 1 < first + places, "one user has too many events")
    return key + 1
  }
}
