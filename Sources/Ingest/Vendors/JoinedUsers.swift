internal import EventModel

/// Gives an `identify` for each pair of ids of one user that a file has, once a day.
final class JoinedUsers {
  private struct Pair: Hashable {
    var app: String
    var user: String
    var previous: String
    var day: Int64
  }

  private var met: Set<Pair> = []

  /// Returns the event; `nil` if it was given before, as far as the last million pairs tell.
  ///
  /// - Parameter ts: The time of the record with both ids, in milliseconds.
  func join(app: String, user: String, previous: String, at ts: Int64) -> NativeEvent? {
    let length = Instant.millisecondsPerDay
    let day = ts - ((ts % length) + length) % length
    if met.count > 1_000_000 { met.removeAll() }
    guard met.insert(Pair(app: app, user: user, previous: previous, day: day)).inserted else { return nil }
    return NativeEvent.join(app: app, user: user, previous: previous, day: day)
  }
}
