/// The key of a row of `event`: run, user and place among the user's events of the run, packed so that a run is stored
/// by appending, and a user's events of a run lie side by side.
///
///     bits 62…50 run · 49…18 user · 17…0 place, in order of ts and kind
enum EventRowID {
  /// Places that a user has in one run.
  static let places: Int64 = 1 << 18
  /// Runs that can be numbered.
  static let runs: Int64 = 1 << 13

  @inline(__always)
  static func first(segment: Int64, user: Int32) -> Int64 { segment << 50 | Int64(user) << 18 }

  /// The rows of a user in a run.
  static func range(segment: Int64, user: Int32) -> ClosedRange<Int64> {
    let first = first(segment: segment, user: user)
    return first...(first + places - 1)
  }

  /// The rows of a range of users in a run.
  static func range(segment: Int64, users: ClosedRange<Int32>) -> ClosedRange<Int64> {
    first(segment: segment, user: users.lowerBound)...(first(segment: segment, user: users.upperBound) + places - 1)
  }

  /// The rows of a run.
  static func range(segment: Int64) -> ClosedRange<Int64> { segment << 50...((segment + 1) << 50 - 1) }

  @inline(__always)
  static func user(of id: Int64) -> Int32 { Int32(truncatingIfNeeded: id >> 18) }

  /// The user of a row, as SQL.
  static func userSQL(_ id: String) -> String { "((\(id) >> 18) & 4294967295)" }
}
